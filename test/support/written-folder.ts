// Sources for tests: files in a temporary folder, read through the public door.
import { Glob } from "bun";
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CourseInput, LessonInput } from "../../src/catalog/course.ts";
import { openArchiveSource } from "../../src/content/readers/archive.ts";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { formatProblem, type Problem, type SourceCourse, type SourceOptions } from "../../src/content/source.ts";
import { Tally } from "../../src/content/tally.ts";
import { removeAfterExit } from "./scratch-folder.ts";

const scratch = mkdtempSync(join(tmpdir(), "lectern-folders-"));
removeAfterExit(scratch);

export type Files = Record<string, string | Uint8Array>;

/** A new folder, which is gone a second after this process. */
export const makeFolder = (): string => mkdtempSync(join(scratch, "source-"));

export function writeFiles(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** Writes files into a new folder. */
export function writeFolder(files: Files): string {
  const root = makeFolder();
  writeFiles(root, files);
  return root;
}

/** The files of a sample: test/samples/README.md. */
export function readSample(name: string): Record<string, string> {
  const root = join(import.meta.dir, "../samples", name, "source");
  const paths = [...new Glob("**/*").scanSync({ cwd: root, dot: true })];
  return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

/**
 * Reads a folder or an archive whole. Problems come as they are printed, without the folder's path; `statement` adds all of them up.
 * The source is open until `onRead` resolves.
 */
export async function readFolder(
  root: string,
  assetBase?: string,
  options: Partial<SourceOptions> = {},
  onRead: () => Promise<unknown> = async () => {},
) {
  const problems: string[] = [];
  // Courses of tests are often in the order of the alphabet, which is told apart from what they are about.
  const alphabetical: string[] = [];
  const found: SourceCourse[] = [];
  const tally = new Tally();
  const isArchive = statSync(root, { throwIfNoEntry: false })?.isFile() === true;
  const folder = isArchive ? dirname(root) : root;
  const source = (isArchive ? openArchiveSource : openFolderSource)(root, {
    ...options,
    assetBase: assetBase === undefined ? undefined : new URL(assetBase),
  });
  const report = (problem: Problem): void => {
    tally.add(problem);
    const printed = formatProblem(problem).replaceAll(`${folder}/`, "").replaceAll(folder, ".");
    (problem.kind === "no-order" ? alphabetical : problems).push(printed);
  };
  for await (const course of source.read(report)) found.push(course);
  await onRead();
  await source.close?.();
  const courses = found.map(({ course }) => withoutOrigins(course));
  const lessons = courses.flatMap(({ chapters }) => chapters.flatMap((chapter) => chapter.lessons));
  return { problems, alphabetical, found, courses, lessons, statement: tally.format(), label: source.label };
}

/** A course as its author gives it. Where its links lead is asserted by what is published of it. */
function withoutOrigins({ lessonUrl: _url, tree: _tree, chapters, ...course }: CourseInput): CourseInput {
  const withoutOrigin = ({ links: _links, ids: _ids, writtenDigest: _digest, ...lesson }: LessonInput): LessonInput =>
    lesson;
  return {
    ...course,
    chapters: chapters.map((chapter) => ({ ...chapter, lessons: chapter.lessons.map(withoutOrigin) })),
  };
}

/** Reads the source that these files are. */
export const read = (files: Files, assetBase?: string, framework?: string) =>
  readFolder(writeFolder(files), assetBase, { framework });

// Tests of what a text becomes hold texts that become nothing, and scripts.
const IS_LEFTOVER = /: warning: (?:readers (?:do not )?see "|<script> runs in )/;

/** Reads one course that must be without any problem, but for text of other programs. */
export async function readOnly(files: Files, assetBase?: string): Promise<CourseInput> {
  const { courses, problems } = await read(files, assetBase);
  expect(problems.filter((problem) => !IS_LEFTOVER.test(problem))).toEqual([]);
  const [course] = courses;
  if (course === undefined || courses.length > 1) throw new Error("expected one course");
  return course;
}

/** Reads a file as the only lesson of a course; `besides` are names of empty files beside it. */
export async function readLesson(
  name: string,
  text: string | Uint8Array,
  {
    assetBase,
    besides = [],
    framework,
  }: { assetBase?: string; besides?: string[]; framework?: string | undefined } = {},
) {
  const files = Object.fromEntries(besides.map((path) => [`01-part/${path}`, ""]));
  const { courses, problems } = await read({ ...files, [`01-part/${name}`]: text }, assetBase, framework);
  return { lesson: courses[0]?.chapters[0]?.lessons[0], problems };
}

/** The HTML of a lesson that must be without any problem, but for text of other programs. */
export async function render(name: string, text: string): Promise<string> {
  const { lesson, problems } = await readLesson(name, text);
  expect(problems.filter((problem) => !IS_LEFTOVER.test(problem))).toEqual([]);
  return lesson?.additionalText ?? "";
}

/** The names of the chapters, each followed by those of its lessons. */
export const outlineOf = ({ chapters }: CourseInput) =>
  chapters.map(({ name, lessons }) => [name, ...lessons.map((lesson: LessonInput) => lesson.name)]);

/** The outlines of courses in one line: `Chapter > lesson, lesson; Chapter > lesson`. */
export const outlinesOf = (courses: CourseInput[]): string =>
  courses
    .flatMap(outlineOf)
    .map(([chapter, ...lessons]) => (lessons.length === 0 ? chapter : `${chapter} > ${lessons.join(", ")}`))
    .join("; ");

/** Files with a text each that says nothing. */
export const pages = (...paths: string[]): Record<string, string> =>
  Object.fromEntries(paths.map((path) => [path, "x"]));

/** What is reported about the source that these files are. */
export const problemsOf = async (files: Files): Promise<string[]> => (await read(files)).problems;

/** By the names of tests: a text, the lesson that it becomes or its HTML, and all that is reported of it. */
type LessonTests = Record<string, [text: string, expected: string | Partial<LessonInput>, ...problems: string[]]>;

/** Tests what texts become, and that nothing else is reported. */
export function testLessons(
  readText: (text: string) => Promise<{ lesson: LessonInput | undefined; problems: string[] }>,
  tests: LessonTests,
): void {
  test.each(Object.entries(tests))("%s", async (_name, [text, expected, ...reported]) => {
    const { lesson, problems } = await readText(text);
    expect(lesson).toMatchObject(typeof expected === "string" ? { additionalText: expected } : expected);
    expect(problems).toEqual(reported);
  });
}

/** Tests what becomes of texts, which name the tests. */
export function testTexts(name: string, toShown: (text: string) => unknown, tests: Record<string, unknown>): void {
  test.each(Object.entries(tests))(`${name}: %j`, async (text, shown) => {
    expect(await toShown(text)).toEqual(shown);
  });
}
