// The one place that judges requests before content is looked at. Every request passes it, also one with a cached answer.
import type { ServedChannel, ServedState } from "../../following/served-state.ts";
import type { HeldKey } from "../../keys/keyring.ts";
import {
  headersTooLong,
  HttpError,
  invalidKey,
  methodNotAllowed,
  missingKey,
  unknownPath,
  urlTooLong,
} from "./errors.ts";
import { parseParameters, type Parameters } from "./parameters.ts";
import { decodeSegment, partTarget, type RawTarget } from "./request-url.ts";
import type { AskedPage, ContentRoute, PageRoute, RouteTable } from "./route.ts";

const MAX_URL_BYTES = 8192;
/** Of names and values, with what stands between them. */
const MAX_HEADER_BYTES = 16_384;
/** A field's colon, blank and line break. */
const FIELD_BYTES = 4;

/** The holder of a valid key, and the channel that the key reads. */
export interface Caller {
  held: HeldKey;
  channel: ServedChannel;
}

/** A request for content that passed every check. */
export interface Admitted<R extends ContentRoute> {
  caller: Caller;
  route: R;
  target: RawTarget;
  /** Decoded path parameters, in order. */
  segments: string[];
  parameters: Parameters;
}

/** Any route; what a page needs is its own matter. */
type AnyRoute = ContentRoute | PageRoute<never>;
type ContentOf<R> = Extract<R, ContentRoute>;
type PageOf<R> = Extract<R, PageRoute<never>>;

/** The result of `admit`. The route is undefined for an unknown path. */
export interface Judgement<R extends AnyRoute> {
  route: R | undefined;
  verdict: Admitted<ContentOf<R>> | (AskedPage & { route: PageOf<R> }) | HttpError | "preflight";
}

/** True for the methods that read: GET and HEAD. */
export function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** The holder of the key in a request. Only the header counts: a key in a URL would end up in logs. No side effect. */
export function findCaller(request: Request, state: ServedState, nowMs: number): Caller | undefined {
  const secret = request.headers.get("x-api-key");
  const held = secret === null ? undefined : state.keyring.find(secret, nowMs);
  return held && { held, channel: state.channelOf(held.key.project, held.key.channel) };
}

/** The refusal of a request whose URL or header section is too long; undefined for nearly all. */
export function findExcess(request: Request, target: string): HttpError | undefined {
  if (target.length > MAX_URL_BYTES) return urlTooLong(MAX_URL_BYTES);
  let bytes = 0;
  // The quickest way through them.
  const fields = request.headers.toJSON();
  for (const name in fields) bytes += name.length + (fields[name]?.length ?? 0) + FIELD_BYTES;
  return bytes > MAX_HEADER_BYTES ? headersTooLong(MAX_HEADER_BYTES) : undefined;
}

/**
 * Judges length, path, method, key and parameters, in this order, so that the answer to a wrong key never depends on what exists. A
 * page needs no key. `target` is the undecoded path and query, `caller` the result of `findCaller`. Never throws.
 */
export function admit<R extends AnyRoute>(
  request: Request,
  target: string,
  caller: Caller | undefined,
  routes: RouteTable<R>,
): Judgement<R> {
  const excess = findExcess(request, target);
  if (excess !== undefined) return { route: undefined, verdict: excess };
  const parts = partTarget(target);
  const found = routes.find(parts.path);
  if (found === undefined) return { route: undefined, verdict: unknownPath() };
  const { route } = found;
  if (request.method === "OPTIONS") return { route, verdict: "preflight" };
  if (!isReading(request.method)) return { route, verdict: methodNotAllowed() };
  try {
    if (isPage(route)) return { route, verdict: { request, route, target: parts, segments: decode(found.segments) } };
    const content = route as ContentOf<R>;
    if (caller === undefined) return { route, verdict: hasKey(request) ? invalidKey() : missingKey() };
    const segments = decode(found.segments);
    const parameters = parseParameters(parts.query, content);
    return { route, verdict: { caller, route: content, target: parts, segments, parameters } };
  } catch (error) {
    if (error instanceof HttpError) return { route, verdict: error };
    throw error;
  }
}

function isPage<R extends AnyRoute>(route: R): route is PageOf<R> {
  return route.kind === "page";
}

function decode(segments: string[]): string[] {
  return segments.map(decodeSegment);
}

function hasKey(request: Request): boolean {
  const secret = request.headers.get("x-api-key");
  return secret !== null && secret !== "";
}
