import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import type { CourseDocument } from "../../catalog/documents.ts";
import type { NavMembers } from "../../catalog/included-documents.ts";
import type { Release } from "../../catalog/store.ts";
import type { LargeWork } from "./large-work.ts";
import { RecentlyUsed } from "./recently-used.ts";
import { readText } from "./unpack.ts";

/** The most that all kept outlines may take; the least recently used are dropped first. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Outlines of courses with fewer lessons are made anew, which takes about as long as reading the lesson. */
const MIN_KEPT_LESSONS = 100;
const BYTES_PER_CHARACTER = 2;
/** Objects, and an entry in a map. */
const BYTES_PER_LESSON = 250;

/** Finds where a lesson stands in its course. Outlines of long courses are kept in memory for a while. */
export class CourseOutlines {
  readonly #catalog: CatalogReader;
  /** By release, drafts and course. */
  readonly #outlines = new RecentlyUsed<string, CourseOutline>(MAX_BYTES);

  constructor(catalog: CatalogReader) {
    this.#catalog = catalog;
  }

  /** Undefined when there is no such course for this reader. Throws as `work` does. */
  async find(release: Release, course: string, drafts: boolean, work: LargeWork): Promise<CourseOutline | undefined> {
    const key = `${release.id} ${drafts} ${course}`;
    const known = this.#outlines.find(key);
    if (known !== undefined) return known;
    const document = await this.#catalog.findCourse(release, course, drafts);
    if (document === undefined) return undefined;
    const text = await readText(document, work);
    // Others may have made it meanwhile.
    const made = this.#outlines.find(key);
    if (made !== undefined) return made;
    const outline = new CourseOutline(text);
    if (outline.lessons >= MIN_KEPT_LESSONS) this.#outlines.keep(key, outline);
    return outline;
  }
}

interface Place {
  index: number;
  chapter: { id: string; name: string };
}

/** The chapters and lessons of a course, by ids and names. */
export class CourseOutline {
  readonly bytes: number;
  readonly #course: { id: string; name: string };
  readonly #lessons: { id: string; name: string }[];
  readonly #places: Map<string, Place>;

  /** `text` is the document of the course. */
  constructor(text: string) {
    const { _id: id, name, chapters } = JSON.parse(text) as CourseDocument;
    this.#course = { id, name };
    this.#lessons = chapters.flatMap(({ lessons }) => lessons);
    let index = 0;
    this.#places = new Map(
      chapters.flatMap((chapter) =>
        chapter.lessons.map((lesson): [string, Place] => [
          lesson.id,
          { index: index++, chapter: { id: chapter.id, name: chapter.name } },
        ]),
      ),
    );
    this.bytes = BYTES_PER_CHARACTER * text.length + BYTES_PER_LESSON * this.#lessons.length;
  }

  get lessons(): number {
    return this.#lessons.length;
  }

  /** Where a lesson of the course stands. Throws for any other: it is asked for only after the lesson was found. */
  locate(lessonId: string): NavMembers {
    const place = this.#places.get(lessonId);
    if (place === undefined) throw new Error(`lesson ${lessonId} is in no chapter of course ${this.#course.id}`);
    const { index, chapter } = place;
    return {
      course: this.#course,
      chapter,
      previous: this.#lessons[index - 1] ?? null,
      next: this.#lessons[index + 1] ?? null,
    };
  }
}
