// Sends requests, again where that may help, and reads envelopes.
import { CatalogError } from "./catalog-error.ts";
import type { CatalogClientOptions, RequestOptions } from "./client-options.ts";
import { pause } from "./pause.ts";
import { readEnvelope } from "./read-envelope.ts";

/** An answer that was read: the `data` of its envelope, and the headers that lists and releases need. */
export interface Answer {
  data: unknown;
  link: string | null;
  release: string | null;
}

export type Get = (url: string, options: RequestOptions | undefined) => Promise<Answer>;

/** Gives a function that reads a URL. It rejects with a CatalogError, or with the reason of the caller's signal. */
export function createGetter(
  { cache, retries = 3, timeoutMs = 30_000, ...options }: CatalogClientOptions,
  headers: Record<string, string>,
): Get {
  const send = options.fetch ?? fetch;

  const tryOnce = async (url: string, signal: AbortSignal | undefined): Promise<Answer | Refusal> => {
    const known = await cache?.get(url);
    const conditional = known === undefined ? headers : { ...headers, "if-none-match": known.etag };
    // A redirect would take the key along.
    const timeout = AbortSignal.timeout(timeoutMs);
    const ending = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const response = await send(url, { headers: conditional, redirect: "manual", signal: ending });
    const body = await response.text();
    const isKept = response.status === 304 && known !== undefined;
    const envelope = readEnvelope(isKept ? known.body : body);
    if (!(isKept || response.status === 200) || envelope?.data === undefined) {
      return toRefusal(url, response, envelope?.message);
    }
    const etag = response.headers.get("etag");
    const link = response.headers.get("link");
    if (!isKept && etag !== null) await cache?.set(url, { etag, body, link });
    // Of this answer, also where its body is an earlier one's: another release may have the same content.
    return {
      data: envelope.data,
      link: link ?? (isKept ? (known.link ?? null) : null),
      release: response.headers.get("catalog-release"),
    };
  };

  return async (url, { signal } = {}) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await tryOnce(url, signal).catch((cause: unknown): Refusal => {
        signal?.throwIfAborted();
        // A `fetch` of the caller's own refuses what it does not want.
        if (cause instanceof CatalogError) throw cause;
        const reason = cause instanceof Error ? cause.message : String(cause);
        // Bun asks whether the computer has a network.
        const message = `${new URL(url).host} cannot be reached: ${reason.replace(/\.? (?:Is|Was) [^?]*\?.*$/s, "")}`;
        return { error: new CatalogError(0, message, { cause, url }), isPassing: true, waitMs: undefined };
      });
      if (!("error" in answer)) return answer;
      if (!answer.isPassing || attempt > retries) throw answer.error;
      // Twice as long each time, and never the same: clients that fail together do not come back together.
      await pause(answer.waitMs ?? 250 * 2 ** attempt * (0.5 + Math.random()), signal);
    }
  };
}

/** Why there is no answer; `isPassing` where asking again may help, after `waitMs` milliseconds if that is known. */
interface Refusal {
  error: CatalogError;
  isPassing: boolean;
  waitMs: number | undefined;
}

const PASSING = [429, 502, 503, 504];
/** A service that wants to be left alone for longer is told of by the error. */
const MAX_WAIT_MS = 60_000;

function toRefusal(url: string, response: Response, given: string | undefined): Refusal {
  const { status } = response;
  const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304);
  const message = isRedirect
    ? `The service redirects${describeTarget(response)}; give that address as baseUrl`
    : status === 304
      ? "The service answered 304 to a request without If-None-Match; is a cache in front of it broken?"
      : given ||
        `The service answered ${status}${PASSING.includes(status) ? "" : " without an envelope: is baseUrl its address?"}`;
  const retryAfter = response.headers.get("retry-after");
  // Seconds, or a date (RFC 9110, section 10.2.3).
  const seconds = retryAfter === null ? NaN : Number(retryAfter);
  const waitMs = Number.isNaN(seconds) ? Date.parse(retryAfter ?? "") - Date.now() : seconds * 1000;
  const isPassing = PASSING.includes(status) && !(waitMs > MAX_WAIT_MS);
  return {
    error: new CatalogError(status, message, { url }),
    isPassing,
    waitMs: Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs),
  };
}

function describeTarget(response: Response): string {
  const target = response.headers.get("location");
  return target === null ? "" : ` to ${target}`;
}
