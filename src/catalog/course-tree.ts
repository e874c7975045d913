// The tree of a course: lessons in sections, which can be nested. A tree without nested sections matches the chapters
// and is not stored.
import type { LessonSummaryDocument } from "./documents.ts";

/** The maximum depth of sections. The parts of a deeper section become parts of its parent. */
export const MAX_TREE_DEPTH = 20;

/** The maximum length of a name, and of the names of nested sections together: each lesson's meta repeats these. */
export const MAX_NAME = 1000;

export interface TreeSection<Leaf> {
  name: string;
  parts: TreePart<Leaf>[];
}

/** A lesson, or a section with its parts. */
export type TreePart<Leaf> = Leaf | TreeSection<Leaf>;

/** The leaves are positions of lessons in the course, counted from 0. */
export type CourseTree = TreePart<number>[];

interface FoundPart {
  name: string | undefined;
  sourcePath: string | undefined;
  parts?: readonly FoundPart[];
}

interface TreeChapter {
  name: string;
  lessons: readonly { name: string; sourcePath?: string | undefined }[];
}

/** Creates the tree from a format's outline and the existing lessons; undefined if the outline lacks a lesson. */
export function createTree(found: readonly FoundPart[], chapters: readonly TreeChapter[]): CourseTree | undefined {
  const lessons = chapters.flatMap((chapter) => chapter.lessons);
  const positions = Map.groupBy(lessons.keys(), (at) => keyOf(lessons[at]));
  for (const list of positions.values()) list.reverse();
  let placed = 0;
  const place = (parts: readonly FoundPart[], depth: number): CourseTree =>
    parts.flatMap((part) => {
      if (part.parts === undefined) {
        const position = positions.get(keyOf(part))?.pop();
        if (position !== undefined) placed++;
        return position ?? [];
      }
      const within = place(part.parts, depth + 1);
      if (within.length === 0 || depth >= MAX_TREE_DEPTH) return within;
      return { name: part.name?.trim() ? part.name : nameByLesson(within, lessons), parts: within };
    });
  const tree = place(found, 0);
  return placed === lessons.length ? tree : undefined;
}

// A lesson without a file is identified by its name.
function keyOf(part: { name: string | undefined; sourcePath?: string | undefined } | undefined): string {
  return part?.sourcePath?.normalize("NFC") ?? `\0${part?.name}`;
}

// Names a section after its first part, just like an unnamed chapter.
function nameByLesson([first]: CourseTree, lessons: TreeChapter["lessons"]): string {
  return typeof first === "number" ? (lessons[first]?.name ?? "") : (first?.name ?? "");
}

/** Returns the tree; undefined if it matches the chapters. */
export function findNesting(tree: CourseTree | undefined, chapters: readonly TreeChapter[]): CourseTree | undefined {
  let position = 0;
  const flat = chapters.map(({ name, lessons }) => ({ name, parts: lessons.map(() => position++) }));
  const filled = flat.filter(({ parts }) => parts.length > 0);
  return tree === undefined || JSON.stringify(tree) === JSON.stringify(filled) ? undefined : tree;
}

/** Maps the lessons of a tree and drops empty sections. */
export function mapTree<From, To>(tree: readonly TreePart<From>[], toLeaf: (leaf: From) => To): TreePart<To>[] {
  return tree.flatMap((part): TreePart<To>[] => {
    if (!isSection(part)) return [toLeaf(part)];
    const parts = mapTree(part.parts, toLeaf);
    return parts.length === 0 ? [] : [{ name: part.name, parts }];
  });
}

export function isSection<Leaf>(part: TreePart<Leaf>): part is TreeSection<Leaf> {
  return typeof part === "object" && part !== null && "parts" in part;
}

export function hasLongNames(parts: readonly TreePart<unknown>[], most = MAX_NAME): boolean {
  return parts.some((part) => {
    if (!isSection(part)) return false;
    return part.name.length > most || hasLongNames(part.parts, most - part.name.length);
  });
}

export function listLeaves<Leaf>(tree: readonly TreePart<Leaf>[]): Leaf[] {
  return tree.flatMap((part) => (isSection(part) ? listLeaves(part.parts) : [part]));
}

/**
 * Returns, by lesson position, the names of the sections between a lesson and its chapter, outermost first.
 */
export function listSections(tree: CourseTree | undefined, chapters: readonly TreeChapter[]): string[][] {
  const chapterNames = chapters.flatMap(({ name, lessons }) => lessons.map(() => name));
  const sections: string[][] = chapterNames.map(() => []);
  const walk = (parts: CourseTree, names: string[]): void => {
    for (const part of parts) {
      if (isSection(part)) walk(part.parts, [...names, part.name]);
      else sections[part] = names.slice(countChapterNames(names, chapterNames[part] ?? ""));
    }
  };
  walk(tree ?? [], []);
  return sections;
}

/**
 * Counts the section names that make up a chapter's name: in some formats, a chapter is an outermost section; in
 * others, it is a nested section that is named after its ancestors and itself.
 */
function countChapterNames(names: readonly string[], chapterName: string): number {
  for (let count = names.length; count > 1; count--) {
    if (names.slice(0, count).join(": ") === chapterName) return count;
  }
  return 1;
}

export function renderTree(tree: CourseTree, lessons: readonly LessonSummaryDocument[]): string {
  return JSON.stringify(mapTree(tree, (position) => lessons[position]));
}

/** Converts a rendered tree to the authoring form, which refers to lessons by id. */
export function toWrittenTree(rendered: string): TreePart<string>[] {
  return mapTree(JSON.parse(rendered) as TreePart<LessonSummaryDocument>[], ({ id }) => id);
}
