// Courses without an outline: numbered folders are chapters, numbered files lessons.
import { findNumber, isIntroduction, isLessonFile, toTitle } from "../files/lesson-names.ts";
import type { CourseFolder, OutlineChapter, OutlineLesson } from "./outline.ts";
import type { PlacedFields } from "../placed/placed-value.ts";
import type { Location, Report } from "../source.ts";
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";

/** Lists the chapters; lessons beside the chapters' folders form a first one, called Introduction. */
export async function listNumberedChapters({ tree, folder, entries, report }: CourseFolder): Promise<OutlineChapter[]> {
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
export async function listNumberedLessons(tree: SourceTree, folder: string, report: Report): Promise<OutlineLesson[]> {
  return toLessons(tree, await tree.list(folder, report));
}

function toLessons(tree: SourceTree, entries: SourceEntry[]): OutlineLesson[] {
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

function nameFields(name: string, place: Location): PlacedFields {
  return new Map([["name", { value: name, place }]]);
}
