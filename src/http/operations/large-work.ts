import { clientGone } from "../request/errors.ts";
import type { MemoryBudget, Reservation } from "./memory-budget.ts";

/** Work that had room for so much leaves some of it behind, and twice as much beside it: a collection takes 10 ms. */
const MIN_GARBAGE_BYTES = 16 * 1024 * 1024;

/**
 * Work for one answer that may turn out large: waits for its turn and for room in the budget, and ends early when its client
 * has gone. An answer that stays small asks for neither. To be ended with `end`, also after a failure.
 */
export class LargeWork {
  readonly #budget: MemoryBudget;
  readonly #project: string;
  readonly #request: Request;
  #reservation: Reservation | undefined;
  #hasTurn = false;
  #mostBytes = 0;

  constructor(budget: MemoryBudget, project: string, request: Request) {
    this.#budget = budget;
    this.#project = project;
    this.#request = request;
  }

  /** Waits for a turn, with room for `bytes`; one that it has already goes on. Throws 503, 499. */
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

  /** Takes room for `bytes` in all if it is there at once. */
  tryRequire(bytes: number): boolean {
    const missing = bytes - this.#bytes;
    if (missing <= 0) return true;
    const reservation = this.#budget.tryReserve(this.#demand(missing));
    if (reservation !== undefined) this.#merge(reservation);
    return reservation !== undefined;
  }

  /** Lets other requests come first, then goes on. Throws 499 when the client has gone. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.stopIfGone();
  }

  /** Throws 499 when the client has gone. */
  stopIfGone(): void {
    if (this.#request.signal.aborted) throw clientGone();
  }

  /** Hands over the room for `bytes`, which stays reserved after the end. */
  keep(bytes: number): Reservation {
    const reservation = this.#reservation ?? this.#budget.count(this.#project, 0);
    this.#reservation = undefined;
    reservation.resize(bytes);
    return reservation;
  }

  end(): void {
    this.#reservation?.release();
    this.#reservation = undefined;
    // The collector does not hurry for a heap that is small; what one answer left is there while the next one is made.
    if (this.#mostBytes >= MIN_GARBAGE_BYTES) Bun.gc(true);
    if (this.#hasTurn) this.#budget.endTurn();
    this.#hasTurn = false;
  }

  get #bytes(): number {
    return this.#reservation?.bytes ?? 0;
  }

  #demand(bytes: number) {
    return { project: this.#project, bytes, heldBytes: this.#bytes, signal: this.#request.signal };
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
