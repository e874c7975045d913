// Obtains the answer to an admitted request from the cache, or makes it once for all waiting requests.
import { ENVELOPE_END, ENVELOPE_START, type Bytes } from "../../catalog/body.ts";
import { ContentMissing, type CatalogReader } from "../../catalog/catalog-reader.ts";
import type { GuardedCatalog } from "../../following/guarded-catalog.ts";
import type { ServedState } from "../../following/served-state.ts";
import type { Search } from "../../search/searcher.ts";
import type { CatalogTables } from "../operations/catalog-table.ts";
import { MIN_LARGE_BYTES } from "../operations/large-bodies.ts";
import type { Making } from "../operations/making.ts";
import {
  formatCacheKey,
  requireKept,
  type ContentRequest,
  type OperationResult,
  type Pieces,
} from "../operations/operation.ts";
import { courseNotFound, HttpError } from "../request/errors.ts";
import { replaceCourse } from "../request/request-url.ts";
import { Answer, AnswerBody, type SharedHeaders } from "./answer.ts";
import type { ResponseCache } from "./response-cache.ts";

const MAX_BYTES_AT_ONCE = 1024 * 1024;

const encoder = new TextEncoder();

interface AnswerContext {
  store: Pick<GuardedCatalog, "catalogOf">;
  tables: CatalogTables;
  searchTexts: Search | undefined;
  cache: ResponseCache;
  state: ServedState;
  sharedHeaders: SharedHeaders;
  pending: Map<string, Promise<Answer | undefined>>;
}

/** Obtains an answer. Finds the course by id or slug, or else by a former slug. Throws HttpError. */
export async function obtainAnswer(asked: ContentRequest, making: Making, context: AnswerContext): Promise<Answer> {
  try {
    return await findAnswer(asked, making, context);
  } catch (error) {
    if (error instanceof HttpError && error.status !== 404) throw error;
    // If the release has just been pruned, any part of it can be missing, and 410 is the better error.
    const explained = await requireReleases(asked, context.store.catalogOf(making.project)).catch(
      (failure: unknown) => failure,
    );
    throw explained instanceof HttpError || explained instanceof ContentMissing ? explained : error;
  }
}

async function findAnswer(asked: ContentRequest, making: Making, context: AnswerContext): Promise<Answer> {
  const { release, readsDrafts, target, segments, caller } = asked;
  const answer = await obtainByName(asked, making, context);
  if (answer !== undefined) return answer;
  const [slug = "", ...rest] = segments;
  const course =
    release &&
    (await context.store.catalogOf(making.project).findFormerSlug(release, caller.channel.name, slug, readsDrafts));
  if (course === undefined) throw courseNotFound();
  const byId = [course.courseId, ...rest];
  const moved = await obtainByName({ ...asked, segments: byId }, making, context);
  if (moved === undefined) throw courseNotFound();
  return moved.movedTo(replaceCourse(target.path, target.query, course.slug));
}

/** Throws 404 or 410 if a requested release is missing, and ContentMissing if the current release was pruned. */
async function requireReleases(
  { caller: { channel }, parameters, release }: ContentRequest,
  catalog: CatalogReader,
): Promise<void> {
  for (const number of [parameters.release, parameters.since]) {
    if (number !== undefined) await requireKept(channel, number, catalog);
  }
  if (parameters.release !== undefined || release === undefined) return;
  const found = await catalog.findPublishedRelease(channel.project, channel.name, release.number);
  if (found === "pruned") throw new ContentMissing(release.id);
}

async function obtainByName(
  asked: ContentRequest,
  making: Making,
  context: AnswerContext,
): Promise<Answer | undefined> {
  const { epoch } = context.state;
  const key = formatCacheKey(asked, epoch);
  if (key === undefined) return make(asked, making, context);
  const cached = context.cache.find(key, asked, context.sharedHeaders);
  if (cached !== undefined) {
    making.foundInCache = true;
    if (cached.body.isLarge) await making.pause();
    return cached;
  }
  return making.share(context.pending, key, async () => {
    const answer = await make(asked, making, context);
    if (answer !== undefined && context.state.epoch === epoch) context.cache.keep(key, making.project, answer);
    return answer;
  });
}

async function make(asked: ContentRequest, making: Making, context: AnswerContext): Promise<Answer | undefined> {
  const catalog = context.store.catalogOf(making.project);
  const { route, release } = asked;
  const { tables, searchTexts } = context;
  // Many short answers for one project would delay other projects as much as a long answer does.
  if (making.hasHadTurn) await making.pause();
  const result = await route.operation({ ...asked, catalog, tables, searchTexts, making });
  if (result === undefined) return undefined;
  const made = await renderBody(result, making);
  const body = made.isLarge ? context.cache.large.findEqual(making.project, made) : made;
  // The result of a comparison or of an `ids` filter can lack rows because a release was pruned meanwhile.
  if (asked.since !== undefined || asked.parameters.filter.ids !== undefined) await requireReleases(asked, catalog);
  const link = "link" in result ? result.link : undefined;
  return new Answer(context.sharedHeaders.of(release), body, link === undefined ? {} : { link });
}

/** Renders the whole body of a successful answer. Throws as the operation and `making` do. */
async function renderBody(result: OperationResult, making: Making): Promise<AnswerBody> {
  if (!("body" in result)) return renderPieces(result.data, making);
  const { bytes } = result.body;
  const body = AnswerBody.ofBody(result.body);
  if (body.isLarge) await making.hold(bytes.byteLength);
  return body;
}

async function renderPieces(pieces: Pieces, making: Making): Promise<AnswerBody> {
  const hasher = new Bun.CryptoHasher("sha256");
  const parts: Bytes[] = [encoder.encode(ENVELOPE_START)];
  let bytes = 0;
  for await (const piece of pieces) {
    const part = typeof piece === "string" ? encoder.encode(piece) : piece;
    parts.push(part);
    bytes += part.byteLength;
    // Reserve memory for the parts and for the body joined from them.
    if (bytes >= MIN_LARGE_BYTES) await making.hold(2 * bytes);
    for (let from = 0; from < part.byteLength; from += MAX_BYTES_AT_ONCE) {
      hasher.update(part.subarray(from, from + MAX_BYTES_AT_ONCE));
      await making.pause();
    }
  }
  parts.push(encoder.encode(ENVELOPE_END));
  return AnswerBody.ofParts(hasher.digest("hex").slice(0, 32), parts);
}
