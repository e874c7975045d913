// Courses from files and folders: found, outlined, read lesson by lesson, validated.
import { toPrintable } from "../../catalog/printable.ts";
import { listCourseFolders } from "../outlines/course-folders.ts";
import { readCourseYaml } from "../outlines/course-yaml.ts";
import { readLesson, resolveThumbnail, type LessonContext } from "../lessons/lesson-file.ts";
import { isLessonFile, toTitle } from "../files/lesson-names.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { LinkTargets } from "../files/link-targets.ts";
import { COURSE_YAML, TOCTREE } from "../files/outline-names.ts";
import { listNumberedChapters } from "../outlines/numbered-folder.ts";
import { findFile, type CourseFolder, type Outline, type OutlineChapter } from "../outlines/outline.ts";
import {
  addSourcePaths,
  locateIn,
  toPlainCourse,
  type PlacedChapter,
  type PlacedPart,
} from "../placed/placed-course.ts";
import { findText } from "../placed/placed-value.ts";
import { cutText } from "../quote.ts";
import type { ContentSource, Report, SourceCourse, SourceOptions } from "../source.ts";
import { nameTypedPath, openFolderFiles } from "../files/folder-files.ts";
import { SourceTree } from "../files/source-tree.ts";
import { readToctree } from "../outlines/toctree.ts";
import { reportUnusedFiles } from "../outlines/unused-files.ts";
import { validateCourse } from "../placed/validate-course.ts";

/**
 * Opens a folder that is one course, or holds one folder per course. Relative links and thumbnails are resolved against
 * `assetBase`, as if the folder lay there. Nothing is read before `read`, and nothing outside the folder ever.
 */
export function openFolderSource(path: string, options: SourceOptions): ContentSource {
  return {
    label: `folder ${toPrintable(nameTypedPath(path))}`,
    read: (report) => readCourses(path, options, report),
  };
}

function isContentFile(name: string): boolean {
  return isLessonFile(name) || [...COURSE_YAML, ...TOCTREE].includes(name);
}

async function* readCourses(path: string, options: SourceOptions, report: Report): AsyncGenerator<SourceCourse> {
  const files = await openFolderFiles(path);
  const tree = new SourceTree(files, options.limits ?? DEFAULT_LIMITS, isContentFile);
  const targets = new LinkTargets(tree);
  for (const folder of await listCourseFolders(tree, report)) {
    const course = await readCourse({ tree, courseFolder: folder, targets, ...options }, report);
    if (course !== undefined) yield course;
  }
}

/** Undefined when something in the course is an error, for an inspection only when it is no course then. */
async function readCourse(
  { inspection, ...context }: SourceOptions & Omit<LessonContext, "report" | "reportsScripts" | "hasHeadingAnchors">,
  reportToCaller: Report,
): Promise<SourceCourse | undefined> {
  let hasErrors = false;
  const report: Report = (problem) => {
    hasErrors ||= problem.severity === "error";
    reportToCaller(problem);
  };
  const { tree, courseFolder } = context;
  const folder: CourseFolder = { tree, folder: courseFolder, entries: await tree.list(courseFolder, report), report };
  const outline = await readOutline(folder);
  inspection?.onCourse(countLessons(outline));
  if (outline === undefined) return undefined;
  const { hasHeadingAnchors } = outline;
  const lessonContext = { ...context, hasHeadingAnchors, reportsScripts: inspection !== undefined, report };
  await resolveThumbnail(outline.fields, lessonContext);

  const used = new Set<string>();
  const chapters: PlacedChapter[] = [];
  for (const chapter of outline.chapters) chapters.push(await readChapter(chapter, lessonContext, used));
  // Files of an outline that was not understood are not forgotten.
  if (!hasErrors) await reportUnusedFiles(folder, used, !outline.isNumbered);

  const placed = { fields: outline.fields, place: outline.place, sourcePath: folder.folder, chapters };
  const locate = locateIn.bind(undefined, placed);
  const course = validateCourse(toPlainCourse(placed), locate, report);
  if (course === undefined || (hasErrors && inspection === undefined)) return undefined;
  return { course: addSourcePaths(course, placed), locate };
}

function countLessons(outline: Outline | undefined): number {
  return (outline?.chapters ?? []).reduce((sum, { lessons }) => sum + lessons.length, 0);
}

/** Undefined when an outline file is there and cannot be read as one. */
async function readOutline(folder: CourseFolder): Promise<Outline | undefined> {
  const courseYaml = findFile(folder.entries, ...COURSE_YAML);
  const toctree = findFile(folder.entries, ...TOCTREE);
  const described = courseYaml && (await readCourseYaml(folder, courseYaml.path));
  if (courseYaml !== undefined && described === undefined) return undefined;

  const isNumbered = described?.chapters === undefined && toctree === undefined;
  const chapters =
    described?.chapters ??
    (toctree === undefined ? await listNumberedChapters(folder) : await readToctree(folder, toctree.path));
  if (chapters === undefined) return undefined;
  const hasHeadingAnchors = toctree !== undefined && described?.chapters === undefined;
  if (described !== undefined) return { ...described, chapters, isNumbered, hasHeadingAnchors };
  const file = folder.tree.toTypedPath(toctree?.path ?? folder.folder);
  const place = toctree === undefined ? { file } : { file, line: 1, column: 1 };
  const folderName = folder.tree.nameOf(folder.folder);
  return {
    fields: new Map([["name", { value: toTitle(folderName), place }]]),
    place,
    chapters,
    isNumbered,
    hasHeadingAnchors,
  };
}

async function readChapter(chapter: OutlineChapter, context: LessonContext, used: Set<string>): Promise<PlacedChapter> {
  const { report } = context;
  const lessons: PlacedPart[] = [];
  for (const lesson of chapter.lessons) {
    if (lesson.file !== undefined && used.has(lesson.file)) {
      const message = `the file ${lesson.file} is already a lesson of this course`;
      report({ severity: "error", ...lesson.place, message });
      continue;
    }
    if (lesson.file !== undefined) used.add(lesson.file);
    const read = await readLesson(lesson, context);
    if (read !== undefined) lessons.push(read);
  }
  if (!chapter.namesLessons) {
    const message = `chapter "${cutText(findText(chapter.fields, "name") ?? "")}" has no lessons`;
    report({ severity: "warning", ...chapter.place, message });
  }
  return { fields: chapter.fields, place: chapter.place, sourcePath: chapter.folder, lessons };
}
