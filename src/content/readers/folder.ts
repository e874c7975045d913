// Reads courses from a file tree: finds them, then reads their outlines and lessons.
import { toTranslationKey } from "../../catalog/match-paths.ts";
import { splitSourcePath } from "../../catalog/source-path.ts";
import { toPrintable } from "../../catalog/printable.ts";
import type { FileDates } from "../files/git-dates.ts";
import { nameTypedPath, openFolderFiles } from "../files/folder-files.ts";
import { createFindSize, FileFinder, FileLinks } from "../files/file-links.ts";
import { LinkTargets } from "../files/link-targets.ts";
import type { SourceFiles } from "../files/source-files.ts";
import { SourceTree } from "../files/source-tree.ts";
import { findSourcePath, readLesson, type LessonContext } from "../lesson-files/lesson-file.ts";
import { isLessonFile } from "../lesson-files/lesson-names.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { CourseLessons } from "../formats/course-lessons.ts";
import { consumeLanguages, type CourseLayout, type CoursePlace } from "../formats/course-languages.ts";
import { isOutlineName } from "../formats/registry.ts";
import type { ReadOutline, UnreadCourse } from "../formats/format.ts";
import { toCourseParts, type OutlineChapter } from "../formats/outline-tree.ts";
import { reportUnusedFiles } from "../formats/unused-files.ts";
import type { StageOptions } from "../resolve/finish-lesson.ts";
import type { FoundCourse, PlacedChapter, PlacedCourse, PlacedLesson } from "../resolve/placed-course.ts";
import { findText } from "../resolve/placed-value.ts";
import { createSourceLinks } from "../resolve/source-links.ts";
import { type ContentSource, isError, SILENT, type SourceOptions, type ReportFinding } from "../source.ts";
import { consumeLinkFields, createCourseLinks } from "./course-links.ts";
import { OriginalOutline, readCourseOutline, readLayout, selectCourses, type ReadingOptions } from "./course-layout.ts";
import { createSource, type OpenReader } from "./create-source.ts";
import { LessonTargets, SourceLessons } from "./lesson-targets.ts";

const NO_DATES: ReadonlyMap<string, FileDates> = new Map();

/**
 * Opens a folder that is a course or contains course folders. Resolves relative links and thumbnails against
 * `assetBase`, the folder's URL. Reads no file before `read` is called, and none outside the folder.
 */
export function openFolderSource(path: string, options: SourceOptions): ContentSource {
  const label = `folder ${toPrintable(nameTypedPath(path))}`;
  const open = async (): Promise<OpenReader> => {
    const dates = options.dates === "git" ? await (await import("../files/git-dates.ts")).readGitDates(path) : NO_DATES;
    return openTreeReader(await openFolderFiles(path, options.database), options, dates);
  };
  return createSource(label, open, options);
}

/** Reads the courses of any file tree. */
export function openTreeReader(
  files: SourceFiles,
  options: SourceOptions,
  dates: ReadonlyMap<string, FileDates>,
): OpenReader {
  let lessons: Promise<SourceLessons> | undefined;
  const tree = openTree(files, options, dates, () => (lessons ??= readSourceLessons(files, options)));
  return {
    stage: tree.stage,
    async *findCourses(report) {
      const { courses } = await tree.readLayout(report);
      for (const place of selectCourses(courses, options.only, report)) yield tree.toFound(place);
    },
  };
}

/** An open file tree that contains courses. */
export interface OpenTree {
  stage: StageOptions;
  /** Reads the tree's settings. Call this method before you read a course of a known layout, without `readLayout`. */
  prepare(report: ReportFinding, layout: CourseLayout): Promise<void>;
  /** Finds the courses and their order. */
  readLayout(report: ReportFinding): Promise<CourseLayout>;
  toFound(place: CoursePlace): FoundCourse;
}

/** Opens a file tree. `readOthers` reads the lessons of all its courses, for links between courses. */
export function openTree(
  files: SourceFiles,
  options: SourceOptions,
  dates: ReadonlyMap<string, FileDates>,
  readOthers: () => Promise<SourceLessons>,
): OpenTree {
  const { assetBase, files: sink, limits = DEFAULT_LIMITS } = options;
  const tree = new SourceTree(files, limits, isContent);
  const targets = new LinkTargets(tree);
  const finder = new FileFinder(tree);
  const fileLinks = sink && new FileLinks(tree, finder, sink);
  const links = createSourceLinks(assetBase, {
    findProblem: (link, folder) => targets.findProblem(link, folder),
    findSize: createFindSize(tree, finder),
    decideFile: fileLinks && ((link, folder) => fileLinks.decide(link, folder)),
  });
  const stage: StageOptions = { links, files: sink, limits, reportsEmpty: true };
  const context: TreeContext = {
    tree,
    stage,
    options: toReadingOptions(options),
    original: new OriginalOutline(),
    answers: options.answers,
    dates,
    readLessons: readOthers,
    isFile: (path) => targets.isFile(path),
    finder,
  };
  return {
    stage,
    async prepare(report, layout) {
      await tree.readIgnoreFile(report);
      tree.leaveOut(layout.hidden);
    },
    async readLayout(report) {
      await tree.readIgnoreFile(report);
      return readLayout(tree, context.options, report);
    },
    toFound: (place) => {
      let isRead = false;
      return {
        key: place.key,
        sourcePath: place.key,
        read(report) {
          tree.startCourse(isRead);
          isRead = true;
          return readCourse(context, place, report);
        },
      };
    },
  };
}

function isContent(name: string): boolean {
  return isLessonFile(name) || isOutlineName(name);
}

function toReadingOptions(options: SourceOptions): ReadingOptions {
  const {
    assetBase,
    files,
    format,
    publishedFormat,
    framework,
    withInstructors = false,
    answers = "self-check",
  } = options;
  const { now = () => new Date(), hasPublishedLessonIn = async () => false, languages, publishedCourses } = options;
  return {
    format,
    publishedFormat: publishedFormat ?? (() => undefined),
    hasPublishedLessonIn,
    framework,
    withInstructors,
    answers,
    now,
    languages,
    publishedCourses,
    servesFiles: assetBase !== undefined || files !== undefined,
  };
}

/** The state that all courses of a tree share. */
interface TreeContext {
  tree: SourceTree;
  stage: StageOptions;
  options: ReadingOptions;
  original: OriginalOutline;
  /** The option as given. Unlike the value in `options`, it is undefined by default. */
  answers: SourceOptions["answers"];
  dates: ReadonlyMap<string, FileDates>;
  readLessons: () => Promise<SourceLessons>;
  isFile: (path: string) => Promise<boolean>;
  finder: FileFinder;
}

/** Reads a course. Returns undefined if its outline is unreadable. */
async function readCourse(
  { tree, stage, options, original, answers, dates, readLessons: readOthers, isFile, finder }: TreeContext,
  course: CoursePlace,
  report: ReportFinding,
): Promise<PlacedCourse | undefined> {
  let hasErrors = false;
  const noteErrors: ReportFinding = (finding) => {
    hasErrors ||= isError(finding);
    report(finding);
  };
  const { key, folder } = course;
  const outline = await readCourseOutline(tree, course, options, original, noteErrors);
  if (outline === undefined) return undefined;
  const { fields, place, parts = [], chapters, dialect, prepare, adaptFields, linkFolders, redirects, held } = outline;
  consumeLanguages(fields, noteErrors);
  const { lessonUrl, linkMap } = consumeLinkFields(fields, noteErrors);
  const targets = new LessonTargets({
    own: new CourseLessons(course, outline),
    sharesFolder: course.sharesFolder === true,
    readOthers,
    isFile,
  });
  dateCourse(outline, dates);
  const { framework } = options;
  const language = findText(fields, "language");
  const isHeld: LessonContext["isHeld"] = held && (async (...page) => held.holds(...page));
  const reading = { dialect, prepare, adaptFields, isHeld, framework, answers, dates, language };
  const context = { tree, courseFolder: folder, ...reading, report: noteErrors };
  return {
    fields,
    place,
    sourcePath: key,
    folder,
    source: tree,
    found: course.language === undefined ? undefined : { language: course.language, original: course.original },
    toTranslationKey: (path) => findTranslationKey(course, path),
    links: createCourseLinks(tree, folder, {
      targets,
      linkMap,
      isFile,
      finder,
      files: stage.links,
      linkFolders,
      redirects,
      hasPageFolders: dialect?.hasPageFolders,
    }),
    lessonUrl,
    format: outline.format,
    tree: toCourseParts(parts),
    qualifiesNames: outline.flattening.qualifiesNames,
    countHeld: () =>
      chapters.reduce((sum, { lessons }) => sum + lessons.filter(({ file = "" }) => held?.paths.has(file)).length, 0),
    lessonCount: chapters.reduce((sum, { lessons }) => sum + lessons.length, 0),
    chapters: readChapters({ tree, folder, report: noteErrors }, outline, context, () => hasErrors),
  };
}

/** Returns a lesson's translation key; undefined for a part of a file, since translations change the part's name. */
function findTranslationKey(
  { folder, original, originals, sharesFolder }: CoursePlace,
  sourcePath: string,
): string | undefined {
  if (splitSourcePath(sourcePath).part !== undefined) return undefined;
  const translated = originals?.get(sourcePath);
  if (translated === undefined) return toTranslationKey(sourcePath, { folder, isTranslation: original !== undefined });
  const around = sharesFolder === true ? folder : (original ?? folder);
  return toTranslationKey(translated, { folder: around, isTranslation: false });
}

/** Reads the lessons of all courses from their outlines. Reports nothing: reading the courses reports their faults. */
export async function readSourceLessons(files: SourceFiles, options: SourceOptions): Promise<SourceLessons> {
  const lessons = new SourceLessons();
  // Uses a separate tree, since a tree reports a link only the first time, and nothing is reported here.
  const tree = new SourceTree(files, options.limits ?? DEFAULT_LIMITS, isContent);
  const reading = toReadingOptions(options);
  const original = new OriginalOutline();
  const report = SILENT;
  await tree.readIgnoreFile(report);
  for (const place of (await readLayout(tree, reading, report)).courses) {
    const outline = await readCourseOutline(tree, place, reading, original, report);
    lessons.add(new CourseLessons(place, outline));
  }
  return lessons;
}

async function* readChapters(
  course: Pick<UnreadCourse, "tree" | "folder" | "report">,
  { chapters, held, unlisted }: ReadOutline,
  context: LessonContext,
  hasErrors: () => boolean,
): AsyncGenerator<PlacedChapter> {
  const used = new UsedFiles();
  for (const chapter of chapters) {
    const { fields, place, folder, namesLessons, lessons } = chapter;
    // A chapter without lessons is left out if its pages are held back.
    const isHeld = (): boolean => lessons.some(({ file = "" }) => held?.paths.has(file) === true);
    yield { fields, place, sourcePath: folder, namesLessons, isHeld, lessons: readLessons(chapter, context, used) };
  }
  held?.reportDrafts({ file: course.tree.toTypedPath(course.folder) }, course.report);
  // An outline with errors can lack files that it should list, so unlisted files are not reported.
  if (unlisted === undefined || hasErrors()) return;
  await reportUnusedFiles(course, used.files.union(held?.paths ?? new Set()), unlisted);
}

// A course is as old as its oldest lesson.
function dateCourse({ chapters, fields, place }: ReadOutline, dates: ReadonlyMap<string, FileDates>): void {
  let oldest: string | undefined;
  for (const { file } of chapters.flatMap(({ lessons }) => lessons)) {
    const created = file === undefined ? undefined : dates.get(file)?.createdAt;
    if (created !== undefined && (oldest === undefined || Date.parse(created) < Date.parse(oldest))) oldest = created;
  }
  if (oldest !== undefined && fields.get("createdAt")?.value === undefined)
    fields.set("createdAt", { value: oldest, place });
}

class UsedFiles {
  readonly files = new Set<string>();
  readonly sourcePaths = new Set<string>();
}

async function* readLessons(
  { lessons }: OutlineChapter,
  context: LessonContext,
  used: UsedFiles,
): AsyncGenerator<PlacedLesson> {
  for (const lesson of lessons) {
    if (context.tree.includedByCourse.isExhausted) return;
    const sourcePath = findSourcePath(lesson);
    if (sourcePath !== undefined && used.sourcePaths.has(sourcePath)) {
      const message = `the file ${sourcePath} is already a lesson in this course; the first entry counts`;
      context.report({ kind: "repeated-file", ...lesson.place, message });
      continue;
    }
    if (sourcePath !== undefined) used.sourcePaths.add(sourcePath);
    if (lesson.file !== undefined) used.files.add(lesson.file);
    const read = await readLesson(lesson, context);
    if (read !== undefined) yield read;
  }
}
