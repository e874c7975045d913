import type { Answer } from "./answer.ts";

/** The memory of a kept answer besides its body, with texts as they usually are. */
export const ENTRY_BYTES = 400;
/** So much of it is for the path and for header fields. */
const TEXT_BYTES = 200;

/** The memory that an answer takes in an index by paths: more than `ENTRY_BYTES` where a client has asked with a long query. */
export function countIndexBytes(path: string, { frame }: Answer): number {
  const { link = "", contentLocation = "" } = frame.own;
  return ENTRY_BYTES + Math.max(0, path.length + link.length + contentLocation.length - TEXT_BYTES);
}
