// When a hook that fails is tried again, and when no more.
import type { AttemptResult } from "./attempt-delivery.ts";
import type { Hook, HookEvent, HookProgress } from "./hook.ts";

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 3_600_000;
const GIVE_UP_MS = 86_400_000;
/** Between which parts of a delay chance chooses. */
const [LEAST_PART, MOST_PART] = [0.75, 1.25];
/** No attempt is ever put off for longer; a later time comes from a clock that was ahead. */
export const LONGEST_DELAY_MS = MAX_DELAY_MS * MOST_PART;
/** The receiver says that nothing will ever be there again (RFC 9110, section 15.5.11). */
const GONE = 410;
/** With these `Retry-After` says when the receiver has time again (RFC 6585, section 4; RFC 9110, section 15.6.4). */
const BUSY = [429, 503];

/**
 * What an attempt makes of a hook: 1, 2, 4 seconds after a failure, doubling to an hour, a quarter more or less; later where the
 * receiver says so, by an hour at most. A hook that fails for a day, or answers 410, is paused at that event. `random` is from
 * 0 to 1.
 */
export function toProgress(
  { lastPublication, failures, failingSince }: Hook,
  { publicationId }: Pick<HookEvent, "publicationId">,
  { fault, status, retryAfter }: Pick<AttemptResult, "fault" | "status" | "retryAfter">,
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
  // Nothing has failed in the future: a clock was ahead.
  const since = failingSince !== undefined && failingSince <= now ? failingSince : now;
  const hasFailedLong = nowMs - Date.parse(since) >= GIVE_UP_MS;
  const reason = status === GONE ? "answered 410" : hasFailedLong ? "failed for a day" : undefined;
  const ownDelayMs =
    Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 20)) *
    (LEAST_PART + random * (MOST_PART - LEAST_PART));
  const wantedDelayMs = BUSY.includes(status ?? 0) ? parseRetryAfter(retryAfter ?? "", nowMs) : 0;
  const delayMs = Math.max(ownDelayMs, Math.min(MAX_DELAY_MS, wantedDelayMs));
  return {
    lastPublication,
    failures: failures + 1,
    failingSince: since,
    nextAttemptAt: new Date(nowMs + delayMs).toISOString(),
    paused: reason && { at: now, reason },
  };
}

/** Milliseconds from now. 0 for a text that is neither seconds nor a date (RFC 9110, section 10.2.3). */
function parseRetryAfter(text: string, nowMs: number): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}
