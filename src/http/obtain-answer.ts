// Obtains the answer to an admitted request from the cache, or makes it once for all waiting requests.
import { ENVELOPE_END, ENVELOPE_START, type Bytes } from "../catalog/body.ts";
import { ContentMissing } from "../catalog/catalog-reader.ts";
import { Answer, AnswerBody } from "./answers/answer.ts";
import type { AnswerWork } from "./operations/answer-work.ts";
import { MIN_LARGE_BYTES } from "./operations/large-bodies.ts";
import { formatCacheKey, requireKept, type ContentRequest, type Pieces } from "./operations/operation.ts";
import type { RequestContext } from "./request-context.ts";
import { courseNotFound, HttpError } from "./request/errors.ts";
import type { Include } from "./request/parameters.ts";
import { replaceCourse } from "./request/request-url.ts";

const MAX_BYTES_AT_ONCE = 1024 * 1024;
/** Members with chapters or translations, which no release counts. */
const UNCOUNTED: readonly Include[] = ["lessons", "meta", "tree"];

const encoder = new TextEncoder();

/** Obtains an answer. Finds the course by id or slug, or else by a former slug. Throws HttpError. */
export async function obtainAnswer(asked: ContentRequest, work: AnswerWork, context: RequestContext): Promise<Answer> {
  try {
    return (await obtainByName(asked, work, context)) ?? (await obtainByFormerSlug(asked, work, context));
  } catch (error) {
    if (error instanceof HttpError && error.status !== 404) throw error;
    // If the release has just been pruned, any part of it can be missing, and 410 is the better error.
    const explained = await requireReleases(asked, context).catch((failure: unknown) => failure);
    throw explained instanceof HttpError || explained instanceof ContentMissing ? explained : error;
  }
}

async function obtainByFormerSlug(asked: ContentRequest, work: AnswerWork, context: RequestContext): Promise<Answer> {
  const { release, readsDrafts, target, segments, caller } = asked;
  const [slug = "", ...rest] = segments;
  const catalog = context.store.catalogOf(work.project);
  const course = release && (await catalog.findFormerSlug(release, caller.channel.name, slug, readsDrafts));
  const answer = course && (await obtainByName({ ...asked, segments: [course.courseId, ...rest] }, work, context));
  if (course === undefined || answer === undefined) throw courseNotFound();
  return answer.movedTo(replaceCourse(target.path, target.query, course.slug));
}

/** Throws 404 or 410 if a requested release is missing, and ContentMissing if the current release was pruned. */
async function requireReleases(
  { caller: { channel }, parameters, release }: ContentRequest,
  context: RequestContext,
): Promise<void> {
  const catalog = context.store.catalogOf(channel.project);
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
  context: RequestContext,
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

/** Throws as the operation and `work` do. */
async function make(asked: ContentRequest, work: AnswerWork, context: RequestContext): Promise<Answer | undefined> {
  const { tables, searchTexts } = context;
  const catalog = context.store.catalogOf(work.project);
  // Many short answers for one project would delay other projects as much as a long answer does.
  if (work.hasHadTurn) await work.pause();
  const result = await asked.route.operation({ ...asked, catalog, tables, searchTexts, work });
  if (result === undefined) return undefined;
  const made = "body" in result ? AnswerBody.ofBody(result.body) : await renderPieces(result.data, work);
  const readBytes = made.bytes;
  if (made.isLarge && "body" in result) await work.hold(readBytes, { readBytes, needsPermit: false });
  const body = made.isLarge ? context.cache.large.findEqual(work.project, made) : made;
  // A request that encodes the equal body can be waiting for this memory.
  if (body !== made) work.end();
  const { filter, include } = asked.parameters;
  const hasUncounted = include.some((member) => UNCOUNTED.includes(member));
  // These can lack rows because a release was pruned meanwhile.
  if (asked.since !== undefined || filter.ids !== undefined || hasUncounted) await requireReleases(asked, context);
  return new Answer(context.sharedHeaders, body, {
    release: asked.release,
    link: "link" in result ? result.link : undefined,
  });
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
    if (bytes >= MIN_LARGE_BYTES) await work.hold(2 * bytes, { readBytes: bytes });
    for (let from = 0; from < part.byteLength; from += MAX_BYTES_AT_ONCE) {
      hasher.update(part.subarray(from, from + MAX_BYTES_AT_ONCE));
      await work.pause();
    }
  }
  parts.push(encoder.encode(ENVELOPE_END));
  return AnswerBody.ofParts(hasher.digest("hex").slice(0, 32), parts);
}
