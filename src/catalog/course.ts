// What an author gives: the authoring form of a course. Every source yields it, whatever it reads from.
import { z } from "zod";
import { description, durationMinutes, language, tags, translationKey } from "./course-meta.ts";
import { listLeaves, MAX_TREE_DEPTH, type CourseTree, type TreePart } from "./course-tree.ts";
import { type CourseMeta } from "./meta-document.ts";
import { isIdentifier } from "./identifier.ts";
import { toTimestamp } from "./timestamps.ts";

const wellFormed = z.string().refine((text) => text.isWellFormed(), "contains half of a surrogate pair");

const identifier = z
  .string()
  .refine(isIdentifier, "must be 1 to 255 characters without control characters and without /, and neither . nor ..");

const name = wellFormed
  .refine((text) => text.trim() !== "", "must not be empty")
  // PostgreSQL's text cannot hold it, and no title needs it.
  .refine((text) => !text.includes("\0"), "must not contain the character U+0000");

const timestamp = z.string().transform((text, context) => {
  const result = toTimestamp(text);
  if (result !== undefined) return result;
  context.addIssue({
    code: "custom",
    message: "must be a date such as 2026-01-31, or a date and time with a zone such as 2026-01-31T09:30:00Z",
  });
  return z.NEVER;
});

const thumbnail = wellFormed.refine(
  (text) => text === "" || isHttpUrl(text),
  "must be an absolute http or https URL, or empty; relative paths need --asset-base URL",
);

/** Dates that an import gave before the courses were exported: the next import that sees a change gives others. */
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

/** Sections of lessons by their ids. Checked by hand: it may be nested without end. */
const tree = z
  .unknown()
  .transform((value, context): TreePart<string>[] | undefined => {
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value) && value.every((part) => isTreePart(part, 1))) return value;
    context.addIssue({
      code: "custom",
      message: `must be a list of ids of lessons, and of sections with name and parts, at most ${MAX_TREE_DEPTH} in each other`,
    });
    return z.NEVER;
  })
  .optional();

function isTreePart(part: unknown, depth: number): boolean {
  if (typeof part !== "object" || part === null) return typeof part === "string";
  if (depth > MAX_TREE_DEPTH || !("name" in part) || !("parts" in part) || !name.safeParse(part.name).success)
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
        : `names "${wrong.slice(0, 80)}", which is no lesson, or a second time`;
    if (wrong !== undefined || open.size > 0) context.addIssue({ code: "custom", path: ["tree"], message: fault });
  });

/** Where a part was read, relative to the root of the source. Generated ids are made from it. */
export interface SourcePath {
  sourcePath?: string | undefined;
}

export interface LinkTarget {
  courseKey: string;
  sourcePath: string;
  /** Decoded and without `#`; "" where the link names none. */
  fragment: string;
}

/** A link to a lesson; offsets are those of the text. */
export interface LessonLink {
  field: "quizHtml" | "additionalText";
  start: number;
  end: number;
  /** After the name of the tag, where more attributes can stand. */
  nameEnd: number;
  target: LinkTarget;
  written: string;
  /** True where the tag was made of Markdown, so that it may be told that the link leads nowhere. */
  isMade: boolean;
  place: { file: string; line?: number | undefined };
}

export interface LessonOrigin {
  /** In the order of the fields and of their texts; absent where there is none. */
  links?: LessonLink[] | undefined;
  /** The ids in its texts; absent where no links can lead to it. */
  ids?: ReadonlySet<string> | undefined;
  /** A digest of what the author wrote but for the name, before anything was made of it; "" where that is nothing. */
  writtenDigest?: string | undefined;
}

/** What the place of a course in its source tells of its language. */
export interface FoundLanguage {
  language: string | undefined;
  /** The source path of the course of which it is a translation. */
  original: string | undefined;
}

export type LessonInput = z.output<typeof lessonSchema> & SourcePath & LessonOrigin;
export type ChapterInput = Omit<z.output<typeof chapterSchema>, "lessons"> & SourcePath & { lessons: LessonInput[] };
export type CourseInput = Omit<z.output<typeof courseSchema>, "chapters" | "tree"> &
  SourcePath & {
    /** Lessons by their ids, as courses are written, or by their positions, as they were read. */
    tree?: TreePart<string | number>[] | undefined;
    /** What the addresses of links to this course's lessons are made of; see `toLessonUrl`. Of files only. */
    lessonUrl?: string | undefined;
    former?: FormerReading | undefined;
    found?: FoundLanguage | undefined;
    chapters: ChapterInput[];
  };

/** Dates that an earlier import gave, for an item that the project does not know yet. */
export interface DerivedDates {
  derivedDates?: { createdAt?: string | undefined; updatedAt?: string | undefined } | undefined;
}

/** A lesson with its id. Dates are the author's; undefined where the source gives none. */
export interface Lesson extends SourcePath, LessonOrigin, DerivedDates {
  id: string;
  /** False when the id was generated. Then an import may replace it by the id that the lesson had before. */
  isIdGiven: boolean;
  name: string;
  url: string;
  quizHtml: string;
  additionalText: string;
  createdAt: string | undefined;
  updatedAt: string | undefined;
  durationMinutes: number | undefined;
  /** The same as that of the lesson in other languages, and of no other lesson of the course. */
  translationKey?: string | undefined;
  /** Where it was read, and where that is edited; only where the import tells readers. */
  source?: string | undefined;
  editUrl?: string | undefined;
}

export interface Chapter {
  id: string;
  name: string;
  lessons: Lesson[];
}

/** A course as an earlier version of Lectern read the same source, where that is another course. */
export interface FormerReading {
  /** Undefined where the name is the same. */
  name: string | undefined;
  /** Its lesson files in their order, relative to the source's root, in NFC. */
  files: readonly string[];
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
  former?: FormerReading | undefined;
  /** What the place of the course tells, and not its author: it moves no date. */
  foundMeta?: FoundField[] | undefined;
  chapters: Chapter[];
  /** Undefined where there are no sections but the chapters. */
  tree: CourseTree | undefined;
}

export type FoundField = "language" | "translationOf";

export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
}
