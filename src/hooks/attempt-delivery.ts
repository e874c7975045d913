import { signMessage } from "./hook-secret.ts";
import type { Hook, HookAttempt } from "./hook.ts";
import type { HookClock } from "./hook-clock.ts";
import type { Resolve } from "./post-message.ts";

/** From the look at the name to the end of the answer. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

export interface AttemptOptions {
  clock: HookClock;
  resolve?: Resolve | undefined;
  /** Ends the attempt before its time; what it gives then says nothing of the receiver. */
  signal?: AbortSignal | undefined;
}

/** An attempt, and when its receiver wants the next one: `Retry-After` as it came. */
export type AttemptResult = HookAttempt & { retryAfter: string | undefined };

/** Sends an event to its receiver, once. Never throws. */
export async function attemptDelivery(
  hook: Hook,
  { eventId, event, body }: Pick<HookAttempt, "eventId" | "event"> & { body: string },
  { clock, resolve, signal }: AttemptOptions,
): Promise<AttemptResult> {
  const sentAtMs = clock.now();
  const at = new Date(sentAtMs).toISOString();
  const { oldSecret } = hook;
  const secrets = oldSecret !== undefined && oldSecret.endsAt > at ? [hook.secret, oldSecret.secret] : [hook.secret];
  const end = new AbortController();
  const stopTimer = clock.startTimer(
    () => end.abort(new Error(`no answer within ${ATTEMPT_TIMEOUT_MS / 1000} s`)),
    ATTEMPT_TIMEOUT_MS,
  );
  const stop = (): void => end.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const headers = signMessage({ id: eventId, sentAtMs, body }, secrets);
  // What it needs of Node takes long to load, and few processes ever send.
  const { postMessage } = await import("./post-message.ts");
  const { status, fault, retryAfter } = await postMessage(hook, headers, body, { signal: end.signal, resolve });
  stopTimer();
  signal?.removeEventListener("abort", stop);
  return { eventId, event, at, durationMs: clock.now() - sentAtMs, status, fault, retryAfter };
}
