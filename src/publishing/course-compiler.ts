// Between reading and writing: while threads compile a batch of courses, the import writes the one before and reads the next.
import { availableParallelism } from "node:os";
import {
  listData,
  renderCourse,
  toCompiledCourse,
  type CompiledCourse,
  type DatedCourse,
  type RenderedCourse,
} from "../catalog/compile-course.ts";
import type { Course } from "../catalog/course.ts";
import { encodeBody, type Body } from "../catalog/body.ts";
import { EncodingThreads } from "./encoding-threads.ts";

/** For a course, compiling takes about as long as all the rest: more threads would wait for the one that reads and writes. */
const MAX_THREADS = 2;
/** An import that has compiled so much, in characters, is large enough for threads: these take 20 ms to start. */
const CHARACTERS_BEFORE_THREADS = 4_000_000;
/** Threads hold copies of what they compile. A batch with more characters is compiled here, and written before more is read. */
const MAX_THREAD_CHARACTERS = 8_000_000;
/** With one, the threads and the import would wait for each other whenever a batch takes longer than the one before. */
const MAX_BATCHES_AHEAD = 2;

type WriteCourses = (courses: CompiledCourse[]) => Promise<void>;
type Encode = (data: string) => Body;

/**
 * Compiles batches of courses and has them written, in their order and one at a time. Large imports get threads where there is
 * more than one processor; then one batch is compiled while the next is prepared. Must be closed.
 */
export class CourseCompiler {
  readonly #write: WriteCourses;
  readonly #encode: Encode;
  /** One processor is left to the import itself. */
  readonly #maxThreads = Math.min(availableParallelism() - 1, MAX_THREADS);
  #threads: EncodingThreads | undefined;
  #charactersHere = 0;
  /** What is on the threads, in the order in which it is to be written. */
  readonly #ahead: { rendered: RenderedCourse[]; encoded: Promise<Body[]> }[] = [];

  /** `encode` does what `encodeBody` does, for courses that are compiled without threads. */
  constructor(write: WriteCourses, encode: Encode = encodeBody) {
    this.#write = write;
    this.#encode = encode;
  }

  /** Resolves when the next batch can be taken. Rejects with what a thread or writing has thrown. */
  async take(courses: DatedCourse[]): Promise<void> {
    const characters = courses.reduce((sum, { course }) => sum + countCharacters(course), 0);
    if (this.#charactersHere >= CHARACTERS_BEFORE_THREADS && this.#maxThreads > 0) {
      this.#threads ??= new EncodingThreads(this.#maxThreads);
    }
    if (this.#threads === undefined || characters > MAX_THREAD_CHARACTERS) {
      this.#charactersHere += characters;
      await this.finish();
      await this.#write(courses.map((course) => compileHere(course, this.#encode)));
      return;
    }
    const rendered = courses.map(renderCourse);
    this.#ahead.push({ rendered, encoded: this.#threads.encode(rendered.flatMap(listData)) });
    while (this.#ahead.length > MAX_BATCHES_AHEAD) await this.#writeOldest();
  }

  /** Resolves when everything is written. Rejects as `take` does. */
  async finish(): Promise<void> {
    while (this.#ahead.length > 0) await this.#writeOldest();
  }

  async #writeOldest(): Promise<void> {
    const oldest = this.#ahead.shift();
    if (oldest === undefined) return;
    const { rendered, encoded } = oldest;
    const results = (await encoded).values();
    await this.#write(rendered.map((course) => toCompiledCourse(course, results)));
  }

  /** Ends the threads. What is not written is given up. */
  async close(): Promise<void> {
    await this.#threads?.close();
  }
}

function compileHere(dated: DatedCourse, encode: Encode): CompiledCourse {
  const rendered = renderCourse(dated);
  return toCompiledCourse(rendered, listData(rendered).map(encode).values());
}

/** About how many characters of text a course has. */
export function countCharacters(course: Course): number {
  let characters = 0;
  for (const { lessons } of course.chapters) {
    for (const lesson of lessons) characters += lesson.additionalText.length + lesson.quizHtml.length + 200;
  }
  return characters;
}
