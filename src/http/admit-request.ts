// Checks lengths, keys, rates and parameters before any content is read.
import type { ServedState } from "../following/served-state.ts";
import type { Address, Caller } from "./operations/operation.ts";
import type { RequestContext } from "./request-context.ts";
import type { RequestInProgress } from "./request-in-progress.ts";
import { headersTooLong, invalidKey, missingKey, urlTooLong, type HttpError } from "./request/errors.ts";
import { parseParameters } from "./request/parameters.ts";
import { rateExceeded, toLimitedClient, type RateLimit } from "./request/rate-limit.ts";
import { decodeSegment } from "./request/request-url.ts";

const MAX_URL_BYTES = 8192;
const MAX_HEADER_BYTES = 16_384;
/** The bytes of a header field's colon, space and line break. */
const FIELD_BYTES = 4;

/** Caches parsed addresses: sites repeat requests, and parsing a URL takes as long as sending a cached answer. */
const addresses = new Map<string, Address>();
const MAX_ADDRESSES = 2000;
export const MAX_ADDRESS_CHARACTERS = 300;

export function findAddress(target: string): Address | undefined {
  return addresses.get(target);
}

/** Decodes the segments and parses the parameters of an address. Throws 400. */
export function parseAddress(text: string, { route, target, segments }: Omit<Address, "parameters">): Address {
  const parameters = parseParameters(target.query, route);
  const address = { route, target, segments: segments.map(decodeSegment), parameters };
  if (text.length > MAX_ADDRESS_CHARACTERS) return address;
  if (addresses.size >= MAX_ADDRESSES) addresses.clear();
  addresses.set(text, address);
  return address;
}

/** Finds the caller by the request's key, without side effects. Ignores the URL: a key there would end up in logs. */
export function findCaller(request: Request, state: ServedState, nowMs: number): Caller | undefined {
  const secret = request.headers.get("x-api-key");
  const held = secret === null ? undefined : state.keyring.find(secret, nowMs);
  return held && { held, channel: state.channelOf(held.key.project, held.key.channel) };
}

export function refuseExcess(progress: RequestInProgress): void {
  let bytes = 0;
  const fields = progress.request.headers.toJSON();
  progress.takeId(fields["x-request-id"]);
  if (progress.target.length > MAX_URL_BYTES) throw urlTooLong(MAX_URL_BYTES);
  for (const name in fields) bytes += name.length + (fields[name]?.length ?? 0) + FIELD_BYTES;
  if (bytes > MAX_HEADER_BYTES) throw headersTooLong(MAX_HEADER_BYTES);
}

/** Counts a request against a limit. Throws 429 above the limit. */
export function takeRate(progress: RequestInProgress, limit: RateLimit, client: string): void {
  progress.rate = limit.take(client);
  if (progress.rate.quota.isExceeded) throw rateExceeded(progress.rate);
}

export function takeDownload(progress: RequestInProgress, { rates, findClient }: RequestContext): void {
  if (rates.asset === undefined || findClient === undefined) return;
  takeRate(progress, rates.asset, toLimitedClient(findClient(progress.request)));
}

/** Returns 401, or 429 if the client has sent too many wrong keys. Call this only if no valid key was sent. */
export function refuseKey(progress: RequestInProgress, { state, rates, findClient }: RequestContext): HttpError {
  const secret = progress.request.headers.get("x-api-key") ?? "";
  progress.keyFault = secret === "" ? "missing" : state.keyring.findFault(secret);
  if (secret === "") return missingKey();
  if (rates["wrong-key"] === undefined || findClient === undefined) return invalidKey();
  const use = rates["wrong-key"].take(toLimitedClient(findClient(progress.request)));
  if (!use.quota.isExceeded) return invalidKey();
  progress.rate = use;
  return rateExceeded(use);
}
