// What an operation is: a release and parsed input become a value.
import { startList, type Body, type Bytes } from "../../catalog/body.ts";
import type { CatalogReader, Range } from "../../catalog/catalog-reader.ts";
import { isIdentifier } from "../../catalog/identifier.ts";
import type { Release } from "../../catalog/store.ts";
import type { ServedChannel } from "../../following/served-state.ts";
import type { HeldKey } from "../../keys/keyring.ts";
import type { Search } from "../../search/searcher.ts";
import { courseNotFound, releaseNotFound, releasePruned } from "../request/errors.ts";
import type { KnownParameters, Parameters } from "../request/parameters.ts";
import type { RawTarget } from "../request/request-url.ts";
import type { CatalogTables } from "./catalog-table.ts";
import type { Making } from "./making.ts";

export interface Route {
  name: string;
  /** Segments that begin with `:` match any text but the empty one. */
  path: string;
}

export interface Caller {
  held: HeldKey;
  channel: ServedChannel;
}

export interface Address {
  route: OperationRoute;
  target: RawTarget;
  segments: string[];
  parameters: Parameters;
  cacheKey: CacheKey;
}

export interface ContentRequest extends Address {
  caller: Caller;
  /** Undefined while the key's channel has no release: the catalog is empty then. */
  release: Release | undefined;
  since: Release | undefined;
  readsDrafts: boolean;
}

export interface OperationInput extends ContentRequest {
  catalog: CatalogReader;
  tables: CatalogTables;
  making: Making;
  /** Undefined where search is switched off. */
  searchTexts: Search | undefined;
}

/** The key of an address in the cache. The last one is kept: to make it anew takes longer than to look it up. */
export class CacheKey {
  /** The same text for all addresses that ask for the same, but for `release`. */
  readonly #canonical: string | undefined;
  #last: { release: Release; readsDrafts: boolean; epoch: number; text: string } | undefined;

  constructor(route: OperationRoute, segments: readonly string[], { canonical }: Parameters) {
    if (route.tellsOfChannel !== true) this.#canonical = `${route.name} ${segments.join("/")}?${canonical}`;
  }

  /** All that an answer depends on, as text; undefined for one that is not cached. */
  of(release: Release | undefined, readsDrafts: boolean, epoch: number): string | undefined {
    if (release === undefined || this.#canonical === undefined) return undefined;
    const last = this.#last;
    if (last?.release === release && last.readsDrafts === readsDrafts && last.epoch === epoch) return last.text;
    const text = `${epoch} ${release.id}${readsDrafts ? "d" : " "}${this.#canonical}`;
    this.#last = { release, readsDrafts, epoch, text };
    return text;
  }
}

export type Pieces = readonly (string | Bytes)[] | AsyncIterable<string | Bytes>;

/** The body as the store has it, or the `data` of one that is still to be made; `link` is the Link header. */
export type OperationResult = { body: Body } | { data: Pieces; link?: string | undefined };

/** Undefined when the reader has no such course in the release. Throws HttpError and ContentMissing. */
export type Operation = (input: OperationInput) => Promise<OperationResult | undefined>;

export interface OperationRoute extends Route, KnownParameters {
  kind: "operation";
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

/** The part of a list that a request asks for. */
export function toRange({ limit = Infinity, offset: from = 0 }: Parameters, total: number): Range {
  return { from, end: Math.max(from, Math.min(from + limit, total)) };
}

export function appendMembers(object: string, members: string): string {
  return members === "" ? object : `${object.slice(0, -1)},${members}}`;
}

export function listWithMembers(object: Bytes, members: string): (string | Bytes)[] {
  return members === "" ? [object] : [object.subarray(0, -1), `,${members}}`];
}

export async function* renderList(
  total: number,
  chunks: AsyncIterable<string[]>,
  making: Making,
): AsyncGenerator<string> {
  yield startList(total);
  yield* joinElements(chunks, making);
  yield "]}";
}

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

export async function requireKept(channel: ServedChannel, number: number, catalog: CatalogReader): Promise<Release> {
  const release = await catalog.findPublishedRelease(channel.project, channel.name, number);
  if (release === undefined) throw releaseNotFound();
  if (release === "pruned") throw releasePruned();
  return release;
}
