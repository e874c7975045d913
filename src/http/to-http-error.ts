import type { Logger } from "pino";
import { ContentMissing } from "../catalog/catalog-reader.ts";
import { StoreAway } from "../following/guarded-catalog.ts";
import { HttpError, internalError, unavailable } from "./request/errors.ts";
import { findTarget, partTarget } from "./request/request-url.ts";

interface FailureContext {
  logger: Logger;
  isUnavailable: (error: unknown) => boolean;
  createRequestId: () => string;
}

/** The answer to whatever was thrown. What no client is to be told of is logged, once. */
export function toHttpError(
  error: unknown,
  request: Request,
  { logger, isUnavailable, createRequestId }: FailureContext,
): HttpError {
  if (error instanceof HttpError) return error;
  // The follower has logged it when the store went away.
  if (error instanceof StoreAway) return unavailable();
  if (error instanceof ContentMissing || isUnavailable(error)) {
    logger.error({ err: error }, "the store is unavailable");
    return unavailable();
  }
  const requestId = createRequestId();
  const { path } = partTarget(findTarget(request.url));
  logger.error({ err: error, requestId, method: request.method, path }, "request failed");
  return internalError(requestId);
}
