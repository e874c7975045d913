import { foldName } from "../../catalog/fold-name.ts";
import { badRequest } from "./errors.ts";
import { MAX_LIMIT, type QueryParameterName } from "./query-parameters.ts";
import { escapeUrl, parseQuery } from "./request-url.ts";

/** Query parameters that only some operations know; every operation knows `release`. */
export type ListParameter = Exclude<QueryParameterName, "release">;

/** The query parameters of a request, parsed. Those that are not given are undefined. */
export interface Parameters {
  /** The number of the release to read, in place of the current one. */
  release: number | undefined;
  /** As the client gave it, for links to other pages. */
  name: string | undefined;
  /** Folded for the match; "" matches every name. */
  foldedName: string;
  /** Without `limit` and `offset` the whole list is answered, however long. */
  limit: number | undefined;
  offset: number | undefined;
  /** The number of an earlier release. */
  since: number | undefined;
}

/**
 * Parses a query. Parameters that an operation does not know are ignored. Throws 400 for a malformed value, a repeated
 * parameter and malformed percent-encoding.
 */
export function parseParameters(query: string, known: readonly ListParameter[]): Parameters {
  const pairs = parseQuery(query);
  const find = (name: string): string | undefined => findSingle(pairs, name);
  const findKnown = (name: ListParameter): string | undefined => (known.includes(name) ? find(name) : undefined);
  const name = findKnown("name");
  const limit = parseWholeNumber("limit", findKnown("limit"));
  if (limit === 0) throw badRequest("limit must be 1 or more");
  return {
    release: parseWholeNumber("release", find("release")),
    name,
    foldedName: foldName(name ?? ""),
    limit: limit === undefined ? undefined : Math.min(limit, MAX_LIMIT),
    offset: parseWholeNumber("offset", findKnown("offset")),
    since: parseWholeNumber("since", findKnown("since")),
  };
}

function parseWholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw badRequest(`${name} must be a whole number of 1 to 9 digits`);
  return Number(value);
}

function findSingle(pairs: [name: string, value: string][], name: string): string | undefined {
  const values = pairs.filter((pair) => pair[0] === name);
  if (values.length > 1) throw badRequest(`${name} is given more than once`);
  return values[0]?.[1];
}

/**
 * The Link header (RFC 8288) of a page: its neighbours, where they exist. They name the release that this page is of, so
 * that pages never mix two. Undefined for an unpaged list, and for a page without neighbours.
 */
export function formatPageLinks(
  path: string,
  { name, limit, offset = 0 }: Parameters,
  release: number,
  total: number,
): string | undefined {
  const links: string[] = [];
  const link = (relation: string, size: number, start: number): void => {
    const query = new URLSearchParams(name === undefined ? {} : { name });
    query.set("limit", String(size));
    query.set("offset", String(start));
    query.set("release", String(release));
    links.push(`<${escapeUrl(path)}?${query.toString()}>; rel="${relation}"`);
  };
  if (limit !== undefined && offset + limit < total) link("next", limit, offset + limit);
  // For an offset beyond the end `prev` is the last items, not another empty page.
  const before = Math.min(offset, total);
  if (before > 0) {
    const size = Math.min(limit ?? MAX_LIMIT, before);
    link("prev", size, before - size);
  }
  return links.length === 0 ? undefined : links.join(", ");
}
