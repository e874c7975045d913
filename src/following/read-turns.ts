/**
 * Runs at most `limit` reads at a time. Projects take turns, so that one project's many reads do not delay others. Once
 * several projects have read, none can use the last place of a limit above 1, so that its long reads do not delay others.
 */
export class ReadTurns {
  readonly #limit: number;
  #running = 0;
  /** The number of running reads of each project that has read. */
  readonly #runningOf = new Map<string, number>();
  /** Waiting reads by project, in the order of the projects' turns. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(project: string, read: () => Promise<T>): Promise<T> {
    if (!this.#runningOf.has(project)) this.#runningOf.set(project, 0);
    if (this.#mayBegin(project)) this.#count(project, 1);
    else await new Promise<void>((begin) => this.#wait(project, begin));
    try {
      return await read();
    } finally {
      this.#count(project, -1);
      this.#passOn();
    }
  }

  #mayBegin(project: string): boolean {
    const isShared = this.#runningOf.size > 1 && this.#limit > 1;
    const most = isShared ? this.#limit - 1 : this.#limit;
    return this.#running < this.#limit && (this.#runningOf.get(project) ?? 0) < most;
  }

  #count(project: string, change: 1 | -1): void {
    this.#running += change;
    this.#runningOf.set(project, (this.#runningOf.get(project) ?? 0) + change);
  }

  #wait(project: string, begin: () => void): void {
    const waiting = this.#waiting.get(project);
    if (waiting === undefined) this.#waiting.set(project, [begin]);
    else waiting.push(begin);
  }

  /** Gives the place of a finished read to the next project that may begin one. */
  #passOn(): void {
    const next = this.#waiting.entries().find(([project]) => this.#mayBegin(project));
    if (next === undefined) return;
    const [project, [begin, ...others]] = next;
    this.#waiting.delete(project);
    if (others.length > 0) this.#waiting.set(project, others);
    this.#count(project, 1);
    begin?.();
  }
}
