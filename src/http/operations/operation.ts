// An operation turns a release and parsed input into a result.
import { startList, type Body, type Bytes } from "../../catalog/body.ts";
import type { CatalogReader, Chapter, Range } from "../../catalog/catalog-reader.ts";
import { isIdentifier } from "../../catalog/identifier.ts";
import type { Release } from "../../catalog/store.ts";
import type { ServedChannel } from "../../following/served-state.ts";
import type { HeldKey } from "../../keys/keyring.ts";
import type { Search } from "../../search/searcher.ts";
import { courseNotFound, releaseNotFound, releasePruned } from "../request/errors.ts";
import type { KnownParameters, Parameters } from "../request/parameters.ts";
import type { RawTarget } from "../request/request-url.ts";
import type { CatalogTables } from "./catalog-table.ts";
import type { AnswerWork } from "./answer-work.ts";

export interface Route {
  name: string;
  /** The path pattern. Segments that begin with `:` match any non-empty text. */
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
}

export interface ContentRequest extends Address {
  caller: Caller;
  /** Undefined while the key's channel has no release; the catalog is then empty. */
  release: Release | undefined;
  since: Release | undefined;
  readsDrafts: boolean;
}

export interface OperationInput extends ContentRequest {
  catalog: CatalogReader;
  tables: CatalogTables;
  work: AnswerWork;
  /** Undefined if search is off. */
  searchTexts: Search | undefined;
}

/** Returns equal keys for requests with the same meaning, or undefined if the answer must not be cached. */
export function formatCacheKey(asked: ContentRequest, epoch: number): string | undefined {
  const { route, segments, parameters, release, readsDrafts } = asked;
  if (release === undefined || route.dependsOnChannel === true) return undefined;
  return `${epoch} ${release.id}${readsDrafts ? "d" : " "}${route.name} ${segments.join("/")}?${parameters.canonical}`;
}

export type Pieces = readonly (string | Bytes)[] | AsyncIterable<string | Bytes>;

/** A stored body, or `data` that is still to be rendered; `link` is the Link header. */
type OperationResult = { body: Body } | { data: Pieces; link?: string | undefined };

/** Resolves with undefined if the release has no such course for the reader. Throws HttpError or ContentMissing. */
export type Operation = (input: OperationInput) => Promise<OperationResult | undefined>;

export interface OperationRoute extends Route, KnownParameters {
  kind: "operation";
  operation: Operation;
  /** True if the answer depends on the channel's history, and not only on the release. Such an answer is not cached. */
  dependsOnChannel?: boolean;
}

/** Returns the release and the course in a path. Throws 404 if there is no release or the identifier is invalid. */
export function toCourse(release: Release | undefined, [course = ""]: readonly string[]): [Release, string] {
  // Invalid identifiers match no course, and a database might reject them.
  if (release === undefined || !isIdentifier(course)) throw courseNotFound();
  return [release, course];
}

/** Returns the lesson in a path. For an invalid identifier, returns "", which matches no lesson. */
export function toLesson([, lesson = ""]: readonly string[]): string {
  return isIdentifier(lesson) ? lesson : "";
}

export function toRange({ limit = Infinity, offset: from = 0 }: Parameters, total: number): Range {
  return { from, end: Math.max(from, Math.min(from + limit, total)) };
}

/** A longer list of chapters needs a permit. */
const MAX_CHAPTERS_AT_ONCE = 500;

/** Lists a course's chapters. Even chapters without lessons can take megabytes. Throws as `work` does. */
export async function listChapters(
  versionId: number,
  { catalog, work }: Pick<OperationInput, "catalog" | "work">,
): Promise<Chapter[]> {
  if ((await catalog.findChapter(versionId, MAX_CHAPTERS_AT_ONCE)) !== undefined) await work.hold(0);
  const chapters: Chapter[] = [];
  for await (const chunk of catalog.readChapters(versionId)) {
    await work.pause();
    for (const chapter of chunk) chapters.push(chapter);
  }
  return chapters;
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
  work: AnswerWork,
): AsyncGenerator<string> {
  yield startList(total);
  yield* joinElements(chunks, work);
  yield "]}";
}

async function* joinElements(chunks: AsyncIterable<string[]>, work: AnswerWork): AsyncGenerator<string> {
  let separator = "";
  for await (const elements of chunks) {
    await work.pause();
    if (elements.length === 0) continue;
    yield separator + elements.join(",");
    separator = ",";
  }
}

/** Finds a requested release that the channel has published. Throws 404 or 410. */
export async function findPinned(channel: ServedChannel, number: number, catalog: CatalogReader): Promise<Release> {
  // Not `channel.pinned` after the read: an update in between replaces the map.
  const { pinned } = channel;
  const known = pinned.get(number);
  if (known !== undefined) return known;
  const release = await requireKept(channel, number, catalog);
  pinned.set(number, release);
  return release;
}

export async function requireKept(channel: ServedChannel, number: number, catalog: CatalogReader): Promise<Release> {
  const release = await catalog.findPublishedRelease(channel.project, channel.name, number);
  if (release === undefined) throw releaseNotFound();
  if (release === "pruned") throw releasePruned();
  return release;
}
