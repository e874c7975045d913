import { findNesting, mapTree, type CourseTree } from "./course-tree.ts";
import { digestText } from "./body.ts";
import { limitMarks } from "./fold-name.ts";
import type { Chapter, Course, CourseInput, FoundField, SourcePath } from "./course.ts";

export interface IdScope {
  sourceName: string;
  /** Returns true for a published id, which must be kept although it was generated without the source's name. */
  keepsId: (id: string) => boolean;
}

/** Generates missing ids and slugs deterministically. `idsByPath` maps paths of completed courses to ids. */
export function completeCourse(
  project: string,
  input: CourseInput,
  scope?: IdScope,
  idsByPath: ReadonlyMap<string, string> = new Map(),
): Course {
  const slug = input.slug ?? toSlug(input.name);
  const id = input._id ?? generateCourseId(project, pathOf(input) ?? [slug], scope);
  const { language, original } = input.found ?? {};
  const foundIn = original?.normalize("NFC");
  const originalId =
    foundIn === undefined ? undefined : (idsByPath.get(foundIn) ?? generateCourseId(project, [foundIn], scope));
  const numberChapter = createNumbering();
  const numberLesson = createNumbering();
  const lessonsByKey = Map.groupBy(
    input.chapters.flatMap(({ lessons }) => lessons),
    ({ translationKey }) => translationKey,
  );
  const chapters = input.chapters.map((chapter): Chapter => {
    return {
      id: chapter.id ?? generateId(project, "chapter", ...(pathOf(chapter) ?? numberChapter([id, chapter.name]))),
      name: chapter.name,
      lessons: chapter.lessons.map(({ derived, ...lesson }) => ({
        ...lesson,
        ...partDates({ ...lesson, derived }),
        id:
          lesson.id ??
          generateId(project, "lesson", ...(pathOf(lesson) ?? numberLesson([id, chapter.name, lesson.name]))),
        isIdGiven: lesson.id !== undefined,
        durationMinutes: lesson.durationMinutes,
        // A repeated key is ambiguous.
        translationKey: lessonsByKey.get(lesson.translationKey)?.length === 1 ? lesson.translationKey : undefined,
        sourcePath: pathOf(lesson)?.[0],
      })),
    };
  });
  return {
    project,
    id,
    slug,
    name: input.name,
    published: input.published,
    thumbnail: input.thumbnail,
    ...partDates(input),
    lessonUrl: input.lessonUrl,
    chapters,
    description: input.description,
    language: input.language ?? language,
    translationOf: input.translationOf ?? originalId,
    foundMeta: listFound({ language, translationOf: originalId }, input),
    tags: input.tags,
    durationMinutes: input.durationMinutes,
    tree: findNesting(input.tree && placeTree(input.tree, input), input.chapters),
  };
}

function placeTree(tree: NonNullable<CourseInput["tree"]>, { chapters }: CourseInput): CourseTree {
  const positions = new Map(chapters.flatMap(({ lessons }) => lessons).map(({ id }, position) => [id, position]));
  return mapTree(tree, (leaf) => (typeof leaf === "number" ? leaf : (positions.get(leaf) ?? 0)));
}

/** Lists the fields that come from the course's path. */
function listFound(found: Pick<Partial<Course>, FoundField>, given: Pick<CourseInput, FoundField>): FoundField[] {
  const fields: FoundField[] = ["language", "translationOf"];
  return fields.filter((field) => found[field] !== undefined && given[field] === undefined);
}

function partDates({
  createdAt,
  updatedAt,
  derived = [],
}: Pick<CourseInput, "createdAt" | "updatedAt" | "derived">): Pick<Course, "createdAt" | "updatedAt" | "derivedDates"> {
  if (derived.length === 0) return { createdAt, updatedAt };
  const [isCreated, isUpdated] = [derived.includes("createdAt"), derived.includes("updatedAt")];
  return {
    createdAt: isCreated ? undefined : createdAt,
    updatedAt: isUpdated ? undefined : updatedAt,
    derivedDates: { createdAt: isCreated ? createdAt : undefined, updatedAt: isUpdated ? updatedAt : undefined },
  };
}

/** Creates a slug for each lesson, in order. If names are equal, their slugs end with digits that depend on the id. */
export function createLessonSlugs(lessons: readonly { id: string; name: string }[]): string[] {
  const bases = lessons.map(({ name }) => toSlug(name, "lesson"));
  const used = new Set<string>();
  const repeated = new Set<string>();
  for (const base of bases) (used.has(base) ? repeated : used).add(base);
  return lessons.map(({ id }, index) => {
    const base = bases[index] ?? "";
    if (!repeated.has(base)) return base;
    const digits = digestText(id);
    let slug = "";
    for (let length = ID_DIGITS; slug === "" || used.has(slug); length++) slug = `${base}-${digits.slice(0, length)}`;
    used.add(slug);
    return slug;
  });
}

const ID_DIGITS = 8;

/** Joins a name's words, in lower case, with hyphens. Keeps combining marks, which Hindi and Thai need. */
export function toSlug(name: string, unnamed = "course"): string {
  const words = limitMarks(name)
    .normalize("NFC")
    .toLowerCase()
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu);
  const slug = words?.join("-") ?? unnamed;
  return slug.length <= 255 ? slug : [...slug].slice(0, 255).join("").replace(/-$/, "");
}

function generateCourseId(project: string, parts: string[], scope: IdScope | undefined): string {
  const id = generateId(project, "course", ...parts);
  return scope === undefined || scope.keepsId(id) ? id : generateId(project, "course", scope.sourceName, ...parts);
}

export function generateOtherLessonId(project: string, sourcePath: string, count: number): string {
  return generateId(project, "lesson", sourcePath, String(count));
}

/** Returns 24 hex digits of the SHA-256 of the parts joined by U+0000. */
function generateId(...parts: string[]): string {
  return Bun.SHA256.hash(parts.join("\0"), "hex").slice(0, 24);
}

// macOS decomposes file names, but the same folder must yield the same ids on every system.
function pathOf({ sourcePath }: SourcePath): string[] | undefined {
  return sourcePath === undefined ? undefined : [sourcePath.normalize("NFC")];
}

// Numbers duplicate names: the second gets "2", and so on.
function createNumbering(): (parts: string[]) => string[] {
  const seen = new Map<string, number>();
  return (parts) => {
    const key = parts.join("\0");
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? parts : [...parts, String(count)];
  };
}
