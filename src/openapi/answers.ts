// What is answered: by operation, and by every operation alike.
import type { OperationRoute } from "../http/operations/operation.ts";
import { headersTooLong, internalError, unavailable } from "../http/request/errors.ts";
import { ANSWER_HEADERS, COMMON_HEADERS, CONTENT_HEADERS, referToHeaders, type HeaderName } from "./answer-headers.ts";
import { nameBody } from "./create-schemas.ts";
import type { OperationDescription, OperationName } from "./described-operations.ts";
import type { ExampleService } from "./example-service.ts";

interface ErrorResponse {
  /** In `components.responses`. */
  name: string;
  description: string;
  headers?: HeaderName[];
  /** Requests to the example catalog that are answered so. */
  examples?: Record<string, { path: string; key?: string; method?: string }>;
  /** Of an error that the example catalog never answers, as the server words it. */
  message?: string;
}

export const ERROR_RESPONSES: Record<number, ErrorResponse> = {
  400: {
    name: "BadRequest",
    description: "A parameter is malformed, repeated or missing, or percent-encoding is broken.",
    examples: {
      limit: { path: "/api/v1/courses?limit=0" },
      release: { path: "/api/v1/courses?release=next" },
      encoding: { path: "/api/v1/courses/%zz" },
    },
  },
  401: {
    name: "Unauthorized",
    description: "There is no key, or none that is valid: unknown, expired and revoked keys are not told apart.",
    headers: ["WWW-Authenticate"],
    examples: {
      missing: { path: "/api/v1/courses", key: "" },
      invalid: { path: "/api/v1/courses", key: "not-a-key-of-this-server" },
    },
  },
  404: {
    name: "NotFound",
    description:
      "There is no such course, lesson or release for this key: a draft is found by keys that read drafts alone, and a lesson " +
      "under its own course.",
    headers: ["Catalog-Release"],
    examples: {
      course: { path: "/api/v1/courses/no-such-course" },
      lesson: { path: "/api/v1/courses/coffee/lessons/no-such-lesson" },
      release: { path: "/api/v1/courses?release=9" },
    },
  },
  405: {
    name: "MethodNotAllowed",
    description: "The path knows no such method.",
    headers: ["Allow"],
    examples: { post: { path: "/api/v1/courses", method: "POST" } },
  },
  410: {
    name: "Gone",
    description: "The release was published, and is no longer kept. Start again without `release`.",
    examples: { pruned: { path: "/api/v1/courses?release=1" } },
  },
  414: {
    name: "UriTooLong",
    description: "Path and query are longer than 8192 bytes.",
    examples: { long: { path: `/api/v1/courses?name=${"a".repeat(8200)}` } },
  },
  429: {
    name: "TooManyRequests",
    description: "The key makes more requests than the server allows, or the address more with wrong keys.",
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
    description: "A fault of the server. Its log has the request by its id.",
    message: internalError("4f9c2a51-0b7e-4d3c-9a86-1e5d7c2b8f30").message,
  },
  503: {
    name: "Unavailable",
    description: "The catalog cannot be read just now, or too many large answers are under way.",
    headers: ["Retry-After"],
    message: unavailable().message,
  },
};

/** The error answers of every operation, by name. Throws when an example is answered with another status. */
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

/** The answers without a body, by name. */
export function createPlainResponses(): Record<string, unknown> {
  const headers = referToHeaders([...CONTENT_HEADERS, ...COMMON_HEADERS, "Link", "Content-Location"]);
  const ofErrors = Object.values(ERROR_RESPONSES).flatMap((response) => response.headers ?? []);
  const preflight = (Object.keys(ANSWER_HEADERS) as HeaderName[]).filter((name) => name.startsWith("Access-Control-"));
  return {
    NotModified: { description: "The client holds this answer: `If-None-Match` names its tag.", headers },
    HeadersAlone: { description: "The header fields of the answer to `GET`.", headers },
    ErrorWithoutBody: {
      description: "The header fields of the error that `GET` is answered with.",
      headers: referToHeaders([...ofErrors, "Cache-Control", ...COMMON_HEADERS]),
    },
    Preflight: {
      description: "What may be asked, and by pages of which origins.",
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
    throw new Error(`${path.slice(0, 80)} is an example of ${status} and was answered ${answer.status}`);
  }
  return answer.body;
}
