// The tree of a course, and how it becomes the chapters with lessons that readers get.
import { findSourcePath, type NamedLesson } from "../lesson-files/lesson-file.ts";
import { toTitle } from "../lesson-files/lesson-names.ts";
import { findText, type PlacedFields } from "../resolve/placed-value.ts";
import type { CoursePart, Location } from "../source.ts";

/** A lesson, or what holds some; a page with others below it is a section that begins with it. */
export type OutlinePart = OutlineSection | NamedLesson;

export interface OutlineSection {
  fields: PlacedFields;
  place: Location;
  /** Relative to the source's root; undefined where the section is no folder. */
  folder?: string | undefined;
  parts: OutlinePart[];
  /** True where lessons are meant that were not found; where absent, as it holds some. */
  namesLessons?: boolean;
}

export interface OutlineChapter extends Omit<OutlineSection, "parts"> {
  lessons: NamedLesson[];
  namesLessons: boolean;
}

/** How a format's tree becomes chapters, in the order of its lessons. */
export interface Flattening {
  /**
   * `top`: sections that stand in no other are chapters, with all the lessons within. `every`: each section is one for each row of
   * its lessons, called as it and the sections around it.
   */
  chapters: "top" | "every";
  /** Of `every`: a section in no other is a chapter without lessons where there are none within. */
  keepsEmpty?: boolean;
  /** Chapters of lessons in no section. The first of all is called `first`, others `next`, or as their first lesson. */
  loose?: { first: string; next?: string; place?: Location };
  /** Of `top`: lessons of a chapter with the same name are called as their section, too. Ids of older formats hang on their names. */
  qualifiesNames?: boolean;
  /** Lessons that are left out when the chapters have their names. */
  leavesOut?: (lesson: NamedLesson) => boolean;
}

/** Formats without a level between chapters and lessons, or whose levels there readers do not see. */
export const TOP_SECTIONS: Flattening = { chapters: "top" };

/** Names of folders or sections in each other; deeper ones are named as that around them. */
const MAX_NAMES = 20;

export function isSection(part: OutlinePart): part is OutlineSection {
  return "parts" in part;
}

/** A section of which only the name is known. */
export function createSection(
  name: string,
  place: Location,
  parts: OutlinePart[] = [],
  folder?: string,
): OutlineSection {
  return { fields: new Map([["name", { value: name, place }]]), place, folder, parts };
}

/** A lesson or a heading in a list of these. */
export interface ListedPart extends Pick<OutlineSection, "fields" | "place"> {
  /** How deep it stands: 0 for a section at the top, even if it holds nothing; Infinity for the text of the part before it. */
  depth: number;
  lesson?: NamedLesson | undefined;
}

/** Makes a tree of parts that are listed in their order. A lesson with others below it becomes a section; what holds none goes. */
export function nestParts(listed: readonly ListedPart[]): OutlineSection[] {
  const top: OutlineSection[] = [];
  const open: { depth: number; parts: OutlinePart[] }[] = [{ depth: -1, parts: top }];
  for (const { depth, lesson, fields, place } of listed) {
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
    const section = { fields, place, parts: lesson === undefined ? [] : [lesson] };
    open.at(-1)?.parts.push(section);
    open.push({ depth, parts: section.parts });
  }
  return top.map((section) => {
    const { parts } = section;
    return { ...section, parts: parts.flatMap(withoutShells), namesLessons: parts.length > 0 };
  });
}

// A section that is a page alone is a lesson.
function withoutShells(part: OutlinePart): OutlinePart[] {
  if (!isSection(part)) return [part];
  const [own, ...below] = part.parts;
  if (own !== undefined && !isSection(own) && below.length === 0) return [own];
  const parts = part.parts.flatMap(withoutShells);
  return parts.length === 0 ? [] : [{ ...part, parts }];
}

/** The lessons of parts at any depth, in their order. */
export function listLessons(parts: readonly OutlinePart[]): NamedLesson[] {
  return parts.flatMap((part) => (isSection(part) ? listLessons(part.parts) : [part]));
}

/** The tree as a reader gives it. */
export function toCourseParts(parts: readonly OutlinePart[]): CoursePart[] {
  return parts.map((part) => {
    const name = findText(part.fields, "name");
    return isSection(part)
      ? { name, sourcePath: part.folder, parts: toCourseParts(part.parts) }
      : { name, sourcePath: findSourcePath(part) };
  });
}

/** The chapters of a tree. */
export function flattenOutline(parts: readonly OutlinePart[], flattening: Flattening): OutlineChapter[] {
  const { chapters: kind, keepsEmpty = false, leavesOut } = flattening;
  const chapters: OutlineChapter[] = [];
  const addParts = (of: readonly OutlinePart[], names: readonly string[], within?: OutlineSection): void => {
    let row: OutlineChapter | undefined;
    for (const part of of) {
      if (!isSection(part)) {
        if (row === undefined)
          chapters.push((row = openRow(part, names, within, flattening.loose, chapters.length === 0)));
        row.lessons.push(part);
        continue;
      }
      row = undefined;
      const { length } = chapters;
      if (kind === "every") addParts(part.parts, nameDeeper(names, part), part);
      const isEmpty = keepsEmpty && within === undefined && chapters.length === length;
      if (kind === "top" || isEmpty) chapters.push(toChapter(part));
    }
  };
  addParts(parts, []);
  if (leavesOut === undefined) return chapters;
  const kept = chapters.map((each) => ({ ...each, lessons: each.lessons.filter((lesson) => !leavesOut(lesson)) }));
  return kept.filter(({ lessons }) => lessons.length > 0);
}

function nameDeeper(names: readonly string[], { fields }: OutlineSection): readonly string[] {
  return names.length < MAX_NAMES ? [...names, findText(fields, "name") ?? ""] : names;
}

/** A chapter for the lessons that stand together in a section, or in none. */
function openRow(
  { file = "", fields, place }: NamedLesson,
  names: readonly string[],
  within: OutlineSection | undefined,
  loose: Flattening["loose"],
  isFirst: boolean,
): OutlineChapter {
  const own = loose?.next ?? findText(fields, "name") ?? toTitle(file.replace(/.*\//, ""));
  const name = within === undefined ? (isFirst ? (loose?.first ?? own) : own) : names.join(": ");
  // A section that is no folder has a row wherever its lessons begin.
  const at = within === undefined ? loose?.place : within.folder === undefined ? undefined : within.place;
  const { parts: _, ...chapter } = createSection(name, at ?? place, [], within?.folder);
  return { ...chapter, lessons: [], namesLessons: true };
}

function toChapter({ parts, ...section }: OutlineSection): OutlineChapter {
  const lessons = listLessons(parts);
  return { ...section, lessons, namesLessons: section.namesLessons ?? lessons.length > 0 };
}
