// A request in progress: its properties, and what is counted and logged when it ends.
import type { Answer } from "./answers/answer.ts";
import type { CacheOutcome, KeyFault } from "./observe/metrics.ts";
import type { Caller } from "./operations/operation.ts";
import type { RequestContext } from "./request-context.ts";
import type { RateUse } from "./request/rate-limit.ts";
import { findTarget } from "./request/request-url.ts";
import type { AnyRoute } from "./routes.ts";

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** The format in W3C Trace Context, §3.2. */
const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export class RequestInProgress {
  readonly request: Request;
  readonly startedAtMs = performance.now();
  readonly target: string;
  /** The client's address, if it is logged. Found early, because Bun forgets it when the client disconnects. */
  readonly client: string | undefined;
  caller: Caller | undefined;
  route: AnyRoute | undefined;
  rate: RateUse | undefined;
  /** The client's request id, if it is well-formed. */
  sentId: string | undefined;
  keyFault: KeyFault | undefined;
  shedReason: string | undefined;
  answer: Answer | undefined;
  cacheOutcome: CacheOutcome | undefined;
  #requestId: string | undefined;

  constructor(request: Request, { accessLog, findClient }: RequestContext) {
    this.request = request;
    this.target = findTarget(request.url);
    if (accessLog !== undefined) this.client = findClient?.(request);
  }

  takeId(sent: string | undefined): void {
    if (sent !== undefined && REQUEST_ID.test(sent)) this.sentId = sent;
  }

  obtainId(context: RequestContext): string {
    return (this.#requestId ??= this.sentId ?? context.createRequestId());
  }

  /** Counts and logs the request. Every request ends here, once. */
  finish(response: Response, context: RequestContext): Response {
    const { caller } = this;
    if (this.rate !== undefined) writeRate(this.rate, this.request, response);
    if (this.sentId !== undefined) response.headers.set("x-request-id", this.sentId);
    const durationMs = performance.now() - this.startedAtMs;
    const nowMs = context.now();
    if (caller !== undefined) context.state.keyring.noteUse(caller.held, nowMs);
    const { keyFault, shedReason, cacheOutcome } = this;
    const outcome = { project: caller?.held.key.project, keyFault, shedReason, cacheOutcome };
    context.metrics.count(this.route?.name, response.status, durationMs, outcome);
    if (context.accessLog !== undefined) this.#log(response, durationMs, nowMs, context);
    return response;
  }

  #log(response: Response, durationMs: number, nowMs: number, { accessLog }: RequestContext): void {
    const { request, target, client, caller } = this;
    const traceParent = request.headers.get("traceparent") ?? undefined;
    accessLog?.write({
      client,
      method: request.method,
      target,
      status: response.status,
      durationMs,
      nowMs,
      bytes: this.#countBytes(response),
      key: caller?.held.key.id,
      project: caller?.held.key.project,
      release: response.headers.get("catalog-release") ?? undefined,
      cache: this.cacheOutcome,
      requestId: this.#requestId ?? this.sentId,
      traceParent: traceParent !== undefined && TRACE_PARENT.test(traceParent) ? traceParent : undefined,
    });
  }

  /** Returns the body's length, or undefined if it is unknown before the end of the stream. */
  #countBytes({ status, headers }: Response): number | undefined {
    if (this.request.method === "HEAD" || status === 204 || status === 304) return 0;
    if (this.answer !== undefined && status === 200) {
      const body = this.answer.body.obtain(headers.get("content-encoding") === "gzip" ? "gzip" : "identity");
      return body instanceof Blob ? body.size : body?.byteLength;
    }
    const length = headers.get("content-length");
    return length === null ? undefined : Number(length);
  }
}

/**
 * Writes the header fields for the quota. A 304 does not count against the quota, to encourage revalidation; but `*`
 * matches what a client never had.
 */
function writeRate({ limit, client, quota }: RateUse, { headers }: Request, response: Response): void {
  const isFree = response.status === 304 && headers.get("if-none-match")?.trim() !== "*";
  limit.writeHeaders(response.headers, isFree ? limit.giveBack(client) : quota);
}
