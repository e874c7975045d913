// When a hook that fails is tried again, and when no more.
import type { Hook, HookAttempt, HookEvent, HookProgress } from "./hook.ts";

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 3_600_000;
const GIVE_UP_MS = 86_400_000;
/** The receiver says that nothing will ever be there again (RFC 9110, section 15.5.11). */
const GONE = 410;

/**
 * What an attempt makes of a hook: 1, 2, 4 seconds after a failure, doubling to an hour, a quarter more or less. A hook that
 * fails for a day, or answers 410, is paused at that event. `random` is from 0 to 1.
 */
export function toProgress(
  { lastPublication, failures, failingSince }: Hook,
  { publicationId }: Pick<HookEvent, "publicationId">,
  { fault, status }: HookAttempt,
  nowMs: number,
  random: number,
): HookProgress {
  if (fault === undefined) {
    return {
      lastPublication: publicationId,
      failures: 0,
      failingSince: undefined,
      nextAttemptAt: "",
      paused: undefined,
    };
  }
  const now = new Date(nowMs).toISOString();
  const since = failingSince ?? now;
  const hasFailedLong = nowMs - Date.parse(since) >= GIVE_UP_MS;
  const reason = status === GONE ? "answered 410" : hasFailedLong ? "failed for a day" : undefined;
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 20)) * (0.75 + random / 2);
  return {
    lastPublication,
    failures: failures + 1,
    failingSince: since,
    nextAttemptAt: new Date(nowMs + delayMs).toISOString(),
    paused: reason && { at: now, reason },
  };
}
