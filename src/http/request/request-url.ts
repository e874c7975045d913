import { badRequest } from "./errors.ts";

export interface RawTarget {
  path: string;
  /** The query without the `?`; "" if absent. */
  query: string;
}

/** A GET or HEAD request for a page or file, which needs no key. */
export interface AskedPage {
  request: Request;
  target: RawTarget;
  segments: string[];
}

/** Returns the path and query of an absolute URL, or of a bare target (HTTP/1.0 without Host). */
export function findTarget(url: string): string {
  return url.startsWith("/") ? url : url.slice(url.indexOf("/", url.indexOf("://") + 3));
}

export function partTarget(target: string): RawTarget {
  const mark = target.indexOf("?");
  return mark === -1 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Returns a Content-Location with the current slug. It is relative, because a proxy might add a prefix to the path. */
export function replaceCourse(path: string, query: string, slug: string): string {
  // The first five parts are "", "api", "v1", "courses", and the course.
  const after = path.split("/").slice(5);
  const relative = "../".repeat(after.length) + [encodeURIComponent(slug), ...after].join("/");
  return escapeUrl(relative + (query === "" ? "" : `?${query}`));
}

/** Escapes what RFC 3986 and header fields forbid, since an HTTP/1.0 target is not normalized. */
function escapeUrl(text: string): string {
  return text.replace(/[^!-~]|["<>\\^`{|}]/gu, encodeURIComponent);
}

/** Decodes a path segment once. Throws 400 for a malformed `%XX` or invalid UTF-8. */
export function decodeSegment(text: string): string {
  return decode(text, "path");
}

function decode(text: string, place: "path" | "query"): string {
  try {
    return decodeURIComponent(place === "query" ? text.replaceAll("+", " ") : text);
  } catch {
    throw badRequest(`Malformed percent-encoding in the ${place}: ${text.slice(0, 100)}`);
  }
}

/** Decodes a form-encoded query. Drops parameters with empty values. Throws 400 for malformed percent-encoding. */
export function parseQuery(query: string): [name: string, value: string][] {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair): [name: string, value: string] => {
      const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
      return [decode(name, "query"), decode(value, "query")];
    })
    .filter(([, value]) => value !== "");
}
