import { ERROR_RESPONSES } from "./answers.ts";
import { COMMON_HEADERS, referToHeaders, type HeaderName } from "./answer-headers.ts";

/** Returns the path of files in lessons, which browsers fetch without a key and without the envelope. */
export function createFilePath(pathParameters: unknown[]): unknown {
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
        "An image or another file of a lesson, without a key. The content at a URL never changes. One `Range` can be " +
        "asked for.",
      security: [],
      parameters: [
        { $ref: "#/components/parameters/IfNoneMatch" },
        {
          name: "range",
          in: "header",
          description: "The bytes to send, such as `bytes=0-1023`.",
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
