// The text of a book's chapters: with what mdBook includes, the rest of which is read by `book-rules.ts`.
import type { PrepareText } from "../../markdown/prepared-text.ts";
import type { BookIncludes } from "./book-includes.ts";

/** Makes what prepares the chapters of one book. */
export function createBookText(includes: BookIncludes): PrepareText {
  return async (written, report) => (await includes.expand(written, report)).toPrepared();
}
