// The interface for searching. It is the same in a server, in its workers and in commands.
import type { SearchResultDocument } from "../catalog/documents.ts";
import type { Release } from "../catalog/store.ts";
import type { SearchQuery } from "./query.ts";

export interface SearchRequest {
  release: Release;
  query: SearchQuery;
  /** One bit for each course, in the release's order and encoded in base64; undefined for all courses. */
  courses: string | undefined;
  limit: number;
  offset: number;
}

export type SearchOutcome =
  | { status: "found"; total: number; results: SearchResultDocument[] }
  /** The release is not completely indexed yet. */
  | { status: "building" }
  /** The release was pruned meanwhile. */
  | { status: "gone" }
  /** Too many searches are queued. */
  | { status: "busy" }
  | { status: "slow" }
  /** The index or the store cannot be read or written. */
  | { status: "unavailable" };

/** Searches a release. Never rejects. */
export type Search = (request: SearchRequest) => Promise<SearchOutcome>;

/** Encodes positions of courses in a release for a request. */
export function packPositions(positions: readonly number[], courses: number): string {
  const bits = new Uint8Array(Math.ceil(courses / 8));
  for (const position of positions) bits[position >> 3] = (bits[position >> 3] ?? 0) | (1 << (position & 7));
  return Buffer.from(bits).toString("base64");
}

/** Returns a function that tests whether a request includes the course at a position. */
export function unpackPositions(courses: string | undefined): (position: number) => boolean {
  if (courses === undefined) return () => true;
  const bits = Buffer.from(courses, "base64");
  return (position) => ((bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
}
