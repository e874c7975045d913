// What an operation is: a release and parsed input become a value.
import { startList, type Body, type Bytes } from "../../catalog/body.ts";
import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import { isIdentifier } from "../../catalog/identifier.ts";
import type { Release } from "../../catalog/store.ts";
import type { ServedChannel } from "../../following/served-state.ts";
import type { HeldKey } from "../../keys/keyring.ts";
import { courseNotFound, releaseNotFound, releasePruned } from "../request/errors.ts";
import type { Parameters } from "../request/parameters.ts";
import type { RawTarget } from "../request/request-url.ts";
import type { ContentRoute, Route } from "../request/route.ts";
import type { CatalogTables } from "./catalog-table.ts";
import type { Making } from "./making.ts";

/** The holder of a valid key, and the channel that the key reads. */
export interface Caller {
  held: HeldKey;
  channel: ServedChannel;
}

/** What the URL of an admitted request asks for. */
export interface Address {
  route: OperationRoute;
  target: RawTarget;
  segments: string[];
  parameters: Parameters;
  /** The same text for all URLs that ask for the same, but for `release`. */
  canonical: string;
}

/** An admitted request, with what it is answered from. */
export interface ContentRequest extends Address {
  caller: Caller;
  /** Undefined while the key's channel has no release: the catalog is empty then. */
  release: Release | undefined;
  /** The release of `since`; undefined where that is not given. */
  since: Release | undefined;
  readsDrafts: boolean;
}

export interface OperationInput extends ContentRequest {
  catalog: CatalogReader;
  tables: CatalogTables;
  /** Bounds work that takes long or much memory. */
  making: Making;
}

/** The `canonical` of an address. Path parameters of what exists hold no slash. */
export function formatCanonical(route: Route, segments: readonly string[], { canonical }: Parameters): string {
  return `${route.name} ${segments.join("/")}?${canonical}`;
}

export type Pieces = readonly (string | Bytes)[] | AsyncIterable<string | Bytes>;

/** The body as the store has it, or the `data` of one that is still to be made; `link` is the Link header. */
export type OperationResult = { body: Body } | { data: Pieces; link?: string | undefined };

/**
 * Undefined when the release has no such course for this reader, by id or slug. Throws HttpError, as `making` does, and
 * ContentMissing.
 */
export type Operation = (input: OperationInput) => Promise<OperationResult | undefined>;

/** A path that an operation answers, in an envelope and for a key. */
export interface OperationRoute extends ContentRoute {
  operation: Operation;
  /** True for an answer that tells more of the channel than its release: it is not cached. */
  tellsOfChannel?: boolean;
}

/** The course that a path names, in a release. Throws 404 for what cannot name one. */
export function toCourse(release: Release | undefined, [course = ""]: readonly string[]): [Release, string] {
  // Text that is no valid identifier names no course, and a database may reject it.
  if (release === undefined || !isIdentifier(course)) throw courseNotFound();
  return [release, course];
}

/** The lesson that a path names: "", which none has, for what cannot name one. */
export function toLesson([, lesson = ""]: readonly string[]): string {
  return isIdentifier(lesson) ? lesson : "";
}

/** JSON of an object, which is not empty, with more members at its end; "" for none. */
export function appendMembers(object: string, members: string): string {
  return members === "" ? object : `${object.slice(0, -1)},${members}}`;
}

/** The same for bytes, in pieces. */
export function listWithMembers(object: Bytes, members: string): (string | Bytes)[] {
  return members === "" ? [object] : [object.subarray(0, -1), `,${members}}`];
}

/** The `data` of a list, from chunks of its elements. */
export async function* renderList(
  total: number,
  chunks: AsyncIterable<string[]>,
  making: Making,
): AsyncGenerator<string> {
  yield startList(total);
  yield* joinElements(chunks, making);
  yield "]}";
}

/** JSON elements with commas between them, from chunks of them. */
export async function* joinElements(chunks: AsyncIterable<string[]>, making: Making): AsyncGenerator<string> {
  let separator = "";
  for await (const elements of chunks) {
    await making.pause();
    if (elements.length === 0) continue;
    yield separator + elements.join(",");
    separator = ",";
  }
}

/** A release that was asked for by number: one that the channel has published. Throws 404, 410. */
export async function findPinned(channel: ServedChannel, number: number, catalog: CatalogReader): Promise<Release> {
  const known = channel.pinned.get(number);
  if (known !== undefined) return known;
  const release = await requireKept(channel, number, catalog);
  channel.pinned.set(number, release);
  return release;
}

/** The same, without what the channel remembers. */
export async function requireKept(channel: ServedChannel, number: number, catalog: CatalogReader): Promise<Release> {
  const release = await catalog.findPublishedRelease(channel.project, channel.name, number);
  if (release === undefined) throw releaseNotFound();
  if (release === "pruned") throw releasePruned();
  return release;
}
