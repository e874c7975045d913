import { clientGone, tooBusy } from "../request/errors.ts";

/** What is asked of the budget. */
export interface Demand {
  /** Whose request it is: no project gets all of the room. */
  project: string;
  bytes: number;
  /** What it has reserved already. */
  heldBytes: number;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

export interface BudgetOptions {
  maxBytes: number;
  /** How many requests wait at once, at most, and how many of one project. */
  maxWaiting?: number;
  maxWaitingOfProject?: number;
  maxWaitMs?: number | undefined;
  /** Called when there is no room: gives up what nobody reads, until it is enough or nothing is left. */
  makeRoom?: (isEnough: () => boolean) => void;
}

/** The part that one project may fill while it has something in it already. */
const PROJECT_SHARE = 3 / 4;
/** Readers end without a word: while somebody waits, they are looked at so often. */
const RETRY_INTERVAL_MS = 50;

interface Ask extends Demand {
  takesTurn: boolean;
  /** Has the turn, so that others wait for its end. */
  isUrgent: boolean;
}

interface Waiting extends Ask {
  grant: (reservation: Reservation) => void;
}

/**
 * The room for large answers: of bytes that are made, kept, or waiting to be read. Whoever finds none waits, for a bounded
 * time and in a bounded queue. One answer that is larger than all of the room gets it alone.
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

  /** Reserves room. Throws 503 when there is none for too long, or too many wait already; 499 when the client goes. */
  async reserve(demand: Demand): Promise<Reservation> {
    return this.#enter({ ...demand, takesTurn: false, isUrgent: false });
  }

  /** The same at once or not at all. */
  tryReserve(demand: Demand): Reservation | undefined {
    return this.#queue.length === 0 && this.#findRoom(demand) ? this.count(demand.project, demand.bytes) : undefined;
  }

  /**
   * Reserves room for work that keeps the processor busy for long, and waits for its turn: one goes on at a time, so that
   * all else is served beside it. The turn ends with `endTurn`.
   */
  async takeTurn(demand: Demand): Promise<Reservation> {
    return this.#enter({ ...demand, takesTurn: true, isUrgent: false });
  }

  /** For the holder of a turn, before whom nobody else can end: waits in front of the queue. */
  async reserveMore(demand: Demand): Promise<Reservation> {
    return this.#enter({ ...demand, takesTurn: false, isUrgent: true });
  }

  /** Counts bytes that are there already, whether or not there is room. */
  count(project: string, bytes: number): Reservation {
    this.add(project, bytes);
    return new Reservation(this, project, bytes);
  }

  /** For reservations: counts more, or fewer, bytes of a project. */
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

  /** Gives room to those who wait, as long as one of them can start. */
  #grantNext(): void {
    // Making room gives some back, which calls this again.
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

  /** Who is next: another project than the last one, where one waits. Room is made for the first of them only. */
  #findNext(): Waiting | undefined {
    const [first] = this.#queue;
    if (first?.isUrgent === true && this.#canStart(first)) return first;
    const candidates = this.#queue.filter(
      (each) =>
        !(each.takesTurn && this.#isTurnTaken) &&
        // Else what is urgent might wait for room that its own project takes up again and again.
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

/** Bytes that are counted until it is released. */
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

  /** Counts so many bytes from now on, whether or not there is room. */
  resize(bytes: number): void {
    const grownBy = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#budget.add(this.project, grownBy);
  }

  release(): void {
    this.resize(0);
  }
}
