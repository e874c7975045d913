// The one place that judges requests before content is looked at. Every request passes it, also one with a cached answer.
import type { ServedState } from "../following/served-state.ts";
import { CacheKey, type Address, type Caller } from "./operations/operation.ts";
import { headersTooLong, invalidKey, methodNotAllowed, missingKey, unknownPath, urlTooLong } from "./request/errors.ts";
import { parseParameters } from "./request/parameters.ts";
import { decodeSegment, findTarget, partTarget, type RawTarget } from "./request/request-url.ts";
import { routes, type AnyRoute, type PageRoute } from "./routes.ts";

const MAX_URL_BYTES = 8192;
const MAX_HEADER_BYTES = 16_384;
/** A field's colon, blank and line break. */
const FIELD_BYTES = 4;

/** A request that is being answered, as far as it is known. */
export class RequestInProgress {
  readonly request: Request;
  readonly startedAtMs = performance.now();
  readonly target: string;
  caller: Caller | undefined;
  route: AnyRoute | undefined;

  constructor(request: Request) {
    this.request = request;
    this.target = findTarget(request.url);
  }
}

export type Admitted =
  | { kind: "operation"; caller: Caller; address: Address }
  | { kind: "page"; route: PageRoute; target: RawTarget; segments: string[] }
  | { kind: "preflight"; route: AnyRoute };

/** Sites ask for the same again, and to parse an address takes as long as to send a cached answer. */
const parsed = new Map<string, Address>();
const MAX_PARSED = 2000;
const MAX_PARSED_CHARACTERS = 300;

/** The holder of the key in a request. Only the header counts: a key in a URL would end up in logs. No side effect. */
export function findCaller(request: Request, state: ServedState, nowMs: number): Caller | undefined {
  const secret = request.headers.get("x-api-key");
  const held = secret === null ? undefined : state.keyring.find(secret, nowMs);
  return held && { held, channel: state.channelOf(held.key.project, held.key.channel) };
}

/** Checks length, path, method, key, parameters: a wrong key learns nothing of what exists. Throws HttpError. */
export function admit(progress: RequestInProgress, state: ServedState, nowMs: number): Admitted {
  const { request } = progress;
  const caller = (progress.caller = findCaller(request, state, nowMs));
  refuseExcess(request, progress.target);
  const known = parsed.get(progress.target);
  const target = known?.target ?? partTarget(progress.target);
  const found = known ?? routes.find(target.path);
  if (found === undefined) throw unknownPath();
  const { route, segments } = found;
  progress.route = route;
  if (request.method === "OPTIONS") return { kind: "preflight", route };
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
  if (route.kind === "page") return { kind: "page", route, target, segments: segments.map(decodeSegment) };
  if (caller === undefined) throw (request.headers.get("x-api-key") ?? "") === "" ? missingKey() : invalidKey();
  return { kind: "operation", caller, address: known ?? parse(progress.target, { route, target, segments }) };
}

function parse(text: string, { route, target, segments: encoded }: Omit<Address, "parameters" | "cacheKey">): Address {
  const segments = encoded.map(decodeSegment);
  const parameters = parseParameters(target.query, route);
  const cacheKey = new CacheKey(route, segments, parameters);
  const address = { route, target, segments, parameters, cacheKey };
  if (text.length > MAX_PARSED_CHARACTERS) return address;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, address);
  return address;
}

function refuseExcess(request: Request, target: string): void {
  if (target.length > MAX_URL_BYTES) throw urlTooLong(MAX_URL_BYTES);
  let bytes = 0;
  // The quickest way through them.
  const fields = request.headers.toJSON();
  for (const name in fields) bytes += name.length + (fields[name]?.length ?? 0) + FIELD_BYTES;
  if (bytes > MAX_HEADER_BYTES) throw headersTooLong(MAX_HEADER_BYTES);
}
