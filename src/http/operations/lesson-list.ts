import type { NavMembers } from "../../catalog/included-documents.ts";
import { BYTES_AT_ONCE } from "./json-pieces.ts";
import type { LargeWork } from "./large-work.ts";

// No text of an author can hold these: a quotation mark in it has a backslash before it.
const CHAPTERS = Buffer.from('"chapters":[');
const LESSONS = Buffer.from('"lessons":[');
const NEXT = Buffer.from('},{"id":"');
const END = Buffer.from('}]}],"thumbnail":');
const ID_START = '{"id":';
const ID_END = Buffer.from(',"name":');
const [QUOTE, CLOSING_BRACKET, COMMA] = [0x22, 0x5d, 0x2c];

/** Where the parts of a course stand in its document. */
interface Places {
  /** The beginning and the end of each lesson. */
  starts: Uint32Array;
  ends: Uint32Array;
  /** The beginning of each chapter. */
  chapters: Uint32Array;
  /** The lesson with which each chapter begins, or would begin. */
  firsts: Uint32Array;
  /** The first chapter, and the bracket after the last. */
  head: number;
  tail: number;
}

/** The chapters and lessons of a course. It is the document of the course, of which parts are cut out: 50 bytes a lesson. */
export class LessonList {
  /** JSON text; undefined where the author gave none. */
  readonly meta: string | undefined;
  readonly #document: Buffer;
  readonly #places: Places;

  private constructor(document: Buffer, places: Places, meta: string | undefined) {
    this.#document = document;
    this.#places = places;
    this.meta = meta;
  }

  /** `document` is that of `course`. Gives way to other requests; throws 499 when the client of `work` has disconnected. */
  static async parse(
    document: Buffer,
    { lessons, meta }: { lessons: number; meta: string | undefined },
    work: LargeWork,
  ): Promise<LessonList> {
    return new LessonList(document, await locateParts(document, lessons, work), meta);
  }

  get lessons(): number {
    return this.#places.starts.length;
  }

  get chapters(): number {
    return this.#places.chapters.length;
  }

  get bytes(): number {
    return this.#document.byteLength + 8 * (this.lessons + this.chapters);
  }

  /** The members of the course before its chapters. */
  get head(): { _id: string; projectId: string; name: string } {
    const { _id, projectId, name } = JSON.parse(`${this.#cut(0, this.#places.head)}]}`) as LessonList["head"];
    return { _id, projectId, name };
  }

  /** The members of the course after its chapters. */
  get tail(): { thumbnail: string; createdAt: string; updatedAt: string } {
    // After the bracket and a comma.
    return JSON.parse(`{${this.#cut(this.#places.tail + 2, this.#document.byteLength)}`) as LessonList["tail"];
  }

  hasSameChapters(other: LessonList): boolean {
    const [own, others] = [this, other].map((list) => list.#document.subarray(list.#places.head, list.#places.tail));
    return own !== undefined && others !== undefined && own.equals(others);
  }

  chapter(index: number): { id: string; name: string } {
    const start = this.#places.chapters[index] ?? 0;
    const { id, name } = JSON.parse(`${this.#cut(start, this.#document.indexOf(LESSONS, start))}"lessons":[]}`) as {
      id: string;
      name: string;
    };
    return { id, name };
  }

  /** The number of the lesson with which a chapter begins; that of all lessons for the chapter after the last. */
  firstOf(chapter: number): number {
    return this.#places.firsts[chapter] ?? this.lessons;
  }

  /** The JSON text of the id of a lesson. */
  id(index: number): string {
    return this.#cutId(this.#places.starts[index] ?? 0);
  }

  /** The JSON text of the id of the chapter in which a lesson stands. */
  chapterIdOf(index: number): string {
    return this.#cutId(this.#places.chapters[this.#findChapter(index)] ?? 0);
  }

  /** The JSON text of a lesson, with its id and name. */
  lesson(index: number): string {
    return this.#cut(this.#places.starts[index] ?? 0, this.#places.ends[index] ?? 0);
  }

  /**
   * The JSON text of the lessons at `from` to `end - 1`, with commas between them, in pieces. `more` gives further members of a
   * lesson by its number.
   */
  *render(from: number, end: number, more?: (index: number) => string): Generator<string> {
    let piece = "";
    for (let index = from; index < end; index++) {
      if (piece.length >= BYTES_AT_ONCE) {
        yield piece;
        piece = "";
      }
      if (index > from) piece += ",";
      if (more === undefined) {
        const last = this.#endOfRun(index, end) - 1;
        piece += this.#cut(this.#places.starts[index] ?? 0, this.#places.ends[last] ?? 0);
        index = last;
      } else {
        piece += `${this.lesson(index).slice(0, -1)},${more(index)}}`;
      }
    }
    yield piece;
  }

  /** Where a lesson of the course stands. Throws for any other: it is asked for only after the lesson was found. */
  locate(lessonId: string): NavMembers {
    const { _id, name } = this.head;
    const index = this.#findLesson(lessonId);
    if (index === -1) throw new Error(`lesson ${lessonId} is in no chapter of course ${_id}`);
    const read = (each: number): NavMembers["next"] =>
      each < 0 || each >= this.lessons ? null : (JSON.parse(this.lesson(each)) as NavMembers["next"]);
    const chapter = this.chapter(this.#findChapter(index));
    return { course: { id: _id, name }, chapter, previous: read(index - 1), next: read(index + 1) };
  }

  /** The last chapter that begins with a lesson or before it: others that begin with the same one are empty. */
  #findChapter(lesson: number): number {
    return findPlace(this.#places.firsts, lesson + 1) - 1;
  }

  /** -1 when there is none. */
  #findLesson(id: string): number {
    const { starts, head } = this.#places;
    const beginning = Buffer.from(`${ID_START}${JSON.stringify(id)},"name":`);
    // A chapter may have the same id.
    for (let at = this.#document.indexOf(beginning, head); at !== -1; at = this.#document.indexOf(beginning, at + 1)) {
      const index = findPlace(starts, at);
      if (starts[index] === at) return index;
    }
    return -1;
  }

  /** The end of the lessons from `index` on that stand side by side, as far as they make one piece. */
  #endOfRun(index: number, end: number): number {
    const { starts, ends } = this.#places;
    const limit = (starts[index] ?? 0) + BYTES_AT_ONCE;
    let next = index + 1;
    while (next < end && starts[next] === (ends[next - 1] ?? 0) + 1 && (ends[next] ?? 0) <= limit) next++;
    return next;
  }

  #cutId(start: number): string {
    return this.#cut(start + ID_START.length, this.#document.indexOf(ID_END, start));
  }

  #cut(from: number, end: number): string {
    return this.#document.toString("utf8", from, end);
  }
}

/** The index of the first of ascending numbers that is not below a value. */
function findPlace(numbers: Uint32Array, value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function locateParts(document: Buffer, lessons: number, work: LargeWork): Promise<Places> {
  const find = (part: Buffer, from: number): number => {
    const at = document.indexOf(part, from);
    if (at === -1) throw new Error(`the document of a course has no ${part.toString()} after ${from}`);
    return at;
  };
  const [starts, ends] = [new Uint32Array(lessons), new Uint32Array(lessons)];
  const [chapters, firsts]: [number[], number[]] = [[], []];
  const head = find(CHAPTERS, 0) + CHAPTERS.length;
  let pausedAt = 0;
  const giveWay = async (place: number): Promise<void> => {
    if (place - pausedAt < BYTES_AT_ONCE) return;
    pausedAt = place;
    await work.pause();
  };
  let lesson = 0;
  let at = head;
  while (document[at] !== CLOSING_BRACKET) {
    await giveWay(at);
    chapters.push(at);
    firsts.push(lesson);
    at = find(LESSONS, at) + LESSONS.length;
    for (let isLast = document[at] === CLOSING_BRACKET; !isLast; lesson++) {
      await giveWay(at);
      const next = document.indexOf(NEXT, at);
      isLast = next === -1 || document[next - 1] !== QUOTE;
      // Otherwise it is the brace of the chapter, after the bracket of its lessons.
      const end = next === -1 ? find(END, at) + 1 : isLast ? next - 1 : next + 1;
      starts[lesson] = at;
      ends[lesson] = end;
      at = isLast ? end : end + 1;
    }
    // A bracket and a brace, and a comma before the next chapter.
    at += document[at + 2] === COMMA ? 3 : 2;
  }
  if (lesson !== lessons) throw new Error(`the document of a course has ${lesson} lessons, not ${lessons}`);
  return { starts, ends, chapters: Uint32Array.from(chapters), firsts: Uint32Array.from(firsts), head, tail: at };
}
