// The stage between reading and publishing: resolves a course's links and thumbnail, and validates the course.
import type { CourseInput, LessonOrigin } from "../../catalog/course.ts";
import { createTree, hasLongNames, listSections, MAX_NAME, type CourseTree } from "../../catalog/course-tree.ts";
import { digestText } from "../../catalog/body.ts";
import { toHeadingId } from "../html/fragments.ts";
import { isRelativeUrl } from "../html/links.ts";
import { formatSize, MIB } from "../limits.ts";
import { cutText } from "../quote.ts";
import {
  judged,
  type Location,
  type PartPath,
  type Report,
  type SourceCourse,
  type SourceOptions,
  type ReportFinding,
} from "../source.ts";
import { finishLesson, type LessonTexts, type StageOptions } from "./finish-lesson.ts";
import { placeLabels, type LabelledLesson } from "./place-labels.ts";
import {
  addOrigins,
  locateIn,
  toPlainCourse,
  type FoundCourse,
  type PlacedChapter,
  type PlacedCourse,
  type PlacedLesson,
  type PlainCourse,
  type ReadCourse,
} from "./placed-course.ts";
import { findText, type PlacedFields } from "./placed-value.ts";
import { createTextsOfCourses, validateCourse } from "./validate-course.ts";

/** Describes the unknown fields of outlines and front matter. Such files can contain more fields than plain courses. */
const TEXTS_OF_FILES = createTextsOfCourses({
  course: ["id", "lessonUrl", "linkMap"],
  chapter: ["folder"],
  lesson: ["file", "title"],
});

/**
 * Reads and finishes a course. Returns undefined for a course with an error. An inspection gets even such a course,
 * if it has the shape of a course.
 */
export async function finishCourse(
  found: FoundCourse,
  options: StageOptions & Partial<Pick<SourceOptions, "inspection" | "onLesson" | "strict">>,
  reportToCaller: Report,
): Promise<SourceCourse | undefined> {
  let hasErrors = false;
  const report = judged((problem) => {
    hasErrors ||= problem.severity === "error";
    reportToCaller(problem);
  }, options.strict);
  const read = await found.read(report);
  if (read === undefined) {
    options.inspection?.onCourse(0);
    return undefined;
  }
  const stage = new CourseStage(options, options.onLesson, report);
  const finished = "value" in read ? await stage.finishPlain(read) : await stage.finishPlaced(read, found.key);
  options.inspection?.onCourse(read.lessonCount - ("countHeld" in read ? (read.countHeld?.() ?? 0) : 0));
  if (finished === undefined || (hasErrors && options.inspection === undefined)) return undefined;
  return { key: found.key, ...finished };
}

/** A course's lessons may be so many times as large as the files read: HTML rarely takes six times its Markdown. */
const FREE_GROWTH = 8;
/** The maximum size, beyond that, that includes, macros, abbreviations, links and the like add. */
const MAX_GROWTH = 128 * MIB;
const TOO_MUCH_GROWTH = `too large: the course's lessons, with their links, are limited to ${FREE_GROWTH} times its files plus ${formatSize(MAX_GROWTH)}; include, abbreviate or link less`;

class CourseStage {
  readonly #options: StageOptions;
  readonly #onLesson: (() => void) | undefined;
  readonly #report: ReportFinding;
  #size = 0;

  constructor(options: StageOptions, onLesson: (() => void) | undefined, report: ReportFinding) {
    this.#options = options;
    this.#onLesson = onLesson;
    this.#report = report;
  }

  async finishPlaced(placed: PlacedCourse, key: string): Promise<Omit<SourceCourse, "key"> | undefined> {
    const thumbnail = placed.fields.get("thumbnail");
    if (typeof thumbnail?.value === "string") {
      const value = await this.#resolveThumbnail(thumbnail.value, placed.folder, thumbnail.place);
      placed.fields.set("thumbnail", { ...thumbnail, value });
    }
    const options = { ...this.#options, links: placed.links };
    const chapters: ReadCourse["chapters"] = [];
    const labelled: LabelledLesson[] = [];
    for await (const chapter of placed.chapters) {
      const lessons: ReadCourse["chapters"][number]["lessons"] = [];
      for await (const lesson of chapter.lessons) {
        const { fields, place, sourcePath } = lesson;
        const origin = await this.#finishPlacedLesson(lesson, options);
        this.#onLesson?.();
        if (this.#size > this.#maxSize(placed)) {
          this.#report({ kind: "too-large", ...place, message: TOO_MUCH_GROWTH });
          return undefined;
        }
        if (origin === undefined) continue;
        lessons.push({ fields, place, sourcePath, origin });
        labelled.push({ fields, sourcePath, origin, labels: lesson.text?.labels });
      }
      if (placed.source.includedByCourse.isExhausted) return undefined;
      if (lessons.length === 0 && chapter.isHeld?.() === true) continue;
      this.#nameChapter(chapter.fields, lessons);
      this.#inspectChapter(findText(chapter.fields, "name") ?? "", chapter);
      chapters.push({ ...chapter, lessons });
    }
    const { maxLessonBytes } = this.#options.limits;
    const maxGrowth = this.#maxSize(placed) - this.#size;
    if (!placeLabels(labelled, key, { maxLessonBytes, maxGrowth }, this.#report)) {
      this.#report({ kind: "too-large", ...placed.place, message: TOO_MUCH_GROWTH });
      return undefined;
    }
    placeFragments(labelled);
    const read = { ...placed, chapters };
    const locate = locateIn.bind(undefined, read);
    const validated = validateCourse(toPlainCourse(read), locate, this.#report, TEXTS_OF_FILES);
    if (validated === undefined) return undefined;
    const course = addOrigins(validated, read);
    const made = course.tree === undefined ? createTree(placed.tree, course.chapters) : undefined;
    const tree = course.tree ?? made;
    if (!this.#acceptsSections(tree, locate)) return undefined;
    const isQualified = course.tree === undefined && placed.qualifiesNames === true;
    const named = isQualified ? qualifyNames(made, course.chapters) : course.chapters;
    return { course: { ...course, tree, chapters: named }, format: placed.format, tree: placed.tree, locate };
  }

  #maxSize({ source }: PlacedCourse): number {
    return FREE_GROWTH * source.readSize + MAX_GROWTH;
  }

  /** Finishes a course in plain JSON. All its problems are reported at the same location. */
  async finishPlain({ value, place }: PlainCourse): Promise<Omit<SourceCourse, "key"> | undefined> {
    const locate = (): Location => place;
    const course = validateCourse(await this.#withThumbnail(value, place), locate, this.#report);
    if (course !== undefined && !this.#acceptsSections(course.tree, locate)) return undefined;
    for (const chapter of course?.chapters ?? []) {
      this.#inspectChapter(chapter.name, { place, namesLessons: chapter.lessons.length > 0 });
      const lessons: typeof chapter.lessons = [];
      for (const lesson of chapter.lessons) {
        const about = {
          folder: ".",
          place,
          placeOf: locate,
          label: `lesson "${cutText(lesson.name, 80)}"`,
          sourcePath: undefined,
          text: undefined,
        };
        const { url, quizHtml, additionalText } = lesson;
        const finished = await finishLesson({ url, quizHtml, additionalText }, about, this.#options, this.#report);
        this.#onLesson?.();
        if (finished !== undefined) lessons.push(Object.assign(lesson, finished.texts));
      }
      chapter.lessons = lessons;
    }
    return course && { course, locate };
  }

  #acceptsSections(tree: CourseInput["tree"], locate: (part: PartPath) => Location): boolean {
    if (tree === undefined || !hasLongNames(tree)) return true;
    const message = `tree: the names of nested sections must together have at most ${MAX_NAME} characters`;
    this.#report({ kind: "wrong-value", ...locate(["tree"]), message });
    return false;
  }

  /** Finishes a lesson and changes its fields. Returns undefined if the lesson is too large or cannot be sanitized. */
  async #finishPlacedLesson(
    { fields, place, folder, sourcePath, text }: PlacedLesson,
    options: StageOptions,
  ): Promise<LessonOrigin | undefined> {
    const texts: LessonTexts = {
      url: findText(fields, "url") ?? "",
      quizHtml: findText(fields, "quizHtml") ?? "",
      additionalText: findText(fields, "additionalText") ?? "",
    };
    const writtenOf = (field: "url" | "quizHtml"): string => (text?.made.has(field) === true ? "" : texts[field]);
    const written = [writtenOf("url"), writtenOf("quizHtml"), text?.written ?? texts.additionalText];
    const placeOf = (field: string, offset?: number): Location => {
      const given = fields.get(field);
      return (offset === undefined ? undefined : given?.placeAt?.(offset)) ?? given?.place ?? place;
    };
    const about = { folder, place, placeOf, label: undefined, sourcePath, text };
    const finished = await finishLesson(texts, about, options, this.#report);
    if (finished === undefined) return undefined;
    for (const [field, value] of Object.entries(finished.texts) as [keyof LessonTexts, string][]) {
      if (value !== texts[field]) fields.set(field, { value, place: placeOf(field) });
    }
    this.#size += finished.size;
    const writtenDigest = written.every((part) => part.trim() === "") ? "" : digestParts(written);
    const links = finished.links.length === 0 ? undefined : finished.links;
    return { links, ids: finished.ids, writtenDigest };
  }

  #nameChapter(fields: PlacedFields, lessons: readonly Pick<PlacedLesson, "fields">[]): void {
    const given = fields.get("name");
    if (given === undefined || findText(fields, "name")?.trim() !== "") return;
    const first = findText(lessons[0]?.fields ?? new Map(), "name");
    const why = first === undefined ? "" : ", like its first lesson";
    const value = first ?? "Untitled";
    const message = `the chapter has no name and is called "${cutText(value, 80)}"${why}`;
    this.#report({ kind: "no-name", ...given.place, message });
    fields.set("name", { ...given, value });
  }

  #inspectChapter(name: string, { place, namesLessons }: Pick<PlacedChapter, "place" | "namesLessons">): void {
    if (namesLessons || !this.#options.reportsEmpty) return;
    this.#report({
      kind: "empty",
      ...place,
      message: `chapter "${cutText(name)}" has no lessons`,
    });
  }

  // Resolves a thumbnail before validation, which rejects relative URLs.
  async #withThumbnail(value: unknown, place: Location): Promise<unknown> {
    if (typeof value !== "object" || value === null || !("thumbnail" in value)) return value;
    const { thumbnail } = value as Partial<Record<keyof CourseInput, unknown>>;
    return typeof thumbnail === "string"
      ? { ...value, thumbnail: await this.#resolveThumbnail(thumbnail, ".", place) }
      : value;
  }

  /** Resolves a thumbnail. Validation reports a URL that stays relative. */
  async #resolveThumbnail(value: string, folder: string, place: Location): Promise<string> {
    if (!isRelativeUrl(value)) return value;
    const link = { tag: "img", attribute: "src", url: value, value, needsHost: true };
    const { url, problem } = await this.#options.links.decide(link, folder);
    if (url === undefined) return value;
    if (problem !== undefined) this.#report({ ...problem, ...place, message: `thumbnail: ${problem.message}` });
    return url;
  }
}

/** Resolves links such as `plan.ipynb#My-Heading!` to the heading's id, since Jupyter's own ids replace only spaces. */
function placeFragments(lessons: readonly LabelledLesson[]): void {
  const idsOf = new Map(lessons.map(({ sourcePath, origin }) => [sourcePath, origin?.ids]));
  for (const { target } of lessons.flatMap(({ origin }) => origin?.links ?? [])) {
    const ids = target.sourcePath.endsWith(".ipynb") ? idsOf.get(target.sourcePath) : undefined;
    const id = toHeadingId(target.fragment);
    if (ids?.has(target.fragment) === false && ids.has(id)) target.fragment = id;
  }
}

// Includes lengths, so that moving text from one part to another changes the digest.
function digestParts(parts: readonly string[]): string {
  return digestText(parts.map((part) => `${part.length} ${part}`).join(""));
}

/**
 * Adds the section's name to lesson names that occur more than once in a chapter, as in "Hello, World: Solution". If
 * the new names are not unique either, adds the names of all enclosing sections.
 */
function qualifyNames(tree: CourseTree | undefined, chapters: CourseInput["chapters"]): CourseInput["chapters"] {
  const sections = listSections(tree, chapters).values();
  return chapters.map((chapter) => {
    const names = chapter.lessons.map(({ name }) => name);
    const around = names.map(() => sections.next().value ?? []);
    const whole = names.map((name, index) => [...(around[index] ?? []), name].join(": "));
    const near = names.map((name, index) => {
      const section = around[index]?.findLast((each) => each !== name);
      return section === undefined ? name : `${section}: ${name}`;
    });
    const [isRepeated, isRepeatedNear] = [findRepeated(names), findRepeated(near)];
    const lessons = chapter.lessons.map((lesson, index) => {
      if (!isRepeated.has(lesson.name)) return lesson;
      const name = isRepeatedNear.has(near[index] ?? "") ? whole[index] : near[index];
      return { ...lesson, name: name ?? lesson.name };
    });
    return { ...chapter, lessons };
  });
}

function findRepeated(names: readonly string[]): Set<string> {
  const known = new Set<string>();
  return new Set(names.filter((name) => known.size === known.add(name).size));
}
