// Courses without an outline: numbered folders are chapters, numbered files lessons.
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import { DIALECTS } from "../lessons/dialects.ts";
import type { NamedLesson } from "../lessons/lesson-file.ts";
import { findNumber, isIntroduction, isLessonFile, toTitle } from "../lessons/lesson-names.ts";
import type { Report } from "../source.ts";
import {
  nameAfterFolder,
  nameFields,
  type CourseFolder,
  type Outline,
  type OutlineChapter,
  type OutlineKind,
} from "./outline.ts";

/** The numbers of folders and files as an outline: what there is where there is no other. */
export const numberedFolder: OutlineKind = {
  name: "numbered",
  sign: "folders and lessons whose names begin with numbers, such as 01-start.md",
  find: async ({ folder, entries, isDescribed = false }) => {
    const isLesson = (entry: SourceEntry): boolean =>
      isNumbered(entry) || (isDescribed && !entry.isFolder && isIntroduction(entry.name));
    return entries.some(isLesson) ? folder : undefined;
  },
  read: readNumberedFolder,
  yieldsToFolders: false,
};

/** True for a folder and for a lesson file with a number. */
export function isNumbered({ name, isFolder }: SourceEntry): boolean {
  return findNumber(name) !== undefined && (isFolder || isLessonFile(name));
}

async function readNumberedFolder(course: CourseFolder): Promise<Outline> {
  const place = { file: course.tree.toTypedPath(course.folder) };
  return {
    fields: nameAfterFolder(course, place),
    place,
    chapters: await listNumberedChapters(course),
    dialect: DIALECTS.markdown,
    unlisted: {
      allowsIntroduction: false,
      message:
        "is not a lesson: without an outline only numbered files, README and index in a course or its numbered folders are",
      mayBeMeant: (name) => findNumber(name) !== undefined,
    },
  };
}

// Lessons beside the chapters' folders form a first chapter.
async function listNumberedChapters({ tree, folder, entries, report }: CourseFolder): Promise<OutlineChapter[]> {
  const chapters: OutlineChapter[] = [];
  const loose = toLessons(tree, entries);
  if (loose.length > 0) {
    const place = { file: tree.toTypedPath(folder) };
    chapters.push({
      fields: nameFields("Introduction", place),
      place,
      folder: undefined,
      lessons: loose,
      namesLessons: true,
    });
  }
  for (const entry of sortByNumber(entries.filter((each) => each.isFolder && findNumber(each.name) !== undefined))) {
    const place = { file: tree.toTypedPath(entry.path) };
    const lessons = await listNumberedLessons(tree, entry.path, report);
    const fields = nameFields(toTitle(entry.name), place);
    chapters.push({ fields, place, folder: entry.path, lessons, namesLessons: lessons.length > 0 });
  }
  return chapters;
}

/** Lists a folder's lessons: its introduction first, then its numbered files. */
export async function listNumberedLessons(tree: SourceTree, folder: string, report: Report): Promise<NamedLesson[]> {
  return toLessons(tree, await tree.list(folder, report));
}

function toLessons(tree: SourceTree, entries: SourceEntry[]): NamedLesson[] {
  const files = entries.filter((entry) => !entry.isFolder && isLessonFile(entry.name));
  // README before index: one introduction is enough.
  const introduction = files
    .filter((entry) => isIntroduction(entry.name))
    .sort((a, b) => Number(/^index/i.test(a.name)) - Number(/^index/i.test(b.name)))
    .slice(0, 1);
  const numbered = sortByNumber(files.filter((entry) => findNumber(entry.name) !== undefined));
  return [...introduction, ...numbered].map(({ path }) => ({
    file: path,
    fields: new Map(),
    place: { file: tree.toTypedPath(path) },
  }));
}

function sortByNumber(entries: SourceEntry[]): SourceEntry[] {
  // The entries come in the order of their names, and sorting keeps that among equals.
  return entries.toSorted((a, b) => (findNumber(a.name) ?? 0) - (findNumber(b.name) ?? 0));
}
