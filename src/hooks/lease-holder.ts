import { ATTEMPT_TIMEOUT_MS } from "./attempt-delivery.ts";
import type { HookClock } from "./hook-clock.ts";
import type { Outbox } from "./hook.ts";

/** So soon another server goes on when the one that delivers was killed. */
export const LEASE_MS = 30_000;
/** An attempt that begins must end before the lease does: else two servers could send to one hook, in either order. */
const MIN_REST_MS = ATTEMPT_TIMEOUT_MS + 5000;

/** The lease of one server, as far as it knows. */
export class LeaseHolder {
  readonly holder: string;
  readonly #outbox: Outbox;
  readonly #clock: HookClock;
  /** By this server's clock, from before it was asked for: never later than the database thinks. */
  #endsAtMs = -Infinity;
  #taking: Promise<boolean> | undefined;

  constructor(outbox: Outbox, holder: string, clock: HookClock) {
    this.#outbox = outbox;
    this.holder = holder;
    this.#clock = clock;
  }

  /** Makes sure of the lease for as long as an attempt takes. False while another server has it. */
  async hold(): Promise<boolean> {
    const restMs = this.#endsAtMs - this.#clock.now();
    // More than a whole lease is left only when the clock was set back.
    if (restMs >= MIN_REST_MS && restMs <= LEASE_MS) return true;
    // Many hooks ask at once.
    this.#taking ??= this.#take().finally(() => (this.#taking = undefined));
    return this.#taking;
  }

  /** Lets another server have it at once. */
  async giveBack(): Promise<void> {
    if (this.#endsAtMs === -Infinity) return;
    this.#endsAtMs = -Infinity;
    await this.#outbox.releaseLease(this.holder);
  }

  /** Asks the database again before the next attempt. */
  forget(): void {
    this.#endsAtMs = -Infinity;
  }

  async #take(): Promise<boolean> {
    const askedAtMs = this.#clock.now();
    const isTaken = await this.#outbox.takeLease(this.holder, LEASE_MS);
    this.#endsAtMs = isTaken ? askedAtMs + LEASE_MS : -Infinity;
    return isTaken;
  }
}
