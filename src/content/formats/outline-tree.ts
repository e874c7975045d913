// Builds the tree of a course and flattens it into chapters with lessons.
import { findSourcePath, type NamedLesson } from "../lesson-files/lesson-file.ts";
import { toTitle } from "../lesson-files/lesson-names.ts";
import { findText, type PlacedFields } from "../resolve/placed-value.ts";
import { cutText } from "../quote.ts";
import type { CoursePart, Location } from "../source.ts";

/** A lesson or a section. A page with subpages is a section that begins with the page. */
export type OutlinePart = OutlineSection | NamedLesson;

export interface OutlineSection {
  fields: PlacedFields;
  place: Location;
  /** The folder, relative to the source root; undefined if the section is not a folder. */
  folder?: string | undefined;
  parts: OutlinePart[];
  /** True if names of chapters omit the section's name, as for a site's folder. */
  isBase?: boolean;
  /** True if the section contains lessons or names lessons that are missing; computed if absent. */
  namesLessons?: boolean;
}

export interface OutlineChapter extends Omit<OutlineSection, "parts"> {
  lessons: NamedLesson[];
  namesLessons: boolean;
}

/** How a tree becomes chapters, in lesson order. */
export interface Flattening {
  /**
   * `top`: top-level sections become chapters with all lessons inside. `every`: each run of lessons becomes a chapter
   * named after the sections that contain the run.
   */
  chapters: "top" | "every";
  /** For `every`: keeps an empty top-level section as a chapter. */
  keepsEmpty?: boolean;
  /** The names of chapters for lessons outside sections: `first`, then `next` or the name of their first lesson. */
  loose?: { first: string; next?: string; place?: Location };
  /** For `top`: adds sections' names to equal lesson names in a chapter. Off for older formats: ids depend on names. */
  qualifiesNames?: boolean;
  /** Returns true for lessons to drop after the chapters are named. */
  leavesOut?: (lesson: NamedLesson) => boolean;
}

/** For formats that show no level between chapters and lessons. */
export const TOP_SECTIONS: Flattening = { chapters: "top" };

/** The maximum number of section names to join; the names of deeper sections are left out. */
const MAX_NAMES = 20;
/** The maximum length of a section's name where the names of its chapters or lessons can repeat it. */
const MAX_NAME = 500;

export function isSection(part: OutlinePart): part is OutlineSection {
  return "parts" in part;
}

/** Creates a section whose only field is its name. */
export function createSection(
  name: string,
  place: Location,
  parts: OutlinePart[] = [],
  folder?: string,
): OutlineSection {
  return { fields: new Map([["name", { value: name, place }]]), place, folder, parts };
}

/** A listed lesson or heading. */
export interface ListedPart extends Pick<OutlineSection, "fields" | "place"> {
  /** The depth: 0 at the top, where empty parts are kept; Infinity for the text of the preceding part. */
  depth: number;
  lesson?: NamedLesson | undefined;
}

/** Builds a tree from a flat list. A lesson with parts below it becomes a section; empty inner sections are dropped. */
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

// A section that contains only one page becomes a lesson.
function withoutShells(part: OutlinePart): OutlinePart[] {
  if (!isSection(part)) return [part];
  const [own, ...below] = part.parts;
  if (own !== undefined && !isSection(own) && below.length === 0) return [own];
  const parts = part.parts.flatMap(withoutShells);
  return parts.length === 0 ? [] : [{ ...part, parts }];
}

/** Returns all lessons, in order. */
export function listLessons(parts: readonly OutlinePart[]): NamedLesson[] {
  return parts.flatMap((part) => (isSection(part) ? listLessons(part.parts) : [part]));
}

/** Converts parts to the tree that readers see. */
export function toCourseParts(parts: readonly OutlinePart[]): CoursePart[] {
  return parts.map((part) => {
    const name = findText(part.fields, "name");
    return isSection(part)
      ? { name: name && cutText(name, MAX_NAME), sourcePath: part.folder, parts: toCourseParts(part.parts) }
      : { name, sourcePath: findSourcePath(part) };
  });
}

/** Returns the chapters of a tree. */
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

function nameDeeper(names: readonly string[], { fields, isBase }: OutlineSection): readonly string[] {
  return isBase === true ? names : addName(names, findText(fields, "name") ?? "");
}

/** Adds a section's name to the names of the sections around it, up to the length at which a name is an error. */
export function addName(names: readonly string[], name: string): readonly string[] {
  return names.length < MAX_NAMES && names.join("").length <= MAX_NAME ? [...names, cutText(name, MAX_NAME)] : names;
}

/** Opens a chapter for a run of lessons in a section or outside all sections. */
function openRow(
  { file = "", fields, place }: NamedLesson,
  names: readonly string[],
  within: OutlineSection | undefined,
  loose: Flattening["loose"],
  isFirst: boolean,
): OutlineChapter {
  const own = loose?.next ?? findText(fields, "name") ?? toTitle(file.replace(/.*\//, ""));
  const name =
    within === undefined
      ? isFirst
        ? (loose?.first ?? own)
        : own
      : names.join(": ") || (findText(within.fields, "name") ?? own);
  // A section without a folder takes the location of its first lesson.
  const at = within === undefined ? loose?.place : within.folder === undefined ? undefined : within.place;
  const { parts: _, ...chapter } = createSection(name, at ?? place, [], within?.folder);
  return { ...chapter, lessons: [], namesLessons: true };
}

function toChapter({ parts, ...section }: OutlineSection): OutlineChapter {
  const lessons = listLessons(parts);
  return { ...section, lessons, namesLessons: section.namesLessons ?? lessons.length > 0 };
}
