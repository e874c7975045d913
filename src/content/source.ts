import type { CourseInput } from "../catalog/course.ts";
import { toPrintable } from "../catalog/printable.ts";
import type { AnswerCount, Answers } from "./quiz/answers.ts";
import { UnreadableText, type SourceLimits } from "./limits.ts";
import { PROBLEM_KINDS, type ProblemKind, type Severity } from "./problem-kinds.ts";
import type { TallyEntry } from "./tally.ts";

/** A location in a source, for messages. `file` is the path as typed. Lines and columns count from 1. */
export interface Location {
  file: string;
  line?: number | undefined;
  column?: number | undefined;
}

/** A problem without its severity, which `judge` assigns. */
export interface Finding extends Location {
  kind: ProblemKind;
  message: string;
  /** Lines of advice that follow the message. */
  hints?: readonly string[] | undefined;
  /** The time from which an import includes content that it leaves out now, in milliseconds since 1970. */
  dueAtMs?: number | undefined;
  /** Entries for the summary after an import. */
  tally?: readonly TallyEntry[] | undefined;
  /** The count of a lesson's questions, for the summary. */
  answers?: AnswerCount | undefined;
}

export type ReportFinding = (finding: Finding) => void;

/** For a reading whose problems another reading of the same source reports. */
export const SILENT: ReportFinding = () => undefined;

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

/** The maximum number of findings that are remembered to detect duplicates, which limits memory. */
const MAX_KNOWN = 100_000;

/** Assigns severities and reports each finding once. Of a repeated finding, only the counts are reported. */
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

/** Returns true for a finding that blocks its course even without `strict`. */
export function isError({ kind }: Pick<Finding, "kind">): boolean {
  return PROBLEM_KINDS[kind].severity === "error";
}

/** Returns a report that shows errors as warnings, unless a limit is exceeded: then content would be lost. */
export function toWarnings(report: ReportFinding): ReportFinding {
  return (finding) =>
    report(isError(finding) && finding.kind !== "too-large" ? { ...finding, kind: "ignored-value" } : finding);
}

/** A path in a course, as in a zod issue: `["chapters", 0, "lessons", 2, "id"]`. */
export type PartPath = readonly PropertyKey[];

/** A part of a course in its format's tree: a section if it has `parts`, else a lesson. */
export interface CoursePart {
  /** The name in the outline, from which the lesson's own name can differ. */
  name: string | undefined;
  sourcePath: string | undefined;
  parts?: CoursePart[];
}

export interface SourceCourse {
  /** Identifies the course in its source. */
  key: string;
  course: CourseInput;
  /** The format of the course's folder; undefined for Lectern's own format or a source without folders. */
  format?: string | undefined;
  /** The course's tree, of any depth; undefined for a source without folders. */
  tree?: readonly CoursePart[] | undefined;
  /** Returns the location of a part, or of its nearest existing parent. */
  locate: (part: PartPath) => Location;
  /** Rereads the course during the same read of its source. Returns undefined if the course has an error. */
  readAgain?: (report: Report) => Promise<SourceCourse | undefined>;
}

/** Called with the source path of each course that has an error; undefined if the error belongs to no known course. */
export type OnBroken = (sourcePath: string | undefined) => void;

/** A source of courses: a folder, an archive, NDJSON or a service. */
export interface ContentSource {
  /** The source's name in the list of releases, such as `folder courses`. */
  label: string;
  /** Reads a slow source, such as another service, before an import takes its lock. */
  prepare?(): Promise<void>;
  /** True for a source that can be read only once, such as standard input. */
  isReadOnce?: boolean;
  /**
   * Yields each complete course and reports problems. Skips courses with errors, except in an inspection. Throws an
   * Error with a message for users if the source is unreadable.
   */
  read(report: Report, onBroken?: OnBroken): AsyncIterable<SourceCourse>;
  /** Frees resources, such as an open archive. Linked files can no longer be read afterwards. */
  close?(): Promise<void>;
}

/** A downloadable file of a source. */
export interface SourceFile {
  /** The first 32 hex digits of the content's SHA-256. */
  digest: string;
  fileName: string;
  bytes: number;
  /** Reads the content, which can have changed since `digest` was computed. Each part is valid until the next. */
  read: () => AsyncIterable<Uint8Array>;
}

/** Receives thumbnails and the files that lessons link to. */
export interface FileSink {
  /** The maximum size of a file, in bytes. */
  maxBytes: number;
  /** True if `take` returns URLs without a host. */
  isRelative?: boolean;
  /** Takes a file and returns its URL for readers. */
  take(file: SourceFile): string;
}

/** Looks up published courses by source path. */
export interface PublishedCourses {
  isTranslation(sourcePath: string): boolean;
  /** Returns the paths of a published course's lesson files, in NFC; undefined for an unpublished course. */
  readLessonPaths(sourcePath: string): Promise<ReadonlySet<string> | undefined>;
}

export interface SourceOptions {
  /** The base of relative URLs. Without a base, relative URLs stay as written and are reported. */
  assetBase: URL | undefined;
  /** Takes the files that lessons link to. Other relative URLs are resolved against `assetBase`. */
  files?: FileSink | undefined;
  /** The framework whose branches are kept; undefined keeps all branches. */
  framework?: string | undefined;
  /** Where missing dates come from: git history or, by default, the times of imports. */
  dates?: "git" | undefined;
  /** The format in which to read folders; detected by default. */
  format?: string | undefined;
  /** Returns the published format of a folder's course, if any. */
  publishedFormat?: ((folder: string) => string | undefined) | undefined;
  /** Returns true if a folder contains a published lesson. By default, no folder does. */
  hasPublishedLessonIn?: ((folder: string) => Promise<boolean>) | undefined;
  /** The languages of courses: tags, `all` or `none`; detected by default. */
  languages?: readonly string[] | undefined;
  publishedCourses?: PublishedCourses | undefined;
  /** The path of the import's SQLite database: a folder must not publish it. */
  database?: string | undefined;
  /** The path of the only course to read, relative to the root. By default, all courses are read. */
  only?: string | undefined;
  /** True to include content for instructors. */
  withInstructors?: boolean | undefined;
  /** The clock that decides which scheduled pages are due; by default, the system's. */
  now?: (() => Date) | undefined;
  /** Defaults to DEFAULT_LIMITS. */
  limits?: SourceLimits | undefined;
  /** Which questions publish their answers; by default, self-checks. If set, notes count the questions per lesson. */
  answers?: Answers | undefined;
  strict?: boolean | undefined;
  /** True to remove HTML that the allowlist does not contain. */
  sanitizes?: boolean | undefined;
  inspection?: Inspection | undefined;
  /** Called for each lesson, to show progress. */
  onLesson?: (() => void) | undefined;
}

/** Checks a source for its authors. Courses with errors are yielded, too, if they have the shape of a course. */
export interface Inspection {
  /** Called for each course with the number of its lessons; 0 if the course is unreadable. */
  onCourse: (lessons: number) => void;
}

/** Formats a problem as `file:line:column: severity: message`, with each hint on a line of its own. */
export function formatProblem({ file, line, column, severity, message, hints = [] }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  // Escapes line breaks, which quoted texts and file names can contain.
  return [`${place}: ${severity}: ${message}`, ...hints.map((hint) => `  ${hint}`)].map(toPrintable).join("\n");
}
