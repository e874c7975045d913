// From a request that was admitted to its answer: the release, the cache, the operation, the body.
import type { CatalogReader } from "../catalog/catalog-reader.ts";
import type { Release } from "../catalog/store.ts";
import type { ServedChannel } from "../following/served-state.ts";
import { Answer } from "./answers/answer.ts";
import { renderBody } from "./answers/render-body.ts";
import { requireUnpruned } from "./operations/incomplete-release.ts";
import type { LargeWork } from "./operations/large-work.ts";
import type { OperationRoute } from "./operations/operation.ts";
import type { RequestContext } from "./request-context.ts";
import type { Admitted } from "./request/admit.ts";
import { courseNotFound, HttpError, releaseNotFound, releasePruned } from "./request/errors.ts";
import { formatCanonicalQuery } from "./request/page-links.ts";
import { replaceCourse } from "./request/request-url.ts";
import { formatPath } from "./request/route.ts";

/** An admitted request, with the release that it is answered from. */
export interface Asked extends Admitted<OperationRoute> {
  readsDrafts: boolean;
  /** Undefined while the key's channel has none. */
  release: Release | undefined;
  /** The release of `since`. */
  since: Release | undefined;
}

/** A release that was asked for by number. Throws 404, 410. */
export async function findPinned(channel: ServedChannel, number: number, catalog: CatalogReader): Promise<Release> {
  const known = channel.pinned.get(number);
  if (known !== undefined) return known;
  const release = await requireKept(catalog, channel, number);
  channel.pinned.set(number, release);
  return release;
}

/** The answer for the course by its id or slug, else by a slug that it had before. Throws HttpError, ReleaseIncomplete. */
export async function findAnswer(asked: Asked, work: LargeWork, context: RequestContext): Promise<Answer> {
  try {
    return await findInRelease(asked, work, context);
  } catch (error) {
    // In a release that is pruned meanwhile, any part may seem not to exist.
    if (!(error instanceof HttpError) || error.status === 404) await requireReleases(asked, context.catalog);
    throw error;
  }
}

/** Throws 404, 410 for a release that the request names, and ReleaseIncomplete for another one that was pruned. */
async function requireReleases({ visitor, parameters, release }: Asked, catalog: CatalogReader): Promise<void> {
  const { channel } = visitor;
  for (const number of [parameters.release, parameters.since]) {
    if (number !== undefined) await requireKept(catalog, channel, number);
  }
  if (parameters.release === undefined && release !== undefined) await requireUnpruned(catalog, channel, release);
}

async function findInRelease(asked: Asked, work: LargeWork, context: RequestContext): Promise<Answer> {
  const answer = await obtainAnswer(asked, work, context);
  if (answer !== undefined) return answer;
  const { release, readsDrafts, target, segments } = asked;
  const { channel } = asked.visitor;
  const [slug = "", ...rest] = segments;
  const course = release && (await context.formerSlugs.find(channel, release, slug, readsDrafts));
  const moved = course && (await obtainAnswer({ ...asked, segments: [course.courseId, ...rest] }, work, context));
  if (course === undefined || moved === undefined) throw courseNotFound();
  return moved.movedTo(replaceCourse(target.path, target.query, course.slug));
}

/** Undefined when the release has no such course. */
function obtainAnswer(asked: Asked, work: LargeWork, context: RequestContext): Promise<Answer | undefined> {
  const { readsDrafts, release } = asked;
  const { cache } = context;
  const build = (): Promise<Answer | undefined> => buildAnswer(asked, work, context);
  return release === undefined ? build() : cache.obtain(release, readsDrafts, formatCanonical(asked), build, work);
}

async function buildAnswer(
  { visitor, route, parameters, segments, readsDrafts, release, since }: Asked,
  work: LargeWork,
  context: RequestContext,
): Promise<Answer | undefined> {
  const { catalog, cache, names, traits, lessonLists, frames } = context;
  const { channel } = visitor;
  const input = {
    catalog,
    names,
    traits,
    lessonLists,
    channel,
    release,
    since,
    readsDrafts,
    parameters,
    segments,
    work,
  };
  for (;;) {
    const result = await route.operation(input);
    const body = result && (await renderBody(result, cache, work));
    if (body === undefined) return undefined;
    if (!("neededBytes" in body)) return new Answer(frames.of(route, release, result?.link), body);
    await work.require(body.neededBytes);
  }
}

/** The canonical form of a path and its query. */
function formatCanonical({ visitor, route, segments, parameters }: Asked): string {
  const canonical = formatPath(route, segments);
  const query = formatCanonicalQuery(parameters);
  // Two channels can show one release and have published others before: no target has a space, so that each request is judged.
  if (route.tellsOfChannel === true) return `${canonical} ${visitor.channel.name} ${visitor.channel.update}`;
  if (query === "") return canonical;
  if (parameters.since !== undefined) return `${canonical} ${query}`;
  return `${canonical}?${query}`;
}

async function requireKept(catalog: CatalogReader, channel: ServedChannel, number: number): Promise<Release> {
  const release = await catalog.findPublishedRelease(channel.project, channel.name, number);
  if (release === undefined) throw releaseNotFound();
  if (release === "pruned") throw releasePruned();
  return release;
}
