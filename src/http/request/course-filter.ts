// Which courses of the list are asked for, beside those of a name, and in which order.
import { toTimestamp } from "../../catalog/timestamps.ts";
import { badRequest } from "./errors.ts";
import { MAX_IDS, SORTS } from "./query-parameters.ts";
import { findSingle } from "./request-url.ts";

/** An order of courses; the one of the list is undefined. */
export type Sort = Exclude<(typeof SORTS)[number], "-createdAt">;

/** What a request asks of courses. */
export interface CourseFilter {
  /** A language range (RFC 4647 §2.1) in lower case; "" for whatever language. */
  language: string;
  /** A course must have all of them. In order, each once. */
  tags: readonly string[];
  /** As given, in order, each once: an id or a slug, or several with commas. Undefined for all courses. */
  ids: readonly string[] | undefined;
  /** A UTC timestamp with milliseconds. */
  updatedSince: string | undefined;
  sort: Sort | undefined;
}

/** The filter of a request that asks for nothing. */
export const NO_FILTER: CourseFilter = {
  language: "",
  tags: [],
  ids: undefined,
  updatedSince: undefined,
  sort: undefined,
};

/** RFC 4647 §2.1, but for `*`, which filters nothing. */
const RANGE = /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i;

/** Parses the parameters of a filter. Throws 400 for a malformed value, and a repeated one where only one has a meaning. */
export function parseFilter(pairs: [name: string, value: string][]): CourseFilter {
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

/** The filter as parameters, in one form for all that ask for the same. */
export function listFilter({ language, tags, ids, updatedSince, sort }: CourseFilter): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  if (language !== "") pairs.push(["language", language]);
  for (const tag of tags) pairs.push(["tag", tag]);
  for (const id of ids ?? []) pairs.push(["ids", id]);
  if (updatedSince !== undefined) pairs.push(["updatedSince", updatedSince]);
  if (sort !== undefined) pairs.push(["sort", sort]);
  return pairs;
}

/** The ids and slugs in a value of `ids` that is no id itself. */
export function splitIds(value: string): string[] {
  return value.split(",").filter((part) => part !== "");
}

function parseLanguage(value = ""): string {
  if (value === "" || value === "*") return "";
  if (!RANGE.test(value)) throw badRequest("language must be a language range (RFC 4647) such as pt or zh-Hans, or *");
  try {
    // Languages stand in their canonical form: `iw` is `he`.
    return (Intl.getCanonicalLocales(value)[0] ?? value).toLowerCase();
  } catch {
    return value.toLowerCase();
  }
}

function requireFew(values: string[]): string[] {
  const named = values.reduce((sum, value) => sum + splitIds(value).length, 0);
  if (named > MAX_IDS) throw badRequest(`ids names ${named} courses; ask for at most ${MAX_IDS} at once`);
  return values;
}

function parseTime(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const timestamp = toTimestamp(value);
  if (timestamp !== undefined) return timestamp;
  throw badRequest(
    "updatedSince must be a date such as 2026-01-31, or a time with its zone such as 2026-01-31T09:30:00Z; write + as %2B",
  );
}

function parseSort(value: string | undefined): Sort | undefined {
  if (value === undefined) return undefined;
  const sort = SORTS.find((each) => each === value);
  if (sort === undefined) throw badRequest(`sort must be one of ${SORTS.join(", ")}`);
  return sort === "-createdAt" ? undefined : sort;
}
