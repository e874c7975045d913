import type { Course } from "../catalog/course.ts";
import { countCharacters } from "./course-compiler.ts";

/** A batch is closed when it holds so many courses or so much text; a single course may be larger. */
const MAX_BATCH_COURSES = 100;
const MAX_BATCH_CHARACTERS = 500_000;

/**
 * Gives courses in batches, which bound what an import holds; the last may be empty. Once `isWanted` says no, the courses are
 * read on, and none is given.
 */
export async function* listBatches<T extends { course: Course }>(
  courses: AsyncIterable<T>,
  isWanted: () => boolean,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let characters = 0;
  for await (const pending of courses) {
    if (!isWanted()) continue;
    batch.push(pending);
    characters += countCharacters(pending.course);
    if (batch.length < MAX_BATCH_COURSES && characters < MAX_BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (isWanted()) yield batch;
}
