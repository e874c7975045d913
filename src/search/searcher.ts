// What asks for a search, and what it gets: the same in a process of its own, through a worker's parent, and in a command.
import type { SearchResultDocument } from "../catalog/documents.ts";
import type { Release } from "../catalog/store.ts";
import type { SearchQuery } from "./query.ts";

export interface SearchRequest {
  release: Release;
  query: SearchQuery;
  /** A bit for each course of the release in the order of its list, in base64; undefined for all courses. */
  courses: string | undefined;
  limit: number;
  offset: number;
}

export type SearchOutcome =
  | { status: "found"; total: number; results: SearchResultDocument[] }
  /** The release is not wholly indexed yet. */
  | { status: "building" }
  /** Content of the release is missing: it was pruned meanwhile. */
  | { status: "gone" }
  /** Too many searches wait. */
  | { status: "busy" }
  | { status: "slow" }
  /** The index, or the store, cannot be read or written just now. */
  | { status: "unavailable" };

/** Never rejects. */
export type Search = (request: SearchRequest) => Promise<SearchOutcome>;

/** Courses at these positions of a list, as a request names them. */
export function packPositions(positions: readonly number[], courses: number): string {
  const bits = new Uint8Array(Math.ceil(courses / 8));
  for (const position of positions) bits[position >> 3] = (bits[position >> 3] ?? 0) | (1 << (position & 7));
  return Buffer.from(bits).toString("base64");
}

/** Whether a course is among those of a request. */
export function unpackPositions(courses: string | undefined): (position: number) => boolean {
  if (courses === undefined) return () => true;
  const bits = Buffer.from(courses, "base64");
  return (position) => ((bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
}
