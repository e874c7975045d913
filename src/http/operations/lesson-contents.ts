import type { Include } from "../request/parameters.ts";
import { parseContentsLine } from "../../catalog/course-contents.ts";
import { BYTES_AT_ONCE } from "./json-pieces.ts";
import type { LargeWork } from "./large-work.ts";

const LINE_BREAK = 10;
const DIGEST_LENGTH = 32;

/** What is told of each lesson of a course without its document: a line of text each. */
export class LessonContents {
  readonly #text: Buffer;
  /** Where each line begins, and where the next one would. */
  readonly #starts: Uint32Array;

  private constructor(text: Buffer, starts: Uint32Array) {
    this.#text = text;
    this.#starts = starts;
  }

  /** `text` has so many lines. Gives way to other requests; throws 499 when the client of `work` has disconnected. */
  static async parse(text: Buffer, lessons: number, work: LargeWork): Promise<LessonContents> {
    const starts = new Uint32Array(lessons + 1);
    let pausedAt = 0;
    for (let lesson = 0; lesson < lessons; lesson++) {
      const start = starts[lesson] ?? 0;
      const end = text.indexOf(LINE_BREAK, start);
      const isLast = lesson === lessons - 1;
      if ((end === -1) !== isLast) throw new Error(`the contents of ${lessons} lessons have another number of lines`);
      starts[lesson + 1] = (isLast ? text.byteLength : end) + 1;
      if (start - pausedAt < BYTES_AT_ONCE) continue;
      pausedAt = start;
      await work.pause();
    }
    return new LessonContents(text, starts);
  }

  get bytes(): number {
    return this.#text.byteLength + this.#starts.byteLength;
  }

  /** Changes when anything does that is answered of the lesson. */
  digest(index: number): string {
    const start = this.#starts[index] ?? 0;
    return this.#text.toString("latin1", start, start + DIGEST_LENGTH);
  }

  /** What `include` adds to the lesson in a list, as JSON members. */
  members(index: number, include: readonly Include[]): string {
    const { meta, digest } = parseContentsLine(
      this.#text.toString("utf8", this.#starts[index] ?? 0, (this.#starts[index + 1] ?? 0) - 1),
    );
    const members = [include.includes("meta") ? meta : "", include.includes("digest") ? digest : ""];
    return members.filter((each) => each !== "").join(",");
  }
}
