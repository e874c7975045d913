import type { CourseInput } from "../catalog/course.ts";
import { toPrintable } from "../catalog/printable.ts";
import type { AnswerCount, Answers } from "./quiz/answers.ts";
import { UnreadableText, type SourceLimits } from "./limits.ts";
import { PROBLEM_KINDS, type ProblemKind, type Severity } from "./problem-kinds.ts";
import type { TallyEntry } from "./tally.ts";

/** A source location for people: `file` is a path to type; lines and columns count from 1. */
export interface Location {
  file: string;
  line?: number | undefined;
  column?: number | undefined;
}

/** A reader's finding; `judge` assigns its severity. */
export interface Finding extends Location {
  kind: ProblemKind;
  message: string;
  /** Advice by line, where the message alone is not enough. */
  hints?: readonly string[] | undefined;
  /** When an import will include the content that it leaves out now, in milliseconds since 1970. */
  dueAtMs?: number | undefined;
  /** Entries for the summary after an import. */
  tally?: readonly TallyEntry[] | undefined;
  /** A lesson's questions, for the summary. */
  answers?: AnswerCount | undefined;
}

export type ReportFinding = (finding: Finding) => void;

export interface Problem extends Finding {
  severity: Severity;
}

export type Report = (problem: Problem) => void;

/** Assigns a finding's severity by kind; `strict` turns warnings into errors. */
export function judge(finding: Finding, strict = false): Problem {
  const { severity } = PROBLEM_KINDS[finding.kind];
  return { ...finding, severity: strict && severity === "warning" ? "error" : severity };
}

/** Reports an UnreadableText at a location and rethrows other errors. */
export function reportUnreadable(error: unknown, place: Location, report: ReportFinding): undefined {
  if (!(error instanceof UnreadableText)) throw error;
  report({ kind: error.kind, line: error.line, ...place, message: error.message });
}

/** The most findings remembered to detect duplicates. */
const MAX_KNOWN = 100_000;

/** Assigns severities, reports each finding once, and counts all. */
export function judged(report: Report, strict = false): ReportFinding {
  const known = new Set<number | bigint>();
  return (finding) => {
    const { kind, file, line, column, message, tally, answers } = finding;
    const hash = Bun.hash(JSON.stringify([kind, file, line, column, message]));
    const isKnown = known.has(hash);
    if (known.size < MAX_KNOWN) known.add(hash);
    if (!isKnown) report(judge(finding, strict));
    else if (tally !== undefined || answers !== undefined) report(judge({ ...finding, kind: "counted" }));
  };
}

/** Returns true for a finding that blocks its course, strict or not. */
export function isError(finding: Finding): boolean {
  return PROBLEM_KINDS[finding.kind].severity === "error";
}

/** A path in a course, as in a zod issue: `["chapters", 0, "lessons", 2, "id"]`. */
export type PartPath = readonly PropertyKey[];

/** A part of a course in its format's tree: a lesson, or with `parts` a section. */
export interface CoursePart {
  /** The name in the outline; the lesson may have another. */
  name: string | undefined;
  sourcePath: string | undefined;
  parts?: CoursePart[];
}

export interface SourceCourse {
  /** Identifies the course for `readCourse`. */
  key: string;
  course: CourseInput;
  /** The folder's format; undefined for Lectern's own, or without a folder. */
  format?: string | undefined;
  /** The course's tree at any depth; undefined without a folder. */
  tree?: readonly CoursePart[] | undefined;
  /** Returns the location of a part, or of its nearest existing parent. */
  locate: (part: PartPath) => Location;
  /** Rereads it within the same read of its source. Returns undefined after an error. */
  readAgain?: (report: Report) => Promise<SourceCourse | undefined>;
}

/** Called for each course with an error, with its source path; undefined if unknown, or if the source is unreadable. */
export type OnBroken = (sourcePath: string | undefined) => void;

/** A source of courses, whatever its kind. */
export interface ContentSource {
  /** The source's name in the list of releases, such as `folder courses`. */
  label: string;
  /** Does slow reading before an import takes its lock, such as another service's. */
  prepare?(): Promise<void>;
  /** True for a source that can be read only once, such as standard input. */
  isReadOnce?: boolean;
  /**
   * Yields each complete course and reports problems. Skips courses with errors, except for inspections. Standard input
   * can be read only once. Throws an Error with a message for users if the source is unreadable.
   */
  read(report: Report, onBroken?: OnBroken): AsyncIterable<SourceCourse>;
  /**
   * Rereads one course and as little of the others as possible. Returns undefined if it is gone or has an error. Throws
   * as `read` does.
   */
  readCourse(key: string, report: Report): Promise<SourceCourse | undefined>;
  /** Frees resources, such as an open archive. Linked files are readable until then. */
  close?(): Promise<void>;
}

/** A downloadable file of a source. */
export interface SourceFile {
  /** The first 32 hex digits of the content's SHA-256. */
  digest: string;
  fileName: string;
  bytes: number;
  /** Reads the content, which may have changed meanwhile. Each part is valid until the next one. */
  read: () => AsyncIterable<Uint8Array>;
}

/** Receives linked files of lessons and thumbnails. */
export interface FileSink {
  /** The largest file taken. */
  maxBytes: number;
  /** True for URLs without a host. */
  isRelative?: boolean;
  /** Takes a file and returns its URL for readers. */
  take(file: SourceFile): string;
}

/** Published courses by source path. */
export interface PublishedCourses {
  isTranslation(sourcePath: string): boolean;
  /** Lesson files of a published course, in NFC. Returns undefined for an unpublished one. */
  readLessonPaths(sourcePath: string): Promise<ReadonlySet<string> | undefined>;
}

export interface SourceOptions {
  /** The base of relative URLs; without it they stay, and are reported. */
  assetBase: URL | undefined;
  /** Takes the source's files. Other relative URLs resolve against `assetBase`. */
  files?: FileSink | undefined;
  /** Keeps branches for this framework; undefined keeps all. */
  framework?: string | undefined;
  /** Where missing dates come from: git history, or by default the imports. */
  dates?: "git" | undefined;
  /** Reads a folder as this format; detected by default. */
  format?: string | undefined;
  /** The published format of a folder's course, if any. */
  publishedFormat?: ((folder: string) => string | undefined) | undefined;
  /** Returns true for a folder with a published lesson; by default false. */
  hasPublishedLessonIn?: ((folder: string) => Promise<boolean>) | undefined;
  /** Course languages: tags, `all`, or `none`; detected by default. */
  languages?: readonly string[] | undefined;
  /** Published courses. */
  publishedCourses?: PublishedCourses | undefined;
  /** The path of the only course to read, relative to the root; all by default. */
  only?: string | undefined;
  /** Includes instructors' content. */
  withInstructors?: boolean | undefined;
  /** The clock for scheduled pages; the system's by default. */
  now?: (() => Date) | undefined;
  /** Default: DEFAULT_LIMITS. */
  limits?: SourceLimits | undefined;
  /** Which questions publish their answers; notes count them per lesson. Default: `self-check`, no notes. */
  answers?: Answers | undefined;
  strict?: boolean | undefined;
  /** Removes HTML outside the allowlist. */
  sanitizes?: boolean | undefined;
  inspection?: Inspection | undefined;
  /** Called for each lesson, to show progress. */
  onLesson?: (() => void) | undefined;
}

/**
 * Checks more than an import, for authors: reports scripts in HTML, and yields courses with errors if they have the
 * shape of a course.
 */
export interface Inspection {
  /** Called for each course with its number of lessons, as far as known. */
  onCourse: (lessons: number) => void;
}

/** Formats `file:line:column: severity: message` on one line, and each hint on its own. */
export function formatProblem({ file, line, column, severity, message, hints = [] }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  // Quotes and file names may contain line breaks.
  return [`${place}: ${severity}: ${message}`, ...hints.map((hint) => `  ${hint}`)].map(toPrintable).join("\n");
}
