// Sends requests, retries them, and reads envelopes.
import { CatalogError } from "./catalog-error.ts";
import type { CatalogClientOptions, RequestOptions } from "./client-options.ts";
import { pause } from "./pause.ts";
import { readEnvelope } from "./read-envelope.ts";

/** An answer: the `data` of its envelope and the headers that lists and releases need. */
export interface Answer {
  data: unknown;
  link: string | null;
  release: string | null;
  /** True if the service answered 304. Some proxies remove `Catalog-Release` and `Link` from a 304. */
  isKept: boolean;
}

/** `isAnew` requests the answer even if it is cached. */
export type Get = (url: string, options: RequestOptions | undefined, isAnew?: boolean) => Promise<Answer>;

/** Creates a function that fetches a URL and rejects with a CatalogError or the signal's reason. */
export function createGetter(
  { cache, retries = 3, timeoutMs = 30_000, ...options }: CatalogClientOptions,
  headers: Record<string, string>,
): Get {
  const send = options.fetch ?? fetch;

  const tryOnce = async (url: string, signal: AbortSignal | undefined, isAnew: boolean): Promise<Answer | Refusal> => {
    const known = isAnew ? undefined : await cache?.get(url);
    const conditional = known === undefined ? headers : { ...headers, "if-none-match": known.etag };
    const timeout = AbortSignal.timeout(timeoutMs);
    const ending = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    // Do not follow redirects: that would send the key to another address.
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
    // Take the release from this answer even if its body is cached: several releases can have the same content.
    return {
      data: envelope.data,
      link: link ?? (isKept ? (known.link ?? null) : null),
      release: response.headers.get("catalog-release"),
      isKept,
    };
  };

  return async (url, { signal } = {}, isAnew = false) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await tryOnce(url, signal, isAnew).catch((cause: unknown): Refusal => {
        signal?.throwIfAborted();
        // A custom `fetch` throws a CatalogError to prevent retries.
        if (cause instanceof CatalogError) throw cause;
        const reason = cause instanceof Error ? cause.message : String(cause);
        // Remove the question that Bun appends, such as "Is the computer able to access the url?".
        const message = `${new URL(url).host} cannot be reached: ${reason.replace(/\.? (?:Is|Was) [^?]*\?.*$/s, "")}`;
        return { error: new CatalogError(0, message, { cause, url }), isTransient: true, waitMs: undefined };
      });
      if (!("error" in answer)) return answer;
      if (!answer.isTransient || attempt > retries) throw answer.error;
      // The delay doubles each time. Jitter keeps clients from retrying together.
      await pause(answer.waitMs ?? 250 * 2 ** attempt * (0.5 + Math.random()), signal);
    }
  };
}

/** A failed attempt; `isTransient` allows a retry, after `waitMs` if known. */
interface Refusal {
  error: CatalogError;
  isTransient: boolean;
  waitMs: number | undefined;
}

const TRANSIENT = [429, 502, 503, 504];
/** The longest delay to wait for; if the service asks for a longer one, the request fails at once. */
const MAX_WAIT_MS = 60_000;

function toRefusal(url: string, response: Response, given: string | undefined): Refusal {
  const { status } = response;
  const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304);
  const message = isRedirect
    ? `The service redirects${describeTarget(response)}: set baseUrl to a URL that does not redirect`
    : status === 304
      ? "The service answered 304 to a request without If-None-Match; is a cache in front of it broken?"
      : given ||
        `The service answered ${status}${TRANSIENT.includes(status) ? "" : " without an envelope: is baseUrl correct?"}`;
  const retryAfter = response.headers.get("retry-after");
  // `Retry-After` is a number of seconds or a date (RFC 9110 §10.2.3).
  const seconds = retryAfter === null ? NaN : Number(retryAfter);
  const waitMs = Number.isNaN(seconds) ? Date.parse(retryAfter ?? "") - Date.now() : seconds * 1000;
  const isTransient = TRANSIENT.includes(status) && !(waitMs > MAX_WAIT_MS);
  return {
    error: new CatalogError(status, message, { url }),
    isTransient,
    waitMs: Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs),
  };
}

function describeTarget(response: Response): string {
  const target = response.headers.get("location");
  return target === null ? "" : ` to ${target}`;
}
