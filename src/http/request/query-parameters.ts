// Every query parameter, with what the description of the interface tells of it. A new one begins here.

const MAX_NUMBER = 999_999_999;

export const MAX_IDS = 100;
/** The orders of courses; `-createdAt` is that of the list. */
export const SORTS = ["createdAt", "-createdAt", "updatedAt", "-updatedAt", "name", "-name"] as const;

export interface QueryParameter {
  description: string;
  schema: Readonly<Record<string, unknown>>;
  isRequired?: boolean;
}

export const QUERY_PARAMETERS = {
  name: {
    description:
      "Only courses whose name contains this text, whatever its case and accents. An empty text filters nothing.",
    schema: { type: "string" },
  },
  language: {
    description:
      "Only courses in this language: a range (RFC 4647, basic filtering), so that `pt` finds `pt-BR` too. `*` and an empty text filter nothing.",
    schema: { type: "string" },
  },
  tag: {
    description:
      "Only courses that have this tag, letter for letter; of several, all of them. An empty text filters nothing.",
    schema: { type: "array", items: { type: "string" } },
  },
  ids: {
    description: `Only these courses, by id or slug: repeated, or with commas between them, up to ${MAX_IDS}. A value that is an id is taken whole.`,
    schema: { type: "array", items: { type: "string" } },
  },
  updatedSince: {
    description: "Only courses that were last changed then or later: an ISO 8601 date, or date-time with zone.",
    schema: { type: "string" },
  },
  sort: {
    description: "The order of the courses, with `-` the other way round; `-createdAt` unless given. Equal ones by id.",
    schema: { type: "string", enum: [...SORTS] },
  },
  include: {
    description:
      "What the answer has beyond its fields, such as `meta`: names with commas between them, each at most once.",
    schema: { type: "string" },
  },
  limit: {
    description: "The size of a page. Without `limit` and `offset` the whole list is answered.",
    schema: { type: "integer", minimum: 1, maximum: MAX_NUMBER },
  },
  offset: {
    description: "How many items stand before the page.",
    schema: { type: "integer", minimum: 0, maximum: MAX_NUMBER },
  },
  since: {
    description: "The release to compare with: one that the channel of the key has published and that is kept.",
    schema: { type: "integer", minimum: 0, maximum: MAX_NUMBER },
    isRequired: true,
  },
  release: {
    description:
      "Reads this release in place of the current one: one that the channel of the key has published and that is kept.",
    schema: { type: "integer", minimum: 0, maximum: MAX_NUMBER },
  },
} as const satisfies Record<string, QueryParameter>;

export type QueryParameterName = keyof typeof QUERY_PARAMETERS;
