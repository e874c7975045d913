import type { Release } from "../../catalog/store.ts";

/** An error answer. Its message is public; the cause of a 500 never becomes part of it. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  release: Release | undefined;
  /** The reason why the server shed the request; undefined for other errors. */
  shedReason: string | undefined;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export const ALLOWED_METHODS = "GET, HEAD, OPTIONS";

export const badRequest = (message: string): HttpError => new HttpError(400, message);

// RFC 9110 §11.6.1 requires a challenge. The scheme is not Basic, which would make browsers open a dialog.
const unauthorized = (message: string): HttpError =>
  new HttpError(401, message, { "www-authenticate": 'ApiKey realm="course catalog", header="x-api-key"' });
export const missingKey = (): HttpError => unauthorized("Missing x-api-key header");
/** Uses the same message for unknown, expired and revoked keys, so that clients cannot distinguish them. */
export const invalidKey = (): HttpError => unauthorized("Invalid API key");

export const unknownPath = (): HttpError => new HttpError(404, "Not found");
export const courseNotFound = (): HttpError => new HttpError(404, "Course not found");
export const lessonNotFound = (): HttpError => new HttpError(404, "Lesson not found");
export const releaseNotFound = (): HttpError => new HttpError(404, "Release not found");
export const sinceMissing = (): HttpError =>
  badRequest("since is missing: give the number of the release to compare with");
export const releasePruned = (): HttpError => new HttpError(410, "This release is no longer kept");
export const methodNotAllowed = (): HttpError =>
  new HttpError(405, `Method not allowed; use ${ALLOWED_METHODS}`, { allow: ALLOWED_METHODS });
// The connection is closed, because an open one keeps the memory of its longest request head.
const tooLong = (status: number, message: string): HttpError => new HttpError(status, message, { connection: "close" });
export const urlTooLong = (maxBytes: number): HttpError => tooLong(414, `The URL is longer than ${maxBytes} bytes`);
export const headersTooLong = (maxBytes: number): HttpError =>
  tooLong(431, `The header fields are longer than ${maxBytes} bytes`);
export const internalError = (requestId: string): HttpError =>
  new HttpError(500, `Internal error, request ${requestId}`);
const shed = (shedReason: string, message: string): HttpError =>
  Object.assign(new HttpError(503, message, { "retry-after": "1" }), { shedReason });
export const unavailable = (): HttpError => shed("store", "The catalog is temporarily unavailable; try again");
export const searchUnavailable = (message: string): HttpError => shed("search", `${message}; try again`);
export const tooBusy = (): HttpError => shed("large-answers", "Too many large answers are in progress; try again");
export const assetsBusy = (): HttpError => shed("assets", "Too many files are being sent; try again");
/** For logs and metrics: the client has disconnected. The status is nginx's; HTTP does not define it. */
export const clientGone = (): HttpError => new HttpError(499, "The client closed the connection");
export const isClientGone = (error: unknown): boolean => error instanceof HttpError && error.status === 499;
