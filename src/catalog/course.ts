// The authoring form of a course. Every source yields courses in this form.
import { z } from "zod";
import { description, durationMinutes, language, tags, translationKey } from "./course-meta.ts";
import { listLeaves, MAX_NAME, MAX_TREE_DEPTH, type CourseTree, type TreePart } from "./course-tree.ts";
import { type CourseMeta } from "./meta-document.ts";
import { isIdentifier } from "./identifier.ts";
import { toTimestamp } from "./timestamps.ts";

const MAX_THUMBNAIL = 5000;

const wellFormed = z.string().refine((text) => text.isWellFormed(), "contains an unpaired surrogate");

const identifier = z
  .string()
  .refine(isIdentifier, "must have 1 to 255 characters, no / and no control characters, and must not be . or ..");

const namingText = wellFormed
  .refine((written) => written.trim() !== "", "must not be empty")
  // PostgreSQL text cannot hold U+0000.
  .refine((written) => !written.includes("\0"), "must not contain the character U+0000");

const name = namingText.refine(({ length }) => length <= MAX_NAME, `must have at most ${MAX_NAME} characters`);

const timestamp = z.string().transform((text, context) => {
  const result = toTimestamp(text);
  if (result !== undefined) return result;
  context.addIssue({
    code: "custom",
    message: "must be a date such as 2026-01-31, or a date and time with a zone such as 2026-01-31T09:30:00Z",
  });
  return z.NEVER;
});

const thumbnail = wellFormed
  .refine(
    (text) => text === "" || isHttpUrl(text),
    "must be an absolute http or https URL, or empty; relative paths need --asset-base URL",
  )
  .refine((text) => text.length <= MAX_THUMBNAIL, `must have at most ${MAX_THUMBNAIL} characters`);

/** Names the dates in an exported course that an import set, not the author. A later change replaces these dates. */
const derived = z.array(z.enum(["createdAt", "updatedAt"])).optional();

export const lessonSchema = z.object({
  id: identifier.optional(),
  name,
  url: wellFormed.default(""),
  quizHtml: wellFormed.default(""),
  additionalText: wellFormed.default(""),
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
  derived,
  durationMinutes,
  translationKey,
});

export const chapterSchema = z.object({
  id: identifier.optional(),
  name,
  lessons: z.array(lessonSchema).default([]),
});

/** Lesson ids in sections. Checked by hand, because a recursive schema would not limit the depth. */
const tree = z
  .unknown()
  .transform((value, context): TreePart<string>[] | undefined => {
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value) && value.every((part) => isTreePart(part, 1))) return value;
    context.addIssue({
      code: "custom",
      message: `must be a list of lesson ids and sections; a section has the fields name and parts, and sections can be nested at most ${MAX_TREE_DEPTH} deep`,
    });
    return z.NEVER;
  })
  .optional();

function isTreePart(part: unknown, depth: number): boolean {
  if (typeof part !== "object" || part === null) return typeof part === "string";
  if (depth > MAX_TREE_DEPTH || !("name" in part) || !("parts" in part) || !namingText.safeParse(part.name).success)
    return false;
  return Array.isArray(part.parts) && part.parts.every((each) => isTreePart(each, depth + 1));
}

export const courseSchema = z
  .object({
    _id: identifier.optional(),
    slug: identifier.optional(),
    name,
    published: z.boolean().default(true),
    thumbnail: thumbnail.default(""),
    createdAt: timestamp.optional(),
    updatedAt: timestamp.optional(),
    derived,
    description,
    language,
    translationOf: identifier
      .nullable()
      .transform((id) => id ?? undefined)
      .optional(),
    tags,
    durationMinutes,
    chapters: z.array(chapterSchema).default([]),
    tree,
  })
  .superRefine(({ tree: parts, chapters }, context) => {
    if (parts === undefined) return;
    const ids = chapters.flatMap(({ lessons }) => lessons.map(({ id }) => id));
    const open = new Set(ids);
    const wrong = listLeaves(parts).find((id) => !open.delete(id));
    const fault =
      wrong === undefined
        ? "must name every lesson by its id"
        : `names "${wrong.slice(0, 80)}", which is repeated or not the id of a lesson`;
    if (wrong !== undefined || open.size > 0) context.addIssue({ code: "custom", path: ["tree"], message: fault });
  });

/** The path of a course, chapter or lesson, relative to the source root. Generated ids are derived from this path. */
export interface SourcePath {
  sourcePath?: string | undefined;
}

export interface LinkTarget {
  courseKey: string;
  sourcePath: string;
  /** The decoded fragment, without `#`; "" if absent. */
  fragment: string;
}

export interface LessonLink {
  field: "quizHtml" | "additionalText";
  start: number;
  end: number;
  /** The end of the tag's name, where attributes can be inserted. */
  nameEnd: number;
  target: LinkTarget;
  written: string;
  /** True for a tag made from Markdown: the import marks only such tags if their links are broken. */
  isMade: boolean;
  place: { file: string; line?: number | undefined };
}

export interface LessonOrigin {
  links?: LessonLink[] | undefined;
  /** The ids in the lesson's HTML; undefined if the lesson cannot be a link target. */
  ids?: ReadonlySet<string> | undefined;
  /** A digest of the source text without the name; "" if the other text is empty. */
  writtenDigest?: string | undefined;
}

export interface FoundLanguage {
  language: string | undefined;
  original: string | undefined;
}

export type LessonInput = z.output<typeof lessonSchema> & SourcePath & LessonOrigin;
export type ChapterInput = Omit<z.output<typeof chapterSchema>, "lessons"> & SourcePath & { lessons: LessonInput[] };
export type CourseInput = Omit<z.output<typeof courseSchema>, "chapters" | "tree"> &
  SourcePath & {
    /** Refers to lessons by their ids if authored, or by their positions if derived from an outline. */
    tree?: TreePart<string | number>[] | undefined;
    /** The URL template for links to lessons (see `toLessonUrl`); undefined if the source has no files. */
    lessonUrl?: string | undefined;
    found?: FoundLanguage | undefined;
    chapters: ChapterInput[];
  };

/** Dates from an earlier import, used only if the course or lesson is new to the project. */
export interface DerivedDates {
  derivedDates?: { createdAt?: string | undefined; updatedAt?: string | undefined } | undefined;
}

/** A lesson with its id and its authored dates. */
export interface Lesson extends SourcePath, LessonOrigin, DerivedDates {
  id: string;
  /** False for a generated id, which an import can replace with the lesson's earlier id. */
  isIdGiven: boolean;
  name: string;
  url: string;
  quizHtml: string;
  additionalText: string;
  createdAt: string | undefined;
  updatedAt: string | undefined;
  durationMinutes: number | undefined;
  /** The key, unique in the course, that the lesson shares with its translations. */
  translationKey?: string | undefined;
  /** The path of the lesson's file, if the import publishes it. */
  source?: string | undefined;
  editUrl?: string | undefined;
}

export interface Chapter {
  id: string;
  name: string;
  lessons: Lesson[];
}

export interface Course extends CourseMeta, DerivedDates {
  project: string;
  id: string;
  slug: string;
  name: string;
  published: boolean;
  thumbnail: string;
  createdAt: string | undefined;
  updatedAt: string | undefined;
  lessonUrl?: string | undefined;
  /** The meta fields that come from the course's path rather than from its author. They do not affect dates. */
  foundMeta?: FoundField[] | undefined;
  chapters: Chapter[];
  tree: CourseTree | undefined;
}

export type FoundField = "language" | "translationOf";

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
}
