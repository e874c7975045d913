import { foldName } from "../../catalog/fold-name.ts";
import { NO_FILTER, parseFilter, type CourseFilter } from "./course-filter.ts";
import { badRequest } from "./errors.ts";
import type { QueryParameterName } from "./query-parameters.ts";
import { findSingle, parseQuery } from "./request-url.ts";

/** Query parameters that only some operations know; every operation knows `release`. */
export type OwnParameter = Exclude<QueryParameterName, "release">;

/** What an answer can have beyond the fields of the specification. */
export type Include = "lessons" | "meta" | "digest" | "nav";

/** What of the query an operation knows. */
export interface KnownParameters {
  parameters: readonly OwnParameter[];
  /** What `include` knows, where it is one of them. */
  includes?: readonly Include[];
}

/** The query parameters of a request, parsed. Those that are not given are undefined. */
export interface Parameters {
  /** The number of the release to read, in place of the current one. */
  release: number | undefined;
  /** In the order in which the members stand, each once. */
  include: readonly Include[];
  /** As the client gave it, for links to other pages. */
  name: string | undefined;
  /** Folded for the match; "" matches every name. */
  foldedName: string;
  filter: CourseFilter;
  /** Without `limit` and `offset` the whole list is answered, however long. */
  limit: number | undefined;
  offset: number | undefined;
  /** The number of an earlier release. */
  since: number | undefined;
}

/** What a request without a query asks for: nearly all are such. */
export const NO_PARAMETERS: Parameters = {
  release: undefined,
  include: [],
  name: undefined,
  foldedName: "",
  filter: NO_FILTER,
  limit: undefined,
  offset: undefined,
  since: undefined,
};

/**
 * Parses a query. Parameters that an operation does not know are ignored. Throws 400 for a malformed value, a repeated
 * parameter and malformed percent-encoding.
 */
export function parseParameters(query: string, known: KnownParameters): Parameters {
  return query === "" ? NO_PARAMETERS : parseGiven(query, known);
}

function parseGiven(query: string, { parameters: known, includes = [] }: KnownParameters): Parameters {
  const pairs = parseQuery(query);
  const find = (name: string): string | undefined => findSingle(pairs, name);
  const findKnown = (name: OwnParameter): string | undefined => (known.includes(name) ? find(name) : undefined);
  const name = findKnown("name");
  const limit = parseWholeNumber("limit", findKnown("limit"));
  if (limit === 0) throw badRequest("limit must be 1 or more");
  return {
    release: parseWholeNumber("release", find("release")),
    include: parseInclude(findKnown("include"), includes),
    name,
    foldedName: foldName(name ?? ""),
    filter: known.includes("sort") ? parseFilter(pairs) : NO_FILTER,
    limit,
    offset: parseWholeNumber("offset", findKnown("offset")),
    since: parseWholeNumber("since", findKnown("since")),
  };
}

function parseWholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw badRequest(`${name} must be a whole number of 1 to 9 digits`);
  return Number(value);
}

function parseInclude(value: string | undefined, known: readonly Include[]): Include[] {
  if (value === undefined) return [];
  const names = value.split(",");
  const unknown = names.find((name) => !known.some((each) => each === name));
  if (unknown !== undefined) {
    throw badRequest(`include knows ${known.join(", ")} here, not "${unknown.slice(0, 100)}"`);
  }
  if (new Set(names).size < names.length) throw badRequest("include names something more than once");
  return known.filter((name) => names.includes(name));
}
