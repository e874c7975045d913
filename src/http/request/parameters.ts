// Describes all query parameters for the OpenAPI document, and parses them. Add new parameters here.
import { foldName } from "../../catalog/fold-name.ts";
import { toTimestamp } from "../../catalog/timestamps.ts";
import { parseQuery as parseSearch, type SearchQuery } from "../../search/query.ts";
import { badRequest } from "./errors.ts";
import { parseQuery } from "./request-url.ts";

const MAX_NUMBER = 999_999_999;

const MAX_IDS = 100;
const MAX_FOUND = 20;
/** Orders of courses; `-createdAt` is the default. */
const SORTS = ["createdAt", "-createdAt", "updatedAt", "-updatedAt", "name", "-name"] as const;

export interface QueryParameter {
  description: string;
  schema: Readonly<Record<string, unknown>>;
  isRequired?: boolean;
}

export const QUERY_PARAMETERS = {
  q: {
    description:
      'Up to 8 words that must all match, the last one as a prefix. `"a phrase"` matches words in sequence; `-word` excludes a word. Case and accents are ignored.',
    schema: { type: "string", minLength: 1, maxLength: 200 },
    isRequired: true,
  },
  course: {
    description: "Searches only this course, given by id or slug.",
    schema: { type: "string" },
  },
  name: {
    description:
      "Only courses whose name contains this text, ignoring case and accents. An empty value does not filter.",
    schema: { type: "string" },
  },
  language: {
    description:
      "Only courses in this language range (RFC 4647, basic filtering): `pt` also matches `pt-BR`. `*` and an empty value do not filter.",
    schema: { type: "string" },
  },
  tag: {
    description:
      "Only courses with this exact tag; repeat the parameter to require several tags. An empty value does not filter.",
    schema: { type: "array", items: { type: "string" } },
  },
  ids: {
    description: `Only these courses (up to ${MAX_IDS}), by id or slug. Repeat the parameter or separate courses with commas. A value that is itself an id is not split.`,
    schema: { type: "array", items: { type: "string" } },
  },
  updatedSince: {
    description: "Only courses changed at or after this time: an ISO 8601 date, or a date-time with a zone.",
    schema: { type: "string" },
  },
  sort: {
    description: "The order of the courses; `-` reverses it. The default is `-createdAt`. Ties are ordered by id.",
    schema: { type: "string", enum: [...SORTS] },
  },
  include: {
    description: "Additional members such as `meta`: names separated by commas, each at most once.",
    schema: { type: "string" },
  },
  limit: {
    description:
      "The page size. Without `limit` and `offset`, the answer contains the whole list, or the first 20 results of a search.",
    schema: { type: "integer", minimum: 1, maximum: MAX_NUMBER },
  },
  offset: {
    description: "The number of items to skip.",
    schema: { type: "integer", minimum: 0, maximum: MAX_NUMBER },
  },
  since: {
    description:
      "The release to compare with. The key's channel must have published it, and it must not have been pruned.",
    schema: { type: "integer", minimum: 0, maximum: MAX_NUMBER },
    isRequired: true,
  },
  release: {
    description:
      "Reads this release instead of the current one. The key's channel must have published it, and it must not have been pruned.",
    schema: { type: "integer", minimum: 0, maximum: MAX_NUMBER },
  },
} as const satisfies Record<string, QueryParameter>;

export type QueryParameterName = keyof typeof QUERY_PARAMETERS;

type Pair = [name: string, value: string];

export type OwnParameter = Exclude<QueryParameterName, "release">;

export type Include = "lessons" | "meta" | "digest" | "nav" | "tree";

/** An order other than the default, `-createdAt`. */
export type Sort = Exclude<(typeof SORTS)[number], "-createdAt">;

export interface KnownParameters {
  parameters: readonly OwnParameter[];
  includes?: readonly Include[];
}

export interface CourseFilter {
  /** A language range (RFC 4647 §2.1) in lower case; "" for any language. */
  language: string;
  /** Tags that a course must all have. Sorted, without duplicates. */
  tags: readonly string[];
  /** Sorted, without duplicates. Each value is an id or slug, or several separated by commas. Undefined for all. */
  ids: readonly string[] | undefined;
  updatedSince: string | undefined;
  sort: Sort | undefined;
}

export interface Parameters {
  q: string | undefined;
  /** The parsed `q`, without terms if the operation does not search. */
  search: SearchQuery;
  course: string | undefined;
  release: number | undefined;
  /** In the operation's order, without duplicates. */
  include: readonly Include[];
  /** The name as the client sent it, for links to other pages. */
  name: string | undefined;
  /** The name, folded for matching; "" matches every name. */
  foldedName: string;
  filter: CourseFilter;
  limit: number | undefined;
  offset: number | undefined;
  since: number | undefined;
  /** A text that is equal for queries with the same meaning, apart from `release`; "" for an empty query. */
  canonical: string;
}

const NO_SEARCH: SearchQuery = { terms: [], excluded: [] };
const NO_PARAMETERS = parsePairs([], { parameters: [] });

/** A language range (RFC 4647 §2.1), except `*`, which does not filter. */
const RANGE = /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i;

/** Throws 400 for a malformed or repeated parameter. Ignores other operations' parameters. */
export function parseParameters(query: string, known: KnownParameters): Parameters {
  return query === "" && !known.parameters.includes("q") ? NO_PARAMETERS : parsePairs(parseQuery(query), known);
}

function parsePairs(pairs: Pair[], { parameters: known, includes = [] }: KnownParameters): Parameters {
  const find = (name: OwnParameter): string | undefined => (known.includes(name) ? findSingle(pairs, name) : undefined);
  const name = find("name");
  const q = find("q");
  const given = parseWholeNumber("limit", find("limit"));
  if (given === 0) throw badRequest("limit must be 1 or more");
  const limit = known.includes("q") ? Math.min(given ?? MAX_FOUND, MAX_FOUND) : given;
  const parameters: Parameters = {
    release: parseWholeNumber("release", findSingle(pairs, "release")),
    include: parseInclude(find("include"), includes),
    q,
    search: known.includes("q") ? requireSearch(q) : NO_SEARCH,
    course: find("course"),
    name,
    foldedName: foldName(name ?? ""),
    filter: parseFilter(pairs.filter(([pair]) => known.some((parameter) => parameter === pair))),
    limit,
    offset: parseWholeNumber("offset", find("offset")),
    since: parseWholeNumber("since", find("since")),
    canonical: "",
  };
  return { ...parameters, canonical: formatCanonical(parameters) };
}

function findSingle(pairs: Pair[], name: string): string | undefined {
  const values = pairs.filter((pair) => pair[0] === name);
  if (values.length > 1) throw badRequest(`${name} must not be repeated`);
  return values[0]?.[1];
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
    throw badRequest(`include accepts ${known.join(", ")} here, not "${unknown.slice(0, 100)}"`);
  }
  if (new Set(names).size < names.length) throw badRequest("include must not repeat a name");
  return known.filter((name) => names.includes(name));
}

function parseFilter(pairs: Pair[]): CourseFilter {
  const listAll = (name: string): string[] => {
    const values = pairs.filter((pair) => pair[0] === name).map((pair) => pair[1]);
    return [...new Set(values)].sort();
  };
  return {
    language: parseLanguage(findSingle(pairs, "language")),
    tags: listAll("tag"),
    ids: pairs.some(([name]) => name === "ids") ? requireFew(listAll("ids")) : undefined,
    updatedSince: parseTime(findSingle(pairs, "updatedSince")),
    sort: parseSort(findSingle(pairs, "sort")),
  };
}

function parseLanguage(value = ""): string {
  if (value === "" || value === "*") return "";
  if (!RANGE.test(value)) throw badRequest("language must be a language range (RFC 4647) such as pt or zh-Hans, or *");
  try {
    // Courses store canonical language tags: `he`, not `iw`.
    return (Intl.getCanonicalLocales(value)[0] ?? value).toLowerCase();
  } catch {
    return value.toLowerCase();
  }
}

function requireFew(values: string[]): string[] {
  const named = values.reduce((sum, value) => sum + splitIds(value).length, 0);
  if (named > MAX_IDS) throw badRequest(`ids names ${named} courses; the limit is ${MAX_IDS} per request`);
  return values;
}

export function splitIds(value: string): string[] {
  return value.split(",").filter((part) => part !== "");
}

function parseTime(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const timestamp = toTimestamp(value);
  if (timestamp !== undefined) return timestamp;
  throw badRequest(
    "updatedSince must be a date such as 2026-01-31, or a time with its zone such as 2026-01-31T09:30:00Z; write + as %2B",
  );
}

function requireSearch(q = ""): SearchQuery {
  const query = parseSearch(q);
  if (typeof query === "string") throw badRequest(query);
  return query;
}

function parseSort(value: string | undefined): Sort | undefined {
  if (value === undefined) return undefined;
  const sort = SORTS.find((each) => each === value);
  if (sort === undefined) throw badRequest(`sort must be one of ${SORTS.join(", ")}`);
  return sort === "-createdAt" ? undefined : sort;
}

/** For a page, the text contains the name as the client wrote it, because the page's links repeat that form. */
function formatCanonical(parameters: Parameters): string {
  const { foldedName, limit, offset, since } = parameters;
  if (since !== undefined) return `since=${since}`;
  const isPage = limit !== undefined || offset !== undefined;
  const given = isPage ? parameters : { ...parameters, name: foldedName };
  const pairs = listGiven(given).filter(([name, value]) => name !== "name" || value !== "");
  if (limit !== undefined) pairs.push(["limit", String(limit)]);
  if (offset !== undefined) pairs.push(["offset", String(offset)]);
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

function listGiven({ q, course, name, filter, include }: Parameters): Pair[] {
  const { language, tags, ids, updatedSince, sort } = filter;
  const pairs: Pair[] = [];
  if (q !== undefined) pairs.push(["q", q]);
  if (course !== undefined) pairs.push(["course", course]);
  if (name !== undefined) pairs.push(["name", name]);
  if (language !== "") pairs.push(["language", language]);
  for (const tag of tags) pairs.push(["tag", tag]);
  for (const id of ids ?? []) pairs.push(["ids", id]);
  if (updatedSince !== undefined) pairs.push(["updatedSince", updatedSince]);
  if (sort !== undefined) pairs.push(["sort", sort]);
  if (include.length > 0) pairs.push(["include", include.join(",")]);
  return pairs;
}

/** Formats a page's Link header (RFC 8288): relative queries, pinned to one release. Undefined for a single page. */
export function formatPageLinks(parameters: Parameters, release: number, total: number): string | undefined {
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
  // Past the end, `prev` is the last page with items.
  const before = Math.min(offset, total);
  if (before > 0) {
    const size = Math.min(limit ?? before, before);
    link("prev", size, before - size);
  }
  return links.length === 0 ? undefined : links.join(", ");
}
