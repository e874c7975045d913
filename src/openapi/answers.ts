// Describes answers: those of each operation, and those that all operations share.
import type { OperationRoute } from "../http/operations/operation.ts";
import { headersTooLong, internalError, unavailable } from "../http/request/errors.ts";
import { ANSWER_HEADERS, COMMON_HEADERS, CONTENT_HEADERS, referToHeaders, type HeaderName } from "./answer-headers.ts";
import { nameBody } from "./create-schemas.ts";
import type { OperationDescription, OperationName } from "./described-operations.ts";
import type { ExampleService } from "./example-service.ts";

interface ErrorResponse {
  /** The name of the answer in `components.responses`. */
  name: string;
  description: string;
  headers?: HeaderName[];
  /** Requests to the example catalog that receive this answer. */
  examples?: Record<string, { path: string; key?: string; method?: string }>;
  /** The message of an error that the example catalog cannot cause. */
  message?: string;
}

export const ERROR_RESPONSES: Record<number, ErrorResponse> = {
  400: {
    name: "BadRequest",
    description: "A parameter is malformed, repeated or missing, or the percent-encoding is malformed.",
    examples: {
      limit: { path: "/api/v1/courses?limit=0" },
      release: { path: "/api/v1/courses?release=next" },
      encoding: { path: "/api/v1/courses/%zz" },
    },
  },
  401: {
    name: "Unauthorized",
    description: "The key is missing or invalid. Unknown, expired and revoked keys get the same answer.",
    headers: ["WWW-Authenticate"],
    examples: {
      missing: { path: "/api/v1/courses", key: "" },
      invalid: { path: "/api/v1/courses", key: "not-a-key-of-this-server" },
    },
  },
  404: {
    name: "NotFound",
    description:
      "This key can read no such course, lesson or release. Only keys with access to drafts can read drafts, and a lesson " +
      "exists only under its own course.",
    headers: ["Catalog-Release"],
    examples: {
      course: { path: "/api/v1/courses/no-such-course" },
      lesson: { path: "/api/v1/courses/coffee/lessons/no-such-lesson" },
      release: { path: "/api/v1/courses?release=9" },
    },
  },
  405: {
    name: "MethodNotAllowed",
    description: "The path does not support this method.",
    headers: ["Allow"],
    examples: { post: { path: "/api/v1/courses", method: "POST" } },
  },
  410: {
    name: "Gone",
    description: "The release was pruned. Start again without `release`.",
    examples: { pruned: { path: "/api/v1/courses?release=1" } },
  },
  414: {
    name: "UriTooLong",
    description: "The path and query together are longer than 8192 bytes.",
    examples: { long: { path: `/api/v1/courses?name=${"a".repeat(8200)}` } },
  },
  429: {
    name: "TooManyRequests",
    description: "The key or address exceeds its rate limit, or the address sent too many wrong keys.",
    headers: ["Retry-After"],
    message: "Too many requests with this key; try again in 1 second",
  },
  431: {
    name: "HeadersTooLong",
    description: "The header fields are longer than 16384 bytes.",
    message: headersTooLong(16_384).message,
  },
  500: {
    name: "InternalError",
    description: "Internal error. The server logs it with the request id.",
    message: internalError("4f9c2a51-0b7e-4d3c-9a86-1e5d7c2b8f30").message,
  },
  503: {
    name: "Unavailable",
    description:
      "The catalog is temporarily unavailable, or too many large answers, searches or files are in progress.",
    headers: ["Retry-After"],
    message: unavailable().message,
  },
};

/** Creates the error answers that all operations share, by name. Throws if an example returns another status. */
export async function createErrorResponses(service: ExampleService): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  for (const [status, { name, description, headers = [], examples = {}, message }] of Object.entries(ERROR_RESPONSES)) {
    const code = Number(status);
    const shown: Record<string, unknown> = {};
    for (const [label, { path, ...options }] of Object.entries(examples)) {
      shown[label] = { value: await askFor(service, code, path, options) };
    }
    if (message !== undefined) shown["message"] = { value: { data: {}, success: false, message, code } };
    responses[name] = {
      description,
      headers: referToHeaders([...headers, "Cache-Control", ...COMMON_HEADERS]),
      content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" }, examples: shown } },
    };
  }
  return responses;
}

/** Creates the answers without a body, by name. */
export function createPlainResponses(): Record<string, unknown> {
  const headers = referToHeaders([...CONTENT_HEADERS, ...COMMON_HEADERS, "Link", "Content-Location"]);
  const ofErrors = Object.values(ERROR_RESPONSES).flatMap((response) => response.headers ?? []);
  const preflight = (Object.keys(ANSWER_HEADERS) as HeaderName[]).filter((name) => name.startsWith("Access-Control-"));
  return {
    NotModified: { description: "Unchanged: `If-None-Match` contains the current tag.", headers },
    HeadersAlone: { description: "The header fields of the corresponding `GET` answer.", headers },
    ErrorWithoutBody: {
      description: "The header fields of the corresponding `GET` error.",
      headers: referToHeaders([...ofErrors, "Cache-Control", ...COMMON_HEADERS]),
    },
    Preflight: {
      description: "The methods, header fields and origins that CORS allows.",
      headers: referToHeaders(["Allow", "X-Content-Type-Options", "Vary", ...preflight]),
    },
  };
}

export async function createSuccessResponse(
  name: OperationName,
  { answer, examples }: OperationDescription,
  { path, parameters }: OperationRoute,
  service: ExampleService,
): Promise<unknown> {
  const shown: Record<string, unknown> = {};
  for (const [label, example] of Object.entries(examples)) {
    const value = await askFor(service, 200, `/api/v1${example.path}`);
    shown[label] = { summary: example.summary, description: `\`GET /api/v1${example.path}\``, value };
  }
  const headers: HeaderName[] = [...CONTENT_HEADERS, "Content-Encoding", ...COMMON_HEADERS];
  if (parameters.includes("limit")) headers.push("Link");
  if (path.includes(":")) headers.push("Content-Location");
  return {
    description: answer,
    headers: referToHeaders(headers),
    content: {
      "application/json": { schema: { $ref: `#/components/schemas/${nameBody(name)}` }, examples: shown },
    },
  };
}

async function askFor(
  service: ExampleService,
  status: number,
  path: string,
  options: { key?: string; method?: string } = {},
): Promise<unknown> {
  const answer = await service.ask(path, options);
  if (answer.status !== status) {
    throw new Error(`${path.slice(0, 80)} is an example of ${status}, but the answer is ${answer.status}`);
  }
  return answer.body;
}
