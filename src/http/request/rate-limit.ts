// Rate limits per key or address: GCRA, a leaky bucket that stores one number per client.
import { isIPv6 } from "node:net";
import { HttpError } from "./errors.ts";

/** Allows a burst of `requests`, and then one request every `seconds / requests` seconds. */
export interface Rate {
  requests: number;
  seconds: number;
}

/** A client's remaining quota, for the header fields. */
export interface Quota {
  isExceeded: boolean;
  remaining: number;
  /** The time until the full quota is available. */
  resetSeconds: number;
  /** The time until the next request is allowed; 0 if it is allowed now. */
  retrySeconds: number;
}

/** Limits memory: each client takes 100 bytes. Evicting the client that has been idle longest resets its quota. */
const MAX_CLIENTS = 20_000;

export class RateLimit {
  readonly name: string;
  readonly #rate: Rate;
  readonly #intervalMs: number;
  readonly #now: () => number;
  /** The time when each client has its full quota again, ordered by the clients' last requests. */
  readonly #fullAtMs = new Map<string, number>();

  /** `now` must be a monotonic clock. */
  constructor(name: string, rate: Rate, now: () => number) {
    this.name = name;
    this.#rate = rate;
    this.#intervalMs = (rate.seconds * 1000) / rate.requests;
    this.#now = now;
  }

  take(client: string): RateUse {
    return { limit: this, client, quota: this.#count(client) };
  }

  #count(client: string): Quota {
    const nowMs = this.#now();
    const fullAtMs = Math.max(nowMs, this.#fullAtMs.get(client) ?? 0) + this.#intervalMs;
    const excessMs = fullAtMs - nowMs - this.#rate.seconds * 1000;
    // Ignore rounding errors of less than half a millisecond.
    if (excessMs < 0.5) return this.#keep(client, fullAtMs, nowMs);
    const quota = this.#describe(fullAtMs - this.#intervalMs, nowMs);
    return { ...quota, isExceeded: true, remaining: 0, retrySeconds: Math.ceil(excessMs / 1000) };
  }

  /** Undoes a `take`. */
  giveBack(client: string): Quota {
    const nowMs = this.#now();
    return this.#keep(client, Math.max(nowMs, (this.#fullAtMs.get(client) ?? 0) - this.#intervalMs), nowMs);
  }

  #keep(client: string, fullAtMs: number, nowMs: number): Quota {
    this.#fullAtMs.delete(client);
    this.#fullAtMs.set(client, fullAtMs);
    for (const oldest of this.#fullAtMs.keys()) {
      if (this.#fullAtMs.size <= MAX_CLIENTS) break;
      this.#fullAtMs.delete(oldest);
    }
    return this.#describe(fullAtMs, nowMs);
  }

  #describe(fullAtMs: number, nowMs: number): Quota {
    const usedMs = Math.max(0, fullAtMs - nowMs);
    const remaining = Math.floor(this.#rate.requests - usedMs / this.#intervalMs + 0.001);
    return { isExceeded: false, remaining, resetSeconds: Math.ceil(usedMs / 1000), retrySeconds: 0 };
  }

  /** Writes the header fields of draft-ietf-httpapi-ratelimit-headers-10. */
  writeHeaders(headers: Headers, { remaining, resetSeconds }: Quota): void {
    const { requests, seconds } = this.#rate;
    headers.set("ratelimit-policy", `"${this.name}";q=${requests};w=${seconds}`);
    headers.set("ratelimit", `"${this.name}";r=${remaining};t=${resetSeconds}`);
  }
}

export interface RateUse {
  limit: RateLimit;
  client: string;
  quota: Quota;
}

const TEXTS: Record<string, string> = {
  key: "Too many requests with this key",
  "wrong-key": "Too many requests with wrong keys from this address",
  asset: "Too many downloads from this address",
};

export function rateExceeded({ limit, quota }: RateUse): HttpError {
  const { retrySeconds } = quota;
  const next = `try again in ${retrySeconds} second${retrySeconds === 1 ? "" : "s"}`;
  const error = new HttpError(429, `${TEXTS[limit.name]}; ${next}`, { "retry-after": String(retrySeconds) });
  error.shedReason = `${limit.name}-limit`;
  return error;
}

/** Returns an address's network: the first bytes of IPv4 or groups of IPv6, then zeros. */
export function toNetwork(
  address: string,
  { ipv4Bytes, ipv6Groups }: { ipv4Bytes: number; ipv6Groups: number },
): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  if (!isIPv6(mapped)) {
    const bytes = mapped.split(".");
    return bytes.map((byte, index) => (index < ipv4Bytes ? byte : "0")).join(".");
  }
  const [before = "", after] = mapped.replace(/%.*$/, "").split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array<string>(zeros).fill("0"), ...tail].slice(0, ipv6Groups);
  return `${groups.map((group) => group.toLowerCase().replace(/^0+(?=.)/, "")).join(":")}::`;
}

/** Returns an IPv4 address as is, or the network of an IPv6 address: one user owns all 2⁶⁴ addresses of the network. */
export function toLimitedClient(address: string): string {
  return toNetwork(address, { ipv4Bytes: 4, ipv6Groups: 4 });
}
