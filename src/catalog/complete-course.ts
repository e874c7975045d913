import { findNesting, mapTree, type CourseTree } from "./course-tree.ts";
import { digestText } from "./body.ts";
import { limitMarks } from "./fold-name.ts";
import type { Chapter, Course, CourseInput, FoundField, SourcePath } from "./course.ts";

/** One of several sources of a project, whose courses may have the same paths. */
export interface IdScope {
  sourceName: string;
  /** True for the id of a course that came without the source's name, and must keep it. */
  keepsId: (id: string) => boolean;
}

/**
 * Gives ids, and a slug, where the author gave none. The same input always gets the same ids. `idsByPath` has those of courses that
 * were completed before it, by their source paths.
 */
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
  const keys = countKeys(input);
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
        translationKey: keys.get(lesson.translationKey) === 1 ? lesson.translationKey : undefined,
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
    former: input.former,
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

/** How many lessons have each key: of several with one it is not known which is meant. */
function countKeys({ chapters }: CourseInput): Map<string | undefined, number> {
  const counts = new Map<string | undefined, number>();
  for (const { lessons } of chapters) {
    for (const { translationKey: key } of lessons) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function placeTree(tree: NonNullable<CourseInput["tree"]>, { chapters }: CourseInput): CourseTree {
  const positions = new Map(chapters.flatMap(({ lessons }) => lessons).map(({ id }, position) => [id, position]));
  return mapTree(tree, (leaf) => (typeof leaf === "number" ? leaf : (positions.get(leaf) ?? 0)));
}

/** The fields that the course's place gave, because its author did not. */
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

/**
 * A slug for each lesson of a course, in their order. Of lessons with one name each has digits of its id behind it, so that a lesson
 * keeps its slug wherever others come and go.
 */
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

/** In a lesson's slug. */
const ID_DIGITS = 8;

/** Letters and digits of any script, in lower case, joined by hyphens. Marks stay: words of Hindi or Thai need them. */
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

/** 24 hex digits of SHA-256 over the parts, separated by U+0000, which none of them holds. */
function generateId(...parts: string[]): string {
  return Bun.SHA256.hash(parts.join("\0"), "hex").slice(0, 24);
}

// macOS gives file names decomposed. The same folder must give the same ids everywhere.
function pathOf({ sourcePath }: SourcePath): string[] | undefined {
  return sourcePath === undefined ? undefined : [sourcePath.normalize("NFC")];
}

// The second of two equal names gets "2" as another part, and so on.
function createNumbering(): (parts: string[]) => string[] {
  const seen = new Map<string, number>();
  return (parts) => {
    const key = parts.join("\0");
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? parts : [...parts, String(count)];
  };
}
