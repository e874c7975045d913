// The way of a request: path, method, key, parameters, content; in that order, so that an answer to a wrong key never
// depends on what exists. Most requests end in the first function, with an answer that is ready.
import type { Logger } from "pino";
import type { CatalogReader, Release } from "../catalog/store.ts";
import type { AccessLog } from "./access-log.ts";
import { Answer, type SharedHeaders } from "./answer.ts";
import { authenticate } from "./authenticate.ts";
import { respondOptions, type CorsPolicy } from "./cors.ts";
import type { Effort } from "./encoded-body.ts";
import { chooseEncoding, type Encoding } from "./encoding.ts";
import {
  courseNotFound,
  HttpError,
  internalError,
  methodNotAllowed,
  releaseNotFound,
  releasePruned,
  unavailable,
  unknownPath,
  urlTooLong,
} from "./errors.ts";
import { StoreAway, type GuardedCatalog } from "./guarded-catalog.ts";
import type { FormerSlugs } from "./former-slugs.ts";
import { LargeWork } from "./large-work.ts";
import type { LessonLists } from "./lesson-lists.ts";
import type { NameIndexes } from "./name-index.ts";
import { parseParameters, type Parameters } from "./parameters.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import { decodeSegment, findTarget, partTarget, replaceCourse, type RawTarget } from "./request-url.ts";
import { renderBody, type NeedsRoom } from "./render-body.ts";
import { respond, respondError } from "./respond.ts";
import type { ResponseCache } from "./response-cache.ts";
import { findRoute, formatPath, type Route } from "./routes.ts";
import type { ServedChannel, ServedState } from "./served-state.ts";

const MAX_URL_BYTES = 8192;

/** What is made of releases and kept, by their ids. */
export interface DerivedContent {
  cache: ResponseCache;
  names: NameIndexes;
  lessonLists: LessonLists;
  formerSlugs: FormerSlugs;
}

export interface RequestContext extends DerivedContent {
  /** Refuses at once while the store is away. */
  catalog: CatalogReader;
  /** Is told whether it is. */
  store: GuardedCatalog;
  state: ServedState;
  /** Makes it anew, empty, for another store. */
  createDerived: () => DerivedContent;
  cors: CorsPolicy;
  headers: SharedHeaders;
  logger: Logger;
  metrics: RequestMetrics;
  /** Undefined when requests are not logged. */
  accessLog: AccessLog | undefined;
  /** True for an error that says that the store cannot be used just now. */
  isUnavailable: (error: unknown) => boolean;
}

/** Answers a request. Never throws. */
export function handleRequest(request: Request, context: RequestContext): Response | Promise<Response> {
  const startedAtMs = performance.now();
  const { method, url, headers } = request;
  if (method !== "GET" && method !== "HEAD") return answerInFull(request, startedAtMs, context);
  const { state, cache } = context;
  const key = state.keyring.find(headers.get("x-api-key") ?? "", Date.now());
  if (key === undefined) return answerInFull(request, startedAtMs, context);
  const release = state.channelOf(key.project, key.channel).current;
  // The cache knows paths only, so it knows no target with a query.
  const ready = release && cache.find(release, key.drafts, findTarget(url));
  if (ready === undefined) return answerInFull(request, startedAtMs, context);
  const response = respondWith(request, key.project, ready, context);
  // It is not there in this coding yet.
  if (response === undefined) return answerInFull(request, startedAtMs, context);
  finish(request, ready.route, response, startedAtMs, context);
  return response;
}

async function answerInFull(request: Request, startedAtMs: number, context: RequestContext): Promise<Response> {
  const target = findTarget(request.url);
  let route: Route | undefined;
  let response: Response;
  try {
    if (target.length > MAX_URL_BYTES) throw urlTooLong(MAX_URL_BYTES);
    const parts = partTarget(target);
    const found = findRoute(parts.path);
    if (found === undefined) throw unknownPath();
    route = found.route;
    response = await withinEpoch(context.state, () =>
      answerRoute(request, parts, found.route, found.segments, context),
    );
  } catch (error) {
    response = respondError(request, toHttpError(error, request, context), context.cors);
  }
  finish(request, route, response, startedAtMs, context);
  return response;
}

/** Does work once more when the store has become another meanwhile: what came of it may be of both. */
async function withinEpoch<T>(state: ServedState, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const { epoch } = state;
    try {
      const result = await work();
      if (state.epoch === epoch) return result;
    } catch (error) {
      if (state.epoch === epoch) throw error;
    }
  }
}

async function answerRoute(
  request: Request,
  target: RawTarget,
  route: Route,
  segments: string[],
  context: RequestContext,
): Promise<Response> {
  const { catalog, state, cache, cors } = context;
  if (request.method === "OPTIONS") return respondOptions(request, cors);
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
  const key = authenticate(request, state.keyring, Date.now());
  const decoded = segments.map(decodeSegment);
  const parameters = parseParameters(target.query, route.parameters);
  const channel = state.channelOf(key.project, key.channel);
  const release =
    parameters.release === undefined ? channel.current : await findPinned(catalog, channel, parameters.release);
  const work = new LargeWork(cache.large.budget, key.project, request);
  try {
    const asked = { route, target, parameters, segments: decoded, readsDrafts: key.drafts, channel, release };
    const answer = await findAnswer(asked, work, context);
    return await respondPrepared(request, key.project, answer, work, context);
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) error.release = release;
    throw error;
  } finally {
    work.end();
  }
}

/** What a request asks for, once it was judged. */
interface Asked {
  route: Route;
  target: RawTarget;
  parameters: Parameters;
  segments: string[];
  readsDrafts: boolean;
  channel: ServedChannel;
  release: Release | undefined;
}

/** The answer for the course by its id or slug, else by a slug that it had before. Throws HttpError. */
async function findAnswer(asked: Asked, work: LargeWork, context: RequestContext): Promise<Answer> {
  const answer = await obtainAnswer(asked, work, context);
  if (answer !== undefined) return answer;
  const { release, channel, readsDrafts, parameters, target, segments } = asked;
  const [slug = "", ...rest] = segments;
  const course = release && (await context.formerSlugs.find(channel, release, slug, readsDrafts));
  if (parameters.release !== undefined) await requireKept(context.catalog, channel, parameters.release);
  const moved = course && (await obtainAnswer({ ...asked, segments: [course.courseId, ...rest] }, work, context));
  if (course === undefined || moved === undefined) throw courseNotFound();
  return moved.movedTo(replaceCourse(target.path, target.query, course.slug));
}

/** Undefined when the release has no such course. */
async function obtainAnswer(asked: Asked, work: LargeWork, context: RequestContext): Promise<Answer | undefined> {
  const { route, target, parameters, segments, readsDrafts, release } = asked;
  const { cache } = context;
  const build = async (effort: Effort): Promise<Answer | undefined> => buildAnswer(asked, effort, work, context);
  if (release === undefined) return build("once");
  if (!isPartial(parameters)) {
    return cache.obtain(release, readsDrafts, formatPath(route, segments), async () => build("kept"), work);
  }
  // A draft's lessons are for some readers only, and links of a part repeat the path as it was asked for.
  const part = JSON.stringify([target.path, segments, parameters]);
  return cache.obtainPart(release, readsDrafts, part, async () => build("once"), work);
}

async function buildAnswer(
  { route, target, parameters, segments, readsDrafts, channel, release }: Asked,
  effort: Effort,
  work: LargeWork,
  context: RequestContext,
): Promise<Answer | undefined> {
  const { catalog, cache, names, lessonLists, headers } = context;
  const { path } = target;
  const input = { catalog, names, lessonLists, release, readsDrafts, path, parameters, segments, work };
  const build = async (): Promise<Answer | NeedsRoom | undefined> => {
    const result = await route.operation(input);
    const body = result && (await renderBody(result, cache, effort, work));
    if (body === undefined || "neededBytes" in body) return body;
    return new Answer(route, body, headers.of(release), { link: result?.link });
  };
  for (;;) {
    const building = build();
    if (parameters.release !== undefined) {
      // Its content may be pruned while it is read, and be gone in part: then whatever came of it does not count.
      await building.catch(() => undefined);
      await requireKept(catalog, channel, parameters.release);
    }
    const built = await building;
    if (built === undefined || built instanceof Answer) return built;
    await work.require(built.neededBytes);
  }
}

/** Parts of lists are made anew for each request: there are more different ones than a cache could hold. */
function isPartial({ foldedName, limit, offset }: Parameters): boolean {
  return foldedName !== "" || limit !== undefined || offset !== undefined;
}

async function respondPrepared(
  request: Request,
  project: string,
  answer: Answer,
  work: LargeWork,
  context: RequestContext,
): Promise<Response> {
  const ready = respondWith(request, project, answer, context);
  if (ready !== undefined) return ready;
  const encoding = await answer.body.prepare(chooseEncoding(request.headers.get("accept-encoding")), work);
  context.cache.recount(answer.body);
  const response = respondWith(request, project, answer, context, encoding);
  if (response === undefined) throw new Error("a body was prepared and is not there");
  return response;
}

/** Sends an answer if it is there in the coding that is wanted. A large one counts until it was read. */
function respondWith(
  request: Request,
  project: string,
  answer: Answer,
  { cache, cors }: RequestContext,
  prepared?: Encoding,
): Response | undefined {
  const response = respond(request, answer, cors, prepared);
  if (response?.status === 200 && answer.body.isLarge) cache.large.addReader(project, answer.body, request);
  return response;
}

/** The release of this number if the key's channel has published it. Throws 404, or 410 when it was pruned. */
async function findPinned(catalog: CatalogReader, channel: ServedChannel, number: number): Promise<Release> {
  const known = channel.pinned.get(number);
  if (known !== undefined) return known;
  const release = await requireKept(catalog, channel, number);
  channel.pinned.set(number, release);
  return release;
}

async function requireKept(catalog: CatalogReader, channel: ServedChannel, number: number): Promise<Release> {
  const release = await catalog.findPublishedRelease(channel.project, channel.name, number);
  if (release === undefined) throw releaseNotFound();
  if (release === "pruned") throw releasePruned();
  return release;
}

function finish(
  request: Request,
  route: Route | undefined,
  response: Response,
  startedAtMs: number,
  { metrics, accessLog }: RequestContext,
): void {
  const durationMs = performance.now() - startedAtMs;
  metrics.count(route, response.status, durationMs);
  accessLog?.write(request, response.status, durationMs);
}

function toHttpError(error: unknown, request: Request, { logger, isUnavailable }: RequestContext): HttpError {
  if (error instanceof HttpError) return error;
  // Logged once, by who found out.
  if (error instanceof StoreAway) return unavailable();
  if (isUnavailable(error)) {
    logger.error({ err: error }, "the store is unavailable");
    return unavailable();
  }
  const requestId = crypto.randomUUID();
  const { path } = partTarget(findTarget(request.url));
  logger.error({ err: error, requestId, method: request.method, path }, "request failed");
  return internalError(requestId);
}
