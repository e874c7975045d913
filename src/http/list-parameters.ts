import { foldName } from "../catalog/fold-name.ts";
import { badRequest } from "./errors.ts";

/** More is taken as this. */
const MAX_LIMIT = 1000;

/** Which part of a list is asked for. Without `limit` and `offset`: all of it, however long. */
export interface Page {
  limit: number | undefined;
  offset: number | undefined;
}

type Parameters = [name: string, value: string][];

/** Reads `limit` and `offset`; other parameters are ignored. Throws 400. */
export function parsePage(parameters: Parameters): Page {
  return { limit: parseLimit(parameters), offset: findWholeNumber(parameters, "offset") };
}

function parseLimit(parameters: Parameters): number | undefined {
  const limit = findWholeNumber(parameters, "limit");
  if (limit === 0) throw badRequest("limit must be 1 or more");
  return limit === undefined ? undefined : Math.min(limit, MAX_LIMIT);
}

/** The value of `name`, folded for the match; "" when it is not given or blank. Throws 400 when it is repeated. */
export function parseName(parameters: Parameters): string {
  return foldName(findSingle(parameters, "name") ?? "");
}

function findWholeNumber(parameters: Parameters, name: string): number | undefined {
  const value = findSingle(parameters, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw badRequest(`${name} must be a whole number of 1 to 9 digits`);
  return Number(value);
}

function findSingle(parameters: Parameters, name: string): string | undefined {
  const values = parameters.filter((parameter) => parameter[0] === name);
  if (values.length > 1) throw badRequest(`${name} is given more than once`);
  return values[0]?.[1];
}

/**
 * The Link header (RFC 8288) of a page: its neighbours, where they exist. Undefined for an unpaged list, and for a page
 * that is the whole list. `query` holds the parameters that neighbours share.
 */
export function formatPageLinks(path: string, query: URLSearchParams, page: Page, total: number): string | undefined {
  const offset = page.offset ?? 0;
  const links: string[] = [];
  const link = (relation: string, limit: number, start: number): void => {
    const parameters = new URLSearchParams(query);
    parameters.set("limit", String(limit));
    parameters.set("offset", String(start));
    links.push(`<${path}?${parameters.toString()}>; rel="${relation}"`);
  };
  if (page.limit !== undefined && offset + page.limit < total) link("next", page.limit, offset + page.limit);
  // From beyond the end the way back leads to the last items, not to another empty page.
  const before = page.limit === undefined && page.offset === undefined ? 0 : Math.min(offset, total);
  if (before > 0) {
    const limit = Math.min(page.limit ?? MAX_LIMIT, before);
    link("prev", limit, before - limit);
  }
  return links.length === 0 ? undefined : links.join(", ");
}
