// Limits large answers: their number by permits, and their memory by counting the bytes generated, cached and sent.
import { clientGone, isClientGone, tooBusy, type HttpError } from "../request/errors.ts";

/** The maximum number of long answers made at once. More would not finish sooner but would use more memory. */
const MAX_PERMITS = 4;
const MAX_PERMITS_OF_PROJECT = 2;
const MAX_WAITING = 256;
const MAX_WAITING_OF_PROJECT = 64;
/** What a waiting request has read counts as so many more requests: bytes for each. */
const BYTES_PER_WAITING = 512 * 1024;
const MAX_WAIT_MS = 5000;
/** The share of memory that one project's answers can use. The project's first answer can exceed it. */
const PROJECT_SHARE = 3 / 4;
/** Readers are polled while a request waits: no event reports that a client has read its answer. */
const RETRY_INTERVAL_MS = 50;
/** The garbage of large answers that is collected at once: the engine would let hundreds of megabytes gather. */
const MAX_GARBAGE_BYTES = 64 * 1024 * 1024;
/** One project's share of a turn of the event loop. */
const TURN_MS = 3;

/** The client's request. Reading `signal` is slow, so only long work reads it. */
type Client = Pick<Request, "signal">;

interface Held {
  bytes: number;
  /** What the request has read before it waits. */
  readBytes: number;
  needsPermit: boolean;
}

interface Waiting {
  work: AnswerWork;
  bytes: number;
  needsPermit: boolean;
  /** As how many waiting requests it counts. */
  weight: number;
  resolve: () => void;
}

/** Grants permits for long answers, in turn by project, and counts the bytes of all large answers. */
export class LargeAnswerLimiter {
  /** Drops cached answers without readers, of one project if given, until enough memory is free. */
  makeRoom: (hasRoom: () => boolean, project?: string) => void = () => {};
  readonly #maxBytes: number;
  readonly #maxWaitMs: number;
  readonly #bytesOf = new Map<string, number>();
  /** Permit holders, in the order of their permits. */
  readonly #active = new Set<AnswerWork>();
  /** The time when each project's work began in this turn of the event loop. */
  readonly #turns = new Map<string, number>();
  #queue: Waiting[] = [];
  #bytes = 0;
  /** The bytes freed since the last garbage collection started here. */
  #freedBytes = 0;
  readonly #grants = new Map<string, number>();
  #granted = 0;
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
    if (bytes >= 0) return;
    this.#noteGarbage(-bytes);
    this.#grant();
  }

  #noteGarbage(bytes: number): void {
    this.#freedBytes += bytes;
    if (this.#freedBytes < MAX_GARBAGE_BYTES) return;
    this.#freedBytes = 0;
    Bun.gc(false);
  }

  /** Returns true once a project has used its share of this turn of the event loop. The first call starts its share. */
  hasHadTurn(project: string): boolean {
    const beganAtMs = this.#turns.get(project);
    if (beganAtMs !== undefined) return performance.now() - beganAtMs > TURN_MS;
    this.#turns.set(project, performance.now());
    setImmediate(() => this.#turns.delete(project));
    return false;
  }

  /** Waits for a permit and memory, then counts the bytes. Throws 503 (the server is busy) or 499 (the client left). */
  async enter(work: AnswerWork, client: Client, { bytes, needsPermit, readBytes }: Held): Promise<void> {
    const weigh = (queue: Waiting[]): number => queue.reduce((sum, { weight }) => sum + weight, 0);
    // Others' requests must not keep a project's only one out.
    const most = weigh(this.#queue) < MAX_WAITING ? MAX_WAITING_OF_PROJECT : 1;
    if (weigh(this.#queue.filter((each) => each.work.project === work.project)) >= most) {
      this.#noteGarbage(readBytes);
      throw tooBusy();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const weight = 1 + Math.floor(readBytes / BYTES_PER_WAITING);
    const waiting: Waiting = { work, bytes, needsPermit, weight, resolve };
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

  /** Returns true while the memory limit is exceeded and an earlier permit holder must finish first. */
  mustWait(work: AnswerWork): boolean {
    const hasRoom = (): boolean => this.#bytes <= this.#maxBytes;
    if (!hasRoom()) this.makeRoom(hasRoom);
    const [oldest] = this.#active;
    return !hasRoom() && oldest !== work;
  }

  leave(work: AnswerWork): void {
    this.#active.delete(work);
    this.#grant();
  }

  #grant(): void {
    // Freeing memory calls `count`, which would call this function again.
    if (this.#isGranting) return;
    this.#isGranting = true;
    try {
      for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
        const { work, bytes, needsPermit, resolve } = next;
        this.#queue = this.#queue.filter((each) => each.work !== work);
        if (needsPermit) this.#active.add(work);
        this.#grants.set(work.project, ++this.#granted);
        this.count(work.project, bytes);
        resolve();
      }
    } finally {
      this.#isGranting = false;
    }
    if (this.#queue.length > 0) {
      this.#retry ??= setInterval(() => this.#grant(), RETRY_INTERVAL_MS);
    } else {
      clearInterval(this.#retry);
      this.#retry = undefined;
    }
  }

  /** Finds the next answer to start, of the project whose last answer started first. */
  #findNext(): Waiting | undefined {
    const lastGrant = ({ work }: Waiting): number => this.#grants.get(work.project) ?? 0;
    const inTurn = this.#queue.toSorted((a, b) => lastGrant(a) - lastGrant(b));
    let canDrop = true;
    return inTurn.find(({ work: { project }, bytes, needsPermit }) => {
      if (needsPermit && !this.#hasPermit(project)) return false;
      const hasRoom = (): boolean => this.#hasRoom(project, bytes);
      // If dropping does not help the first request, nothing is left to drop for the others.
      if (canDrop && !hasRoom()) {
        const isInShare = (): boolean => this.#isInShare(project, bytes);
        if (!isInShare()) this.makeRoom(isInShare, project);
        if (isInShare() && !hasRoom()) this.makeRoom(hasRoom);
      }
      canDrop = false;
      return hasRoom();
    });
  }

  #hasPermit(project: string): boolean {
    const ofProject = [...this.#active].filter((work) => work.project === project);
    return this.#active.size < MAX_PERMITS && ofProject.length < MAX_PERMITS_OF_PROJECT;
  }

  /** Returns true if there is room for the bytes. An answer larger than the limit is made alone. */
  #hasRoom(project: string, bytes: number): boolean {
    if (this.#bytes === 0 || bytes === 0) return true;
    const share = this.#maxBytes * PROJECT_SHARE;
    // What a project holds above its share, until the slowest client has read it, must not take the rest from others.
    const shared = this.#bytesOf.values().reduce((sum, each) => sum + Math.min(each, share), 0);
    return this.#isInShare(project, bytes) && shared + bytes <= this.#maxBytes;
  }

  #isInShare(project: string, bytes: number): boolean {
    const held = this.#bytesOf.get(project) ?? 0;
    return held === 0 || held + bytes <= this.#maxBytes * PROJECT_SHARE;
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Tracks the work on one answer. Short work needs no permit. Callers must call `end`. */
export class AnswerWork {
  readonly project: string;
  foundInCache = false;
  readonly #limits: LargeAnswerLimiter;
  readonly #client: Client;
  #hasPermit = false;
  #bytes = 0;
  #checkedAtMs = performance.now();

  constructor(limits: LargeAnswerLimiter, project: string, client: Client) {
    this.#limits = limits;
    this.project = project;
    this.#client = client;
  }

  /**
   * Counts the largest `bytes` passed so far; pass 0 for long work that holds few bytes. The first call waits for a
   * permit and memory; later calls wait while the total exceeds the limit. A stored body that is sent as it is needs no
   * permit, and does not wait for long work. The more `readBytes` are in memory already, the fewer requests can wait.
   * Throws 503 or 499.
   */
  async hold(bytes: number, { readBytes = 0, needsPermit = true } = {}): Promise<void> {
    if (!this.#hasPermit) {
      // Work that waits for a permit must not hold memory that permit holders need.
      this.#free();
      await this.#limits.enter(this, this.#client, { bytes, readBytes, needsPermit });
      this.#hasPermit = needsPermit;
      this.#bytes = bytes;
      return this.pause();
    }
    if (bytes <= this.#bytes) return;
    this.#limits.count(this.project, bytes - this.#bytes);
    this.#bytes = bytes;
    while (this.#limits.mustWait(this)) {
      await Bun.sleep(RETRY_INTERVAL_MS);
      this.stopIfGone();
    }
  }

  /** Waits for a later turn of the event loop if the project has used its share of this one. Throws 499. */
  async pause(): Promise<void> {
    if (!this.hasHadTurn && performance.now() - this.#checkedAtMs < TURN_MS) return;
    while (this.hasHadTurn) await nextTurn();
    this.#checkedAtMs = performance.now();
    this.stopIfGone();
  }

  get hasHadTurn(): boolean {
    return this.#limits.hasHadTurn(this.project);
  }

  stopIfGone(): void {
    if (this.#client.signal.aborted) throw clientGone();
  }

  /**
   * Shares the value that another request makes, or its error. Makes the value itself if there is no such request
   * or its client leaves.
   */
  async share<K, T>(pending: Map<K, Promise<T>>, key: K, make: () => Promise<T>): Promise<T> {
    for (let others = pending.get(key); others !== undefined; others = pending.get(key)) {
      try {
        const value = await others;
        // Sending a large answer takes milliseconds, and all that waited would send it in the same turn.
        await nextTurn();
        await this.pause();
        return value;
      } catch (error) {
        this.stopIfGone();
        if (!isClientGone(error)) throw error;
      }
    }
    const own = make().finally(() => pending.delete(key));
    pending.set(key, own);
    return own;
  }

  #free(): void {
    this.#limits.count(this.project, -this.#bytes);
    this.#bytes = 0;
  }

  end(): void {
    this.#free();
    if (this.#hasPermit) this.#limits.leave(this);
    this.#hasPermit = false;
  }
}
