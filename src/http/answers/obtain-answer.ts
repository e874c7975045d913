// Obtains the answer to an admitted request from the cache, or makes it once for all waiting requests.
import { ENVELOPE_END, ENVELOPE_START, type Bytes } from "../../catalog/body.ts";
import { ContentMissing, type CatalogReader } from "../../catalog/catalog-reader.ts";
import type { GuardedCatalog } from "../../following/guarded-catalog.ts";
import type { ServedState } from "../../following/served-state.ts";
import type { Search } from "../../search/searcher.ts";
import type { CatalogTables } from "../operations/catalog-table.ts";
import { MIN_LARGE_BYTES } from "../operations/large-bodies.ts";
import type { AnswerWork } from "../operations/answer-work.ts";
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
export async function obtainAnswer(asked: ContentRequest, work: AnswerWork, context: AnswerContext): Promise<Answer> {
  try {
    return await findAnswer(asked, work, context);
  } catch (error) {
    if (error instanceof HttpError && error.status !== 404) throw error;
    // If the release has just been pruned, any part of it can be missing, and 410 is the better error.
    const explained = await requireReleases(asked, context.store.catalogOf(work.project)).catch(
      (failure: unknown) => failure,
    );
    throw explained instanceof HttpError || explained instanceof ContentMissing ? explained : error;
  }
}

async function findAnswer(asked: ContentRequest, work: AnswerWork, context: AnswerContext): Promise<Answer> {
  const { release, readsDrafts, target, segments, caller } = asked;
  const answer = await obtainByName(asked, work, context);
  if (answer !== undefined) return answer;
  const [slug = "", ...rest] = segments;
  const course =
    release &&
    (await context.store.catalogOf(work.project).findFormerSlug(release, caller.channel.name, slug, readsDrafts));
  if (course === undefined) throw courseNotFound();
  const byId = [course.courseId, ...rest];
  const moved = await obtainByName({ ...asked, segments: byId }, work, context);
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
  work: AnswerWork,
  context: AnswerContext,
): Promise<Answer | undefined> {
  const { epoch } = context.state;
  const key = formatCacheKey(asked, epoch);
  if (key === undefined) return make(asked, work, context);
  const cached = context.cache.find(key, asked, context.sharedHeaders);
  if (cached !== undefined) {
    work.foundInCache = true;
    if (cached.body.isLarge) await work.pause();
    return cached;
  }
  return work.share(context.pending, key, async () => {
    const answer = await make(asked, work, context);
    if (answer !== undefined && context.state.epoch === epoch) context.cache.keep(key, work.project, answer);
    return answer;
  });
}

async function make(asked: ContentRequest, work: AnswerWork, context: AnswerContext): Promise<Answer | undefined> {
  const catalog = context.store.catalogOf(work.project);
  const { route, release } = asked;
  const { tables, searchTexts } = context;
  // Many short answers for one project would delay other projects as much as a long answer does.
  if (work.hasHadTurn) await work.pause();
  const result = await route.operation({ ...asked, catalog, tables, searchTexts, work });
  if (result === undefined) return undefined;
  const made = await renderBody(result, work);
  const body = made.isLarge ? context.cache.large.findEqual(work.project, made) : made;
  // The result of a comparison or of an `ids` filter can lack rows because a release was pruned meanwhile.
  if (asked.since !== undefined || asked.parameters.filter.ids !== undefined) await requireReleases(asked, catalog);
  const link = "link" in result ? result.link : undefined;
  return new Answer(context.sharedHeaders.of(release), body, link === undefined ? {} : { link });
}

/** Renders the whole body of a successful answer. Throws as the operation and `work` do. */
async function renderBody(result: OperationResult, work: AnswerWork): Promise<AnswerBody> {
  if (!("body" in result)) return renderPieces(result.data, work);
  const { bytes } = result.body;
  const body = AnswerBody.ofBody(result.body);
  if (body.isLarge) await work.hold(bytes.byteLength, false);
  return body;
}

async function renderPieces(pieces: Pieces, work: AnswerWork): Promise<AnswerBody> {
  const hasher = new Bun.CryptoHasher("sha256");
  const parts: Bytes[] = [encoder.encode(ENVELOPE_START)];
  let bytes = 0;
  for await (const piece of pieces) {
    const part = typeof piece === "string" ? encoder.encode(piece) : piece;
    parts.push(part);
    bytes += part.byteLength;
    // Reserve memory for the parts and for the body joined from them.
    if (bytes >= MIN_LARGE_BYTES) await work.hold(2 * bytes);
    for (let from = 0; from < part.byteLength; from += MAX_BYTES_AT_ONCE) {
      hasher.update(part.subarray(from, from + MAX_BYTES_AT_ONCE));
      await work.pause();
    }
  }
  parts.push(encoder.encode(ENVELOPE_END));
  return AnswerBody.ofParts(hasher.digest("hex").slice(0, 32), parts);
}
