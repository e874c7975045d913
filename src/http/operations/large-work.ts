import { clientGone } from "../request/errors.ts";
import type { MemoryBudget, Reservation } from "./memory-budget.ts";

/** Work that reserved this much leaves a multiple of it as garbage, so a collection, which takes 10 ms, pays. */
const MIN_GARBAGE_BYTES = 16 * 1024 * 1024;

/** Who waits for an answer: a request. Its signal, which takes a while to make, is asked for when work turns out large. */
export interface Client {
  /** Aborted when the client has disconnected, also before it was asked for. */
  readonly signal: AbortSignal;
}

/**
 * Work for one answer that may turn out large. It waits for its turn and for room in the budget, and stops when its client
 * has disconnected. A small answer needs neither. Call `end` in any case, also after a failure.
 */
export class LargeWork {
  readonly #budget: MemoryBudget;
  readonly #project: string;
  readonly #client: Client;
  #reservation: Reservation | undefined;
  #hasTurn = false;
  #mostBytes = 0;

  constructor(budget: MemoryBudget, project: string, client: Client) {
    this.#budget = budget;
    this.#project = project;
    this.#client = client;
  }

  /** Waits for a turn and for room for `bytes`; a turn that it has already goes on. Throws 503, 499. */
  async begin(bytes: number): Promise<void> {
    if (this.#hasTurn) return this.require(bytes);
    const reservation = await this.#budget.takeTurn(this.#demand(bytes));
    this.#hasTurn = true;
    this.#merge(reservation);
  }

  /** Waits until it has room for `bytes` in all. Throws 503, 499. */
  async require(bytes: number): Promise<void> {
    const missing = bytes - this.#bytes;
    if (missing <= 0) return;
    const demand = this.#demand(missing);
    this.#merge(await (this.#hasTurn ? this.#budget.reserveMore(demand) : this.#budget.reserve(demand)));
  }

  /** Reserves room for `bytes` in all if that is free now. False when it is not. */
  tryRequire(bytes: number): boolean {
    const missing = bytes - this.#bytes;
    if (missing <= 0) return true;
    const reservation = this.#budget.tryReserve(this.#demand(missing));
    if (reservation !== undefined) this.#merge(reservation);
    return reservation !== undefined;
  }

  /** Lets other requests run, then goes on. Throws 499 when the client has disconnected. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.stopIfGone();
  }

  /** Throws 499 when the client has disconnected. */
  stopIfGone(): void {
    if (this.#client.signal.aborted) throw clientGone();
  }

  /** Returns a reservation of `bytes` that outlives this work. */
  keep(bytes: number): Reservation {
    const reservation = this.#reservation ?? this.#budget.count(this.#project, 0);
    this.#reservation = undefined;
    reservation.resize(bytes);
    return reservation;
  }

  end(): void {
    this.#reservation?.release();
    this.#reservation = undefined;
    // The garbage collector runs late while the heap is small: the garbage of one answer would still be there while the
    // next is made.
    if (this.#mostBytes >= MIN_GARBAGE_BYTES) Bun.gc(true);
    if (this.#hasTurn) this.#budget.endTurn();
    this.#hasTurn = false;
  }

  get #bytes(): number {
    return this.#reservation?.bytes ?? 0;
  }

  #demand(bytes: number) {
    return { project: this.#project, bytes, heldBytes: this.#bytes, signal: this.#client.signal };
  }

  #merge(reservation: Reservation): void {
    const { bytes } = reservation;
    if (this.#reservation === undefined) {
      this.#reservation = reservation;
    } else {
      reservation.release();
      this.#reservation.resize(this.#reservation.bytes + bytes);
    }
    this.#mostBytes = Math.max(this.#mostBytes, this.#bytes);
  }
}
