// What differs of a course between two releases, in JSON.
import type { VersionRef } from "../../catalog/catalog-reader.ts";
import type { CourseChangeDocument } from "../../catalog/documents.ts";
import { listMetaChanges } from "../../catalog/meta-document.ts";
import type { LargeWork } from "./large-work.ts";
import type { LessonContents } from "./lesson-contents.ts";
import type { LessonList } from "./lesson-list.ts";
import type { LessonLists } from "./lesson-lists.ts";

/** So many lessons are compared before other requests get their turn. */
const LESSONS_AT_ONCE = 500;
/** A lesson of the earlier release, found by its id. */
const BYTES_PER_LESSON = 150;

type LessonChange = CourseChangeDocument["lessons"][number]["change"];

/** All that is compared of a version of a course. */
interface Compared {
  list: LessonList;
  contents: LessonContents;
}

/** Tells the changes of courses of a project. Lists of long courses are read and compared in pieces. */
export class CourseChanges {
  readonly #lists: LessonLists;
  readonly #project: string;
  readonly #work: LargeWork;

  constructor(lists: LessonLists, project: string, work: LargeWork) {
    this.#lists = lists;
    this.#project = project;
    this.#work = work;
  }

  /** The JSON text of a course that only one of the releases has, in pieces. */
  async *renderWhole(courseId: string, version: VersionRef, change: "added" | "removed"): AsyncGenerator<string> {
    const list = await this.#lists.read(this.#project, version, this.#work);
    yield formatHead({ _id: courseId, change, slug: version.slug, formerSlug: "", fields: [] });
    for (let from = 0; from < list.lessons; from += LESSONS_AT_ONCE) {
      if (from > 0) yield ",";
      const count = Math.min(LESSONS_AT_ONCE, list.lessons - from);
      yield Array.from({ length: count }, (_, index) => formatLesson(list.id(from + index), change)).join(",");
      await this.#work.pause();
    }
    yield "]}";
  }

  /** The same for a course that both have; nothing where nothing differs that readers get. */
  async *renderChanged(courseId: string, now: VersionRef, other: VersionRef): AsyncGenerator<string> {
    const [before, after] = [await this.#read(other), await this.#read(now)];
    const fields = listFields(before.list, after.list);
    if (now.published !== other.published) fields.push("published");
    const formerSlug = other.slug === now.slug ? "" : other.slug;
    const head = formatHead({ _id: courseId, change: "changed", slug: now.slug, formerSlug, fields });
    let isBegun = fields.length > 0 || formerSlug !== "";
    if (isBegun) yield head;
    let isFirst = true;
    for await (const lessons of this.#compareLessons(before, after)) {
      if (lessons.length === 0) continue;
      if (!isBegun) yield head;
      isBegun = true;
      yield (isFirst ? "" : ",") + lessons.join(",");
      isFirst = false;
    }
    if (isBegun) yield "]}";
  }

  async #read(version: VersionRef): Promise<Compared> {
    const contents = await this.#lists.readContents(this.#project, version, this.#work);
    return { list: await this.#lists.read(this.#project, version, this.#work), contents };
  }

  /** The JSON texts of what changed of lessons, in chunks that may be empty: those of `after` in its order, then those removed. */
  async *#compareLessons(before: Compared, after: Compared): AsyncGenerator<string[]> {
    const { lessons } = before.list;
    if (lessons > LESSONS_AT_ONCE) await this.#work.begin(lessons * BYTES_PER_LESSON);
    const places = new Map<string, number>();
    for (let index = 0; index < lessons; index++) {
      places.set(before.list.id(index), index);
      if (index % LESSONS_AT_ONCE === LESSONS_AT_ONCE - 1) await this.#work.pause();
    }
    let changes: string[] = [];
    for (let index = 0; index < after.list.lessons; index++) {
      const id = after.list.id(index);
      const place = places.get(id);
      places.delete(id);
      const change = place === undefined ? "added" : compareLesson(before, place, after, index);
      if (change !== undefined) changes.push(formatLesson(id, change));
      if (index % LESSONS_AT_ONCE !== LESSONS_AT_ONCE - 1) continue;
      yield changes;
      changes = [];
      await this.#work.pause();
    }
    yield changes;
    changes = [];
    for (const id of places.keys()) {
      changes.push(formatLesson(id, "removed"));
      if (changes.length < LESSONS_AT_ONCE) continue;
      yield changes;
      changes = [];
      await this.#work.pause();
    }
    yield changes;
  }
}

function compareLesson(before: Compared, place: number, after: Compared, index: number): LessonChange | undefined {
  const isChanged = before.contents.digest(place) !== after.contents.digest(index);
  const isMoved = before.list.chapterIdOf(place) !== after.list.chapterIdOf(index);
  return isChanged ? (isMoved ? "changed and moved" : "changed") : isMoved ? "moved" : undefined;
}

/** The members of a course that differ, but `updatedAt`, which follows from the others. */
function listFields(before: LessonList, after: LessonList): string[] {
  const fields: string[] = [];
  if (before.head.name !== after.head.name) fields.push("name");
  if (!before.hasSameChapters(after)) fields.push("chapters");
  const [old, now] = [before.tail, after.tail];
  if (old.thumbnail !== now.thumbnail) fields.push("thumbnail");
  if (old.createdAt !== now.createdAt) fields.push("createdAt");
  return [...fields, ...listMetaChanges(before.meta, after.meta)];
}

/** The beginning of a change, up to its lessons. */
function formatHead(head: Omit<CourseChangeDocument, "lessons">): string {
  return `${JSON.stringify(head).slice(0, -1)},"lessons":[`;
}

function formatLesson(id: string, change: LessonChange): string {
  return `{"id":${id},"change":"${change}"}`;
}
