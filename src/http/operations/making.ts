// The one means that bounds long answers: permits to make them, and a count of the bytes that are being made, kept and read.
import { clientGone, tooBusy, type HttpError } from "../request/errors.ts";

/** Answers that are made at once. More would not end sooner, and hold more. */
const MAX_PERMITS = 4;
const MAX_PERMITS_OF_PROJECT = 2;
const MAX_WAITING = 256;
const MAX_WAITING_OF_PROJECT = 64;
const MAX_WAIT_MS = 5000;
/** The share of the bytes that one project may fill while it has something there already. */
const PROJECT_SHARE = 3 / 4;
/** Nothing announces that a client has read its answer: while a request waits, readers are checked at this interval. */
const RETRY_INTERVAL_MS = 50;
const TURN_MS = 3;

/** A request. Reading its signal takes a while, so it is read only when work turns out long. */
type Client = Pick<Request, "signal">;

interface Waiting {
  making: Making;
  bytes: number;
  resolve: () => void;
}

/** Permits to make long answers, in turn by project, and the bytes of all large answers. */
export class LargeAnswerLimiter {
  /** Drops kept answers that nobody reads, until there is room or none is left. */
  makeRoom: (hasRoom: () => boolean) => void = () => {};
  readonly #maxBytes: number;
  readonly #maxWaitMs: number;
  readonly #bytesOf = new Map<string, number>();
  /** Those that hold a permit, in the order in which they got it. */
  readonly #active = new Set<Making>();
  #queue: Waiting[] = [];
  #bytes = 0;
  #lastProject = "";
  #isGranting = false;
  #retry: Timer | undefined;

  constructor(maxBytes: number, maxWaitMs = MAX_WAIT_MS) {
    this.#maxBytes = maxBytes;
    this.#maxWaitMs = maxWaitMs;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  count(project: string, bytes: number): void {
    this.#bytes += bytes;
    const ofProject = (this.#bytesOf.get(project) ?? 0) + bytes;
    if (ofProject === 0) this.#bytesOf.delete(project);
    else this.#bytesOf.set(project, ofProject);
    if (bytes < 0) this.#grant();
  }

  /** Waits for a permit and for room, then counts the bytes. Throws 503 when that takes too long, 499 when the client leaves. */
  async enter(making: Making, bytes: number, client: Client): Promise<void> {
    const ofProject = this.#queue.filter((each) => each.making.project === making.project);
    if (this.#queue.length >= MAX_WAITING || ofProject.length >= MAX_WAITING_OF_PROJECT) throw tooBusy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { making, bytes, resolve };
    this.#queue.push(waiting);
    this.#grant();
    if (!this.#queue.includes(waiting)) return;
    const giveUp = (error: HttpError): void => {
      this.#queue = this.#queue.filter((each) => each !== waiting);
      reject(error);
    };
    const onAbort = (): void => giveUp(clientGone());
    const timer = setTimeout(() => giveUp(tooBusy()), this.#maxWaitMs);
    client.signal.addEventListener("abort", onAbort);
    if (client.signal.aborted) onAbort();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      client.signal.removeEventListener("abort", onAbort);
      this.#grant();
    }
  }

  /** True while what is counted is too much and another making, which began earlier, must end first. */
  mustWait(making: Making): boolean {
    const hasRoom = (): boolean => this.#bytes <= this.#maxBytes;
    if (!hasRoom()) this.makeRoom(hasRoom);
    const [oldest] = this.#active;
    return !hasRoom() && oldest !== making;
  }

  leave(making: Making): void {
    this.#active.delete(making);
    this.#grant();
  }

  #grant(): void {
    // To make room counts bytes, which comes back here.
    if (this.#isGranting) return;
    this.#isGranting = true;
    for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
      const { making, bytes, resolve } = next;
      this.#queue = this.#queue.filter((each) => each.making !== making);
      this.#active.add(making);
      this.#lastProject = making.project;
      this.count(making.project, bytes);
      resolve();
    }
    this.#isGranting = false;
    if (this.#queue.length > 0) {
      this.#retry ??= setInterval(() => this.#grant(), RETRY_INTERVAL_MS);
    } else {
      clearInterval(this.#retry);
      this.#retry = undefined;
    }
  }

  /** The next that may begin, of another project than the last one where there is one. */
  #findNext(): Waiting | undefined {
    const isSame = ({ making }: Waiting): boolean => making.project === this.#lastProject;
    const inTurn = [...this.#queue.filter((each) => !isSame(each)), ...this.#queue.filter(isSame)];
    return inTurn.find(({ making: { project }, bytes }) => this.#hasPermit(project) && this.#findRoom(project, bytes));
  }

  #hasPermit(project: string): boolean {
    const ofProject = [...this.#active].filter((making) => making.project === project);
    return this.#active.size < MAX_PERMITS && ofProject.length < MAX_PERMITS_OF_PROJECT;
  }

  /** An answer that is larger than all the room is made when nothing else is there; work that holds nothing needs none. */
  #findRoom(project: string, bytes: number): boolean {
    const hasRoom = (): boolean => {
      if (this.#bytes === 0 || bytes === 0) return true;
      const held = this.#bytesOf.get(project) ?? 0;
      const isShare = held === 0 || held + bytes <= this.#maxBytes * PROJECT_SHARE;
      return isShare && this.#bytes + bytes <= this.#maxBytes;
    };
    if (!hasRoom()) this.makeRoom(hasRoom);
    return hasRoom();
  }
}

/** The making of one answer. Short work needs no permit. Always call `end`. */
export class Making {
  readonly project: string;
  foundInCache = false;
  readonly #limits: LargeAnswerLimiter;
  readonly #client: Client;
  #hasPermit = false;
  #bytes = 0;
  #turnBeganAtMs = performance.now();

  constructor(limits: LargeAnswerLimiter, project: string, client: Client) {
    this.#limits = limits;
    this.project = project;
    this.#client = client;
  }

  /** Waits for a permit for long work that holds nothing yet. Throws 503, 499. */
  waitForPermit(): Promise<void> {
    return this.begin(0);
  }

  /** Waits for a permit, and for room for about `bytes`; with a permit, does as `hold`. Throws 503, 499. */
  async begin(bytes: number): Promise<void> {
    if (this.#hasPermit) return this.hold(bytes);
    await this.#limits.enter(this, bytes, this.#client);
    this.#hasPermit = true;
    this.#bytes = bytes;
    this.#turnBeganAtMs = performance.now();
  }

  /** Counts the bytes that it holds now. Waits while all that is counted is too much. Throws 503, 499. */
  async hold(bytes: number): Promise<void> {
    if (!this.#hasPermit) return this.begin(bytes);
    if (bytes <= this.#bytes) return;
    this.#limits.count(this.project, bytes - this.#bytes);
    this.#bytes = bytes;
    while (this.#limits.mustWait(this)) {
      await Bun.sleep(RETRY_INTERVAL_MS);
      this.stopIfGone();
    }
  }

  async pause(): Promise<void> {
    if (performance.now() - this.#turnBeganAtMs < TURN_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#turnBeganAtMs = performance.now();
    this.stopIfGone();
  }

  stopIfGone(): void {
    if (this.#client.signal.aborted) throw clientGone();
  }

  /** Gets a result that others may be making already. When their client leaves, or they fail or find nothing, it is made again. */
  async share<K, T>(pending: Map<K, Promise<T>>, key: K, make: () => Promise<T>): Promise<T> {
    for (let others = pending.get(key); others !== undefined; others = pending.get(key)) {
      const result = await others.catch(() => undefined);
      this.stopIfGone();
      if (result !== undefined) return result;
    }
    const own = make().finally(() => pending.delete(key));
    pending.set(key, own);
    return own;
  }

  end(): void {
    this.#limits.count(this.project, -this.#bytes);
    this.#bytes = 0;
    if (this.#hasPermit) this.#limits.leave(this);
    this.#hasPermit = false;
  }
}
