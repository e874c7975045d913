/** Runs at most `limit` reads at a time. Projects take turns, so that one project's many reads do not delay others. */
export class ReadTurns {
  readonly #limit: number;
  #running = 0;
  /** Waiting reads by project, in the order of the projects' turns. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(project: string, read: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running++;
    else await new Promise<void>((begin) => this.#wait(project, begin));
    try {
      return await read();
    } finally {
      this.#passOn();
    }
  }

  #wait(project: string, begin: () => void): void {
    const waiting = this.#waiting.get(project);
    if (waiting === undefined) this.#waiting.set(project, [begin]);
    else waiting.push(begin);
  }

  /** Gives the place of a finished read to the next project. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running--;
      return;
    }
    const [project, [begin, ...others]] = next;
    this.#waiting.delete(project);
    if (others.length > 0) this.#waiting.set(project, others);
    begin?.();
  }
}
