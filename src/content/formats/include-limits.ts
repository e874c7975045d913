// How much the lessons of a course, and all of a source, may take in from other files, in any format.
import { MIB } from "../limits.ts";

/** Of one course. Each costs a look through a file, or for one; ordinary books have a few hundred. */
export const MAX_DIRECTIVES = 20_000;
export const MAX_READ_BYTES = 64 * MIB;
/** Of all courses of a source. */
export const MAX_SOURCE_DIRECTIVES = 5 * MAX_DIRECTIVES;
export const MAX_SOURCE_BYTES = 4 * MAX_READ_BYTES;
/** Files that are kept while a course is read: a lesson shows parts of the same one again and again. */
export const MAX_KEPT = 32 * MIB;
