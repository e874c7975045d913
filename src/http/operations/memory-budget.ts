import { clientGone, tooBusy } from "../request/errors.ts";

/** A demand for room in the budget. */
export interface Demand {
  /** The project of the request: no project may take all of the room. */
  project: string;
  bytes: number;
  /** What the same work has reserved already. */
  heldBytes: number;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
}

export interface BudgetOptions {
  maxBytes: number;
  /** How many requests wait at once, at most, and how many of one project. */
  maxWaiting?: number;
  maxWaitingOfProject?: number;
  maxWaitMs?: number | undefined;
  /**
   * Called when there is no room: drops answers that no client is reading, until `isEnough` returns true or none is left.
   */
  makeRoom?: (isEnough: () => boolean) => void;
}

/** The share that one project may fill while it has something in the budget already. */
const PROJECT_SHARE = 3 / 4;
/** Nothing announces that a client has read its answer. While a request waits, readers are checked at this interval. */
const RETRY_INTERVAL_MS = 50;

interface Ask extends Demand {
  takesTurn: boolean;
  /** True for the holder of the turn, for whose end the others wait. */
  isUrgent: boolean;
}

interface Waiting extends Ask {
  grant: (reservation: Reservation) => void;
}

/**
 * The budget of memory for large answers: bytes that are being made, kept, or read. A request that finds no room waits, for
 * a bounded time and in a bounded queue. An answer that is larger than the whole budget is made when nothing else is in it.
 */
export class MemoryBudget {
  readonly #maxBytes: number;
  readonly #maxWaiting: number;
  readonly #maxWaitingOfProject: number;
  readonly #maxWaitMs: number;
  readonly #makeRoom: (isEnough: () => boolean) => void;
  readonly #usedBy = new Map<string, number>();
  #usedBytes = 0;
  #queue: Waiting[] = [];
  #isTurnTaken = false;
  #isGranting = false;
  #lastProject = "";
  #timer: Timer | undefined;

  constructor({
    maxBytes,
    maxWaiting = 256,
    maxWaitingOfProject = 64,
    maxWaitMs = 5000,
    makeRoom = () => {},
  }: BudgetOptions) {
    this.#maxBytes = maxBytes;
    this.#maxWaiting = maxWaiting;
    this.#maxWaitingOfProject = maxWaitingOfProject;
    this.#maxWaitMs = maxWaitMs;
    this.#makeRoom = makeRoom;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Reserves room. Throws 503 when there is none for too long, or too many wait already; 499 when the client disconnects.
   */
  async reserve(demand: Demand): Promise<Reservation> {
    return this.#enter({ ...demand, takesTurn: false, isUrgent: false });
  }

  /** Reserves room if it is free now; undefined when it is not. */
  tryReserve(demand: Demand): Reservation | undefined {
    return this.#queue.length === 0 && this.#findRoom(demand) ? this.count(demand.project, demand.bytes) : undefined;
  }

  /**
   * Reserves room for work that keeps the processor busy for long, and waits for its turn: one such work runs at a time, so
   * that other requests are answered meanwhile. The turn ends with `endTurn`.
   */
  async takeTurn(demand: Demand): Promise<Reservation> {
    return this.#enter({ ...demand, takesTurn: true, isUrgent: false });
  }

  /**
   * Reserves more room for the holder of the turn. It waits in front of all others, since none of them can start before it
   * ends.
   */
  async reserveMore(demand: Demand): Promise<Reservation> {
    return this.#enter({ ...demand, takesTurn: false, isUrgent: true });
  }

  /** Counts bytes that exist already, whether or not there is room for them. */
  count(project: string, bytes: number): Reservation {
    this.add(project, bytes);
    return new Reservation(this, project, bytes);
  }

  /** For reservations: adds to the bytes that are counted for a project, or subtracts from them. */
  add(project: string, bytes: number): void {
    this.#usedBytes += bytes;
    const used = (this.#usedBy.get(project) ?? 0) + bytes;
    if (used === 0) this.#usedBy.delete(project);
    else this.#usedBy.set(project, used);
    if (bytes < 0) this.#grantNext();
  }

  endTurn(): void {
    this.#isTurnTaken = false;
    this.#grantNext();
  }

  async #enter(demand: Ask): Promise<Reservation> {
    if (demand.signal.aborted) throw clientGone();
    if (this.#queue.length === 0 && this.#canStart(demand)) return this.#start(demand);
    const ofProject = this.#queue.filter(({ project }) => project === demand.project).length;
    if (this.#queue.length >= this.#maxWaiting || ofProject >= this.#maxWaitingOfProject) throw tooBusy();
    return this.#wait(demand);
  }

  async #wait(demand: Ask): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      const leave = (error: Error): void => {
        this.#queue = this.#queue.filter((other) => other !== waiting);
        finish();
        reject(error);
      };
      const onAbort = (): void => leave(clientGone());
      const timer = setTimeout(() => leave(tooBusy()), this.#maxWaitMs);
      const finish = (): void => {
        clearTimeout(timer);
        demand.signal.removeEventListener("abort", onAbort);
      };
      const waiting: Waiting = {
        ...demand,
        grant: (reservation) => {
          finish();
          resolve(reservation);
        },
      };
      demand.signal.addEventListener("abort", onAbort);
      if (demand.isUrgent) this.#queue.unshift(waiting);
      else this.#queue.push(waiting);
      this.#grantNext();
    });
  }

  /** Grants waiting demands, as long as one of them fits. */
  #grantNext(): void {
    // Dropping answers releases reservations, which calls this function again.
    if (this.#isGranting) return;
    this.#isGranting = true;
    for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
      const granted = next;
      this.#queue = this.#queue.filter((other) => other !== granted);
      granted.grant(this.#start(granted));
    }
    this.#isGranting = false;
    if (this.#queue.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else {
      this.#timer ??= setInterval(() => this.#grantNext(), RETRY_INTERVAL_MS);
    }
  }

  /**
   * The next demand that fits, preferably of another project than the last one. Answers are dropped only for the first
   * candidate.
   */
  #findNext(): Waiting | undefined {
    const [first] = this.#queue;
    if (first?.isUrgent === true && this.#canStart(first)) return first;
    const candidates = this.#queue.filter(
      (each) =>
        !(each.takesTurn && this.#isTurnTaken) &&
        // Otherwise an urgent demand might wait for room that other requests of its own project take again and again.
        !(first?.isUrgent === true && each.project === first.project),
    );
    const isOther = ({ project }: Demand): boolean => project !== this.#lastProject;
    const inOrder = [...candidates.filter(isOther), ...candidates.filter((each) => !isOther(each))];
    const [best] = inOrder;
    if (best !== undefined && this.#findRoom(best)) return best;
    return inOrder.find((each) => this.#hasRoom(each));
  }

  #canStart(demand: Ask): boolean {
    return !(demand.takesTurn && this.#isTurnTaken) && this.#findRoom(demand);
  }

  #findRoom(demand: Demand): boolean {
    if (!this.#hasRoom(demand)) this.#makeRoom(() => this.#hasRoom(demand));
    return this.#hasRoom(demand);
  }

  #hasRoom({ project, bytes, heldBytes }: Demand): boolean {
    if (this.#usedBytes <= heldBytes) return true;
    const ofProject = this.#usedBy.get(project) ?? 0;
    const isShare = ofProject <= heldBytes || ofProject + bytes <= this.#maxBytes * PROJECT_SHARE;
    return isShare && this.#usedBytes + bytes <= this.#maxBytes;
  }

  #start(demand: Ask): Reservation {
    if (demand.takesTurn) this.#isTurnTaken = true;
    this.#lastProject = demand.project;
    return this.count(demand.project, demand.bytes);
  }
}

/** Bytes that are counted until `release`. */
export class Reservation {
  readonly project: string;
  readonly #budget: MemoryBudget;
  #bytes: number;

  constructor(budget: MemoryBudget, project: string, bytes: number) {
    this.#budget = budget;
    this.project = project;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Sets the number of bytes, whether or not there is room for them. */
  resize(bytes: number): void {
    const grownBy = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#budget.add(this.project, grownBy);
  }

  release(): void {
    this.resize(0);
  }
}
