// What is made of the parameters of a request again: links to other pages of a list, and the one form of all spellings.
import { listFilter } from "./course-filter.ts";
import { NO_PARAMETERS, type Parameters } from "./parameters.ts";
import { MAX_LIMIT } from "./query-parameters.ts";

/**
 * The Link header (RFC 8288) of a page: its neighbours, where they exist. They name the release that this page is of, so
 * that pages never mix two. Undefined for an unpaged list, and for a page without neighbours.
 */
export function formatPageLinks(
  parameters: Parameters,
  release: number,
  total: number,
): string | undefined {
  const { limit, offset = 0 } = parameters;
  const links: string[] = [];
  const link = (relation: string, size: number, start: number): void => {
    const query = new URLSearchParams(listGiven(parameters));
    query.set("limit", String(size));
    query.set("offset", String(start));
    query.set("release", String(release));
    links.push(`<?${query.toString()}>; rel="${relation}"`);
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

/**
 * The canonical form of a query, without `release`: the one of all that ask for the same. Page links repeat the name as the
 * client wrote it, so for a page that is part of it. "" where nothing is asked for beyond the path.
 */
export function formatCanonicalQuery(parameters: Parameters): string {
  if (parameters === NO_PARAMETERS) return "";
  const { foldedName, limit, offset, since } = parameters;
  if (since !== undefined) return `since=${since}`;
  const given = isPage(parameters) ? parameters : { ...parameters, name: foldedName };
  const pairs = listGiven(given).filter(([name, value]) => name !== "name" || value !== "");
  if (limit !== undefined) pairs.push(["limit", String(limit)]);
  if (offset !== undefined) pairs.push(["offset", String(offset)]);
  // A comma as clients write it.
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`).join("&");
}

/** True for a part of a list. */
export function isPage({ limit, offset }: Parameters): boolean {
  return limit !== undefined || offset !== undefined;
}

/** What a request asks of each page. */
function listGiven({ name, filter, include }: Parameters): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  if (name !== undefined) pairs.push(["name", name]);
  pairs.push(...listFilter(filter));
  if (include.length > 0) pairs.push(["include", include.join(",")]);
  return pairs;
}
