// Collects lesson ids while courses are read in order, then fills in the links between lessons.
import { ExpectedError } from "../catalog/expected-error.ts";
import { toLessonUrl } from "../catalog/url-templates.ts";
import type { Course, Lesson, LessonLink, LinkTarget } from "../catalog/course.ts";
import { escapeAttribute, escapeHtml } from "../content/html/escape.ts";
import { isTopOfPage } from "../content/html/fragments.ts";
import { applyEdits, findTextPlace, UNRESOLVED, type TextEdit } from "../content/html/links.ts";
import { FILLED_LINK_BYTES, formatSize, MIB } from "../content/limits.ts";
import { cutTexts } from "../content/quote.ts";
import type { Report } from "../content/source.ts";

/** At most this many links to headings in unread courses wait to be checked. Further such links go unchecked. */
const MAX_WAITING = 100_000;

/** The maximum size by which the links of a course may exceed the usual. */
const MAX_EXCESS = 64 * MIB;

/** The part of a course that links need. It takes about 300 bytes per lesson. */
interface LinkedCourse {
  courseId: string;
  courseSlug: string;
  /** Maps source paths to lessons. */
  lessons: Map<string, { chapterId: string; lessonId: string; name: string }>;
}

/** A course whose ids are final. */
interface SettledCourse extends LinkedCourse {
  /** Sorted hashes of the ids in the course's lessons. A rare collision only hides the report of a missing heading. */
  anchors: Uint32Array;
}

/** Fills in links between courses read so far, and reports links to missing lessons and headings. */
export class CatalogLinks {
  readonly #lessonUrl: string | undefined;
  readonly #report: Report;
  readonly #settled = new Map<string, SettledCourse>();
  readonly #waiting: LessonLink[] = [];

  constructor(lessonUrl: string | undefined, report: Report) {
    this.#lessonUrl = lessonUrl;
    this.#report = report;
  }

  /**
   * Adds a course whose ids are final. `key` is its key in the source. A course without files cannot be a link target.
   */
  settle(key: string, course: Course): void {
    const linked = toLinkedCourse(course);
    if (linked.lessons.size === 0) return;
    const hashes: number[] = [];
    for (const { sourcePath, ids = [] } of course.chapters.flatMap(({ lessons }) => lessons)) {
      if (sourcePath === undefined) continue;
      for (const id of ids) hashes.push(hashAnchor(sourcePath, id));
    }
    this.#settled.set(key, { ...linked, anchors: Uint32Array.from(hashes).sort() });
    this.#checkAnchors(key, course);
  }

  /** Returns true if all other courses that this one links to are settled. */
  knowsTargets(key: string, { chapters }: Course): boolean {
    const isKnown = ({ target }: LessonLink): boolean =>
      target.courseKey === key || this.#settled.has(target.courseKey);
    return chapters.every(({ lessons }) => lessons.every(({ links }) => links?.every(isKnown) ?? true));
  }

  fill(key: string, course: Course): Course {
    let own: LinkedCourse | undefined;
    const find = ({ courseKey, sourcePath }: LinkTarget): LinkedLesson | undefined => {
      const linked = courseKey === key ? (own ??= toLinkedCourse(course)) : this.#settled.get(courseKey);
      const lesson = linked?.lessons.get(sourcePath);
      return linked && lesson && { courseId: linked.courseId, courseSlug: linked.courseSlug, ...lesson };
    };
    return fillLinks(course, find, this.#lessonUrl);
  }

  /**
   * Restores the settled ids after a second read of a course. Returns false if its lessons have changed since the first
   * read.
   */
  keepSettledIds(key: string, course: Course): boolean {
    const settled = this.#settled.get(key);
    const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
    const read = lessons.filter(({ sourcePath }) => sourcePath !== undefined);
    if (settled === undefined || course.id !== settled.courseId || course.slug !== settled.courseSlug) return false;
    if (read.length !== settled.lessons.size) return false;
    for (const lesson of read) {
      const known = settled.lessons.get(lesson.sourcePath ?? "");
      if (known === undefined) return false;
      lesson.id = known.lessonId;
    }
    return true;
  }

  /** Reports links to missing headings of other courses. Call this method after all courses are settled. */
  finish(): void {
    for (const link of this.#waiting) this.#checkLink(link);
    this.#waiting.length = 0;
  }

  #checkAnchors(key: string, { chapters }: Course): void {
    for (const link of chapters.flatMap(({ lessons }) => lessons.flatMap(({ links = [] }) => links))) {
      const { courseKey, fragment } = link.target;
      if (courseKey === key || this.#settled.has(courseKey)) this.#checkLink(link);
      else if (!isTopOfPage(fragment) && this.#waiting.length < MAX_WAITING) this.#waiting.push(link);
    }
  }

  #checkLink({ target, written, place }: LessonLink): void {
    const { lessons, anchors } = this.#settled.get(target.courseKey) ?? {};
    if (lessons === undefined || anchors === undefined) return;
    const lesson = lessons.get(target.sourcePath);
    if (lesson === undefined) {
      const [shown, file] = cutTexts(written, target.sourcePath);
      const message = `link "${shown}" points to ${file}, which is left out for now`;
      return this.#report({ severity: "warning", kind: "link-to-no-lesson", ...place, message });
    }
    if (isTopOfPage(target.fragment)) return;
    if (hasHash(anchors, hashAnchor(target.sourcePath, target.fragment))) return;
    const [shown, name] = cutTexts(written, lesson.name);
    const message = `link "${shown}" points to lesson "${name}", which has no such id: the link opens the lesson's start`;
    this.#report({ severity: "warning", kind: "missing-heading", ...place, message });
  }
}

function toLinkedCourse({ id: courseId, slug: courseSlug, chapters }: Course): LinkedCourse {
  const lessons: LinkedCourse["lessons"] = new Map();
  for (const { id: chapterId, lessons: ofChapter } of chapters) {
    for (const { sourcePath, id: lessonId, name } of ofChapter) {
      if (sourcePath !== undefined) lessons.set(sourcePath, { chapterId, lessonId, name });
    }
  }
  return { courseId, courseSlug, lessons };
}

function hashAnchor(sourcePath: string, anchor: string): number {
  return Bun.hash.crc32(`${sourcePath}\0${anchor}`);
}

function hasHash(sorted: Uint32Array, hash: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < hash) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === hash;
}

export interface LinkedLesson {
  courseId: string;
  courseSlug: string;
  chapterId: string;
  lessonId: string;
  name: string;
}

/** Returns the course with its links filled in and every other byte unchanged. Does not modify `course`. */
function fillLinks(
  course: Course,
  find: (target: LinkTarget) => LinkedLesson | undefined,
  lessonUrl: string | undefined,
): Course {
  const hasLinks = course.chapters.some(({ lessons }) => lessons.some(({ links }) => links !== undefined));
  if (!hasLinks) return course;
  const template = course.lessonUrl ?? lessonUrl;
  let excess = 0;
  const fill = (lesson: Lesson): Lesson => {
    if (lesson.links === undefined) return lesson;
    const edits = { quizHtml: [] as TextEdit[], additionalText: [] as TextEdit[] };
    for (const link of lesson.links) {
      const linked = find(link.target);
      if (linked !== undefined) {
        const made = editLink(link, linked, template, lesson[link.field]);
        edits[link.field].push(...made);
        const bytes = made.reduce((sum, { text }) => sum + text.length, 0);
        excess += Math.max(0, bytes - FILLED_LINK_BYTES);
        if (excess > MAX_EXCESS) throw new ExpectedError(describeExcess(link));
      } else if (link.isMade) edits[link.field].push(markUnresolved(link));
    }
    const quizHtml = applyEdits(lesson.quizHtml, edits.quizHtml);
    return { ...lesson, quizHtml, additionalText: applyEdits(lesson.additionalText, edits.additionalText) };
  };
  return {
    ...course,
    chapters: course.chapters.map((chapter) => ({ ...chapter, lessons: chapter.lessons.map(fill) })),
  };
}

function describeExcess({ place: { file, line } }: LessonLink): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return `${place}: too large: the links of a course are limited to ${FILLED_LINK_BYTES} characters each and ${formatSize(MAX_EXCESS)} more; shorten the ids, the names or the lessonUrl.`;
}

function editLink(
  { start, end, nameEnd, target, isMade }: LessonLink,
  linked: LinkedLesson,
  template: string | undefined,
  html: string,
): TextEdit[] {
  const { courseId, lessonId } = linked;
  const named = ` data-course-id="${escapeAttribute(courseId)}" data-lesson-id="${escapeAttribute(lessonId)}"`;
  const edits = [{ start: nameEnd, end: nameEnd, text: named }];
  if (template !== undefined) {
    const href = toLessonUrl(template, { ...linked, fragment: target.fragment });
    edits.push({ start, end, text: escapeAttribute(href) });
  }
  const at = isMade ? findTextPlace(html, { tag: "a", end }) : undefined;
  // A link without text shows the lesson's name.
  if (at !== undefined) edits.push({ start: at, end: at, text: escapeHtml(linked.name) });
  return edits;
}

function markUnresolved({ nameEnd }: LessonLink): TextEdit {
  return { start: nameEnd, end: nameEnd, text: ` ${UNRESOLVED}` };
}
