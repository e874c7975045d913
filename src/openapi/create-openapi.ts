// Creates the OpenAPI 3.1 document from routes, schemas, parameters, and answers of the example catalog. Throws for
// anything without a description, so that nothing is left out.
import manifest from "../../package.json" with { type: "json" };
import { routes } from "../http/routes.ts";
import { QUERY_PARAMETERS, type QueryParameter, type QueryParameterName } from "../http/request/parameters.ts";
import { ANSWER_HEADERS, COMMON_HEADERS, referToHeaders, type HeaderName } from "./answer-headers.ts";
import { createErrorResponses, createPlainResponses, createSuccessResponse, ERROR_RESPONSES } from "./answers.ts";
import { createSchemas } from "./create-schemas.ts";
import {
  DESCRIBED_OPERATIONS,
  INTRODUCTION,
  PATH_PARAMETERS,
  TAGS,
  type OperationDescription,
  type OperationName,
} from "./described-operations.ts";
import type { ExampleService } from "./example-service.ts";

type Route = (typeof routes)[number];
type OperationRoute = Extract<Route, { kind: "operation" }>;

/** Renders the document. Throws an Error that names what has no description. */
export async function createOpenApi(service: ExampleService): Promise<string> {
  const paths: Record<string, unknown> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    if (route.kind === "operation") paths[path] = await createPathItem(route, service);
    // The other pages are for people, so the document omits them.
    else if (route.name === "asset") paths[path] = createFilePath(createPathParameters(route));
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Lectern",
      summary: "A read service for course catalogs",
      description: INTRODUCTION,
      version: manifest.version,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: ".", description: "The server of this document" }],
    security: [{ apiKey: [] }],
    tags: TAGS,
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "A key that an operator created." },
      },
      parameters: createParameters(),
      headers: ANSWER_HEADERS,
      responses: { ...createPlainResponses(), ...(await createErrorResponses(service)) },
      schemas: createSchemas(),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function createPathItem(route: OperationRoute, service: ExampleService): Promise<unknown> {
  const described: OperationDescription | undefined = DESCRIBED_OPERATIONS[route.name as OperationName];
  if (described === undefined) throw new Error(`described-operations.ts: ${route.path} has no description`);
  const { operationId, tag, summary, description } = described;
  const query = [...route.parameters, "release" as const].map((name) =>
    name === "include" ? createInclude(route) : { $ref: `#/components/parameters/${name}` },
  );
  const parameters = [...query, { $ref: "#/components/parameters/IfNoneMatch" }];
  const errors = Object.fromEntries(
    Object.entries(ERROR_RESPONSES).map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
  const success = await createSuccessResponse(route.name as OperationName, described, route, service);
  const notModified = { $ref: "#/components/responses/NotModified" };
  return {
    parameters: createPathParameters(route),
    get: {
      operationId,
      tags: [tag],
      summary,
      description,
      parameters,
      responses: { 200: success, 304: notModified, ...errors },
    },
    // HEAD and OPTIONS are only for generated clients; the reference page omits them.
    head: {
      operationId: `${operationId}Head`,
      tags: [tag],
      summary: `${summary} (header fields only)`,
      "x-scalar-ignore": true,
      parameters,
      responses: {
        200: { $ref: "#/components/responses/HeadersAlone" },
        304: notModified,
        "4XX": { $ref: "#/components/responses/ErrorWithoutBody" },
        "5XX": { $ref: "#/components/responses/ErrorWithoutBody" },
      },
    },
    options: {
      operationId: `${operationId}Options`,
      tags: [tag],
      summary: "CORS preflight",
      "x-scalar-ignore": true,
      security: [],
      responses: { 204: { $ref: "#/components/responses/Preflight" } },
    },
  };
}

function createPathParameters({ path }: Route): unknown[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const described = PATH_PARAMETERS[name];
    if (described === undefined) throw new Error(`described-operations.ts: :${name} in ${path} has no description`);
    const schema = { type: "string", minLength: 1, maxLength: 255 };
    return { name, in: "path", required: true, ...described, schema };
  });
}

/** Creates the `include` parameter, which accepts different names in each operation. */
function createInclude({ includes = [] }: OperationRoute): unknown {
  const items = { type: "string", enum: includes };
  const schema = { type: "array", items, uniqueItems: true };
  const { description } = QUERY_PARAMETERS.include;
  return { name: "include", in: "query", required: false, description, style: "form", explode: false, schema };
}

function createParameters(): Record<string, unknown> {
  const shared = Object.entries<QueryParameter>(QUERY_PARAMETERS).filter(([name]) => name !== "include");
  const query = shared.map(([name, parameter]) => {
    const { description, schema, isRequired = false, ...rest } = parameter;
    return [name, { name, in: "query", required: isRequired, description, schema, ...rest }];
  });
  return {
    ...(Object.fromEntries(query) as Record<QueryParameterName, unknown>),
    IfNoneMatch: {
      name: "if-none-match",
      in: "header",
      description: "Tags of cached answers, or `*`. An unchanged answer is a 304.",
      schema: { type: "string" },
    },
  };
}

/** Describes the path of lesson files, which browsers fetch without a key and without the envelope. */
function createFilePath(pathParameters: unknown[]): unknown {
  const headers: HeaderName[] = [
    "ETag",
    "Cache-Control",
    "Accept-Ranges",
    "Content-Disposition",
    "Content-Security-Policy",
    ...COMMON_HEADERS,
  ];
  const content = { "*/*": {} };
  const error = (status: number): unknown => ({ $ref: `#/components/responses/${ERROR_RESPONSES[status]?.name}` });
  return {
    parameters: pathParameters,
    get: {
      operationId: "getFile",
      tags: ["Files"],
      summary: "Get a file",
      description:
        "An image or other file of a lesson, served without a key. The content at a URL never changes. A request can " +
        "ask for one `Range`.",
      security: [],
      parameters: [
        { $ref: "#/components/parameters/IfNoneMatch" },
        {
          name: "range",
          in: "header",
          description: "The range of bytes to return, such as `bytes=0-1023`.",
          schema: { type: "string" },
        },
      ],
      responses: {
        200: { description: "The file.", headers: referToHeaders(headers), content },
        206: { description: "Part of the file.", headers: referToHeaders([...headers, "Content-Range"]), content },
        304: { description: "Unchanged.", headers: referToHeaders(headers) },
        404: error(404),
        416: {
          description: "The range begins beyond the end of the file.",
          headers: referToHeaders(["Content-Range", "Cache-Control", ...COMMON_HEADERS]),
          content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } },
        },
        429: error(429),
        500: error(500),
        503: error(503),
      },
    },
  };
}
