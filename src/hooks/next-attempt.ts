import type { Hook, HookEvent, HookProgress } from "./hook.ts";
import type { PostResult } from "./post-message.ts";

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 3_600_000;
const GIVE_UP_MS = 86_400_000;
/** Delays vary at random by up to this fraction. */
const JITTER = 0.25;
/** The longest delay; a stored time beyond it comes from a clock that was ahead. */
export const LONGEST_DELAY_MS = MAX_DELAY_MS * (1 + JITTER);
/** The receiver is gone for good (RFC 9110 §15.5.11). */
const GONE = 410;
/** Statuses with a meaningful `Retry-After` (RFC 6585 §4, RFC 9110 §15.6.4). */
const BUSY: (number | undefined)[] = [429, 503];

const HEALTHY = {
  failures: 0,
  failingSince: undefined,
  lastFault: undefined,
  nextAttemptAt: "",
  pausedAt: undefined,
  pauseReason: undefined,
};

/**
 * Returns the state after an attempt. Retries follow after 1, 2, 4 seconds, doubling to an hour, ± 25 %; `Retry-After`
 * extends a delay by up to an hour. A webhook that fails for a day or answers 410 is paused. `random` is from 0 to 1.
 */
export function toProgress(
  { lastPublication, failures, failingSince }: Hook,
  { publicationId }: HookEvent,
  { fault, status, retryAfter = "" }: PostResult,
  nowMs: number,
  random: number,
): HookProgress {
  const now = new Date(nowMs).toISOString();
  if (fault === undefined) return { ...HEALTHY, lastPublication: publicationId };
  // A failure in the future comes from a clock that was ahead.
  const since = failingSince !== undefined && failingSince <= now ? failingSince : now;
  const hasFailedLong = nowMs - Date.parse(since) >= GIVE_UP_MS;
  const pauseReason = status === GONE ? "answered 410" : hasFailedLong ? "failed for a day" : undefined;
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (1 - JITTER + 2 * JITTER * random);
  const wantedDelayMs = BUSY.includes(status) ? Math.min(MAX_DELAY_MS, parseRetryAfter(retryAfter, nowMs)) : 0;
  return {
    lastPublication,
    failures: failures + 1,
    failingSince: since,
    lastFault: status === undefined ? fault : `${status}, ${fault}`,
    nextAttemptAt: new Date(nowMs + Math.max(delayMs, wantedDelayMs)).toISOString(),
    pausedAt: pauseReason && now,
    pauseReason,
  };
}

/** Milliseconds from now; 0 for text that is neither seconds nor a date (RFC 9110 §10.2.3). */
function parseRetryAfter(text: string, nowMs: number): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}
