import type { CourseInput } from "../catalog/course.ts";
import { toPrintable } from "../catalog/printable.ts";
import type { AnswerCount, Answers } from "./quiz/answers.ts";
import { UnreadableText, type SourceLimits } from "./limits.ts";
import { PROBLEM_KINDS, type ProblemKind, type Severity } from "./problem-kinds.ts";
import type { TallyEntry } from "./tally.ts";

/** A place in a source, for people: `file` is a path as they would type it; lines and columns count from 1. */
export interface Location {
  file: string;
  line?: number | undefined;
  column?: number | undefined;
}

/** What a reader finds wrong; `judge` says how severe it is. */
export interface Finding extends Location {
  kind: ProblemKind;
  message: string;
  /** What to do, line by line, where the message alone would leave an author guessing. */
  hints?: readonly string[] | undefined;
  /** When an import reads what it leaves out today, in milliseconds since 1970. */
  dueAtMs?: number | undefined;
  /** What the statement at the end of an import counts because of it. */
  tally?: readonly TallyEntry[] | undefined;
  /** The questions of a lesson, for the same statement. */
  answers?: AnswerCount | undefined;
}

export type Tell = (finding: Finding) => void;

export interface Problem extends Finding {
  severity: Severity;
}

export type Report = (problem: Problem) => void;

/** The severity of a finding by the table of kinds; with `strict` a warning is an error. */
export function judge(finding: Finding, strict = false): Problem {
  const { severity } = PROBLEM_KINDS[finding.kind];
  return { ...finding, severity: strict && severity === "warning" ? "error" : severity };
}

/** Tells at a place what a text is not read on for. Throws what is no UnreadableText. */
export function tellUnreadable(error: unknown, place: Location, report: Tell): undefined {
  if (!(error instanceof UnreadableText)) throw error;
  report({ kind: error.kind, line: error.line, ...place, message: error.message });
}

/** Beyond so many findings one may be reported twice. */
const MAX_KNOWN = 100_000;

/** Gives each finding its severity and reports it once; counts it each time. */
export function judged(report: Report, strict = false): Tell {
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

/** True where a course with this finding is not published, strict or not. */
export function isError(finding: Finding): boolean {
  return PROBLEM_KINDS[finding.kind].severity === "error";
}

/** The way to a part of a course, as in a zod issue: `["chapters", 0, "lessons", 2, "id"]`. */
export type PartPath = readonly PropertyKey[];

/** A part of a course as its format has it, at any depth: a lesson, or with `parts` what holds some. */
export interface CoursePart {
  /** As the outline has it; a lesson may have another. */
  name: string | undefined;
  sourcePath: string | undefined;
  parts?: CoursePart[];
}

export interface SourceCourse {
  /** Names the course within its source, for `readCourse`. */
  key: string;
  course: CourseInput;
  /** The format that a folder was read as; undefined where it is Lectern's own, or there is no folder. */
  format?: string | undefined;
  /** The course as its format has it, at any depth; undefined where there is no folder. */
  tree?: readonly CoursePart[] | undefined;
  /** Where a part stands; for a part that the author left out, the nearest place that exists. */
  locate: (part: PartPath) => Location;
  /** Reads it again, as part of the same reading of its source. Undefined when something in it is an error by now. */
  readAgain?: (report: Report) => Promise<SourceCourse | undefined>;
}

/**
 * Called for each course that an error keeps from being yielded, with its path in the source; undefined where that is not known, or
 * it is the source that cannot be read.
 */
export type OnBroken = (sourcePath: string | undefined) => void;

/** Where courses are read from: the one door for all kinds of content. */
export interface ContentSource {
  /** Names the source in the list of releases, such as `folder courses`. */
  label: string;
  /** Reads what cannot be waited for while others may not write, such as another service. Absent where nothing is to be done. */
  prepare?(): Promise<void>;
  /** True where it can be read only once, such as standard input. */
  isReadOnce?: boolean;
  /**
   * Yields each course once it is complete; what is wrong goes to `report`, and a course with an error is not
   * yielded, except to an inspection. Standard input can be read once. Throws an Error with a message for people when the
   * source cannot be read at all.
   */
  read(report: Report, onBroken?: OnBroken): AsyncIterable<SourceCourse>;
  /**
   * Reads one course again, as it is now, and of the others as little as there is to finding it. Undefined when there is no
   * course of this key any more, or something in it is an error. Throws as `read` does.
   */
  readCourse(key: string, report: Report): Promise<SourceCourse | undefined>;
  /** Gives back what reading holds, such as an open archive. Files that were linked to can be read until then. */
  close?(): Promise<void>;
}

/** A file of a source that readers are to get. */
export interface SourceFile {
  /** The first 32 hex digits of the content's SHA-256. */
  digest: string;
  fileName: string;
  bytes: number;
  /** Reads the content, again and again; it may differ by then. A part holds until the next is asked for. */
  read: () => AsyncIterable<Uint8Array>;
}

/** Where files go that lessons and thumbnails show or link to. */
export interface FileSink {
  /** Larger ones are not taken. */
  maxBytes: number;
  /** True where its addresses name no host. */
  isRelative?: boolean;
  /** Takes a file and gives the URL under which readers will find it. */
  take(file: SourceFile): string;
}

/** Courses that readers know, by their paths in the source. */
export interface ShownCourses {
  isTranslation(sourcePath: string): boolean;
  /** The files of a course's lessons, in NFC. Undefined for a course that readers do not know. */
  readLessonPaths(sourcePath: string): Promise<ReadonlySet<string> | undefined>;
}

export interface SourceOptions {
  /** Relative URLs are resolved against it; without one they stay as they are and are reported. */
  assetBase: URL | undefined;
  /** Takes files of the source. Without it, and for what it does not take, relative URLs are resolved against `assetBase`. */
  files?: FileSink | undefined;
  /** Of branches for readers of different frameworks, only those for this one are read; all where absent. */
  framework?: string | undefined;
  /** Where dates come from that authors leave out: the history of the folder, or the imports where absent. */
  dates?: "git" | undefined;
  /** Reads a folder as this format; found out where absent. */
  format?: string | undefined;
  /** The format as which readers know the course in a folder; undefined where they know none. */
  shownFormat?: ((folder: string) => string | undefined) | undefined;
  /** True for a folder of which readers know a lesson; never where absent. */
  showsLessonIn?: ((folder: string) => Promise<boolean>) | undefined;
  /** The languages that courses have: tags, `all`, or `none`; found out where absent. */
  languages?: readonly string[] | undefined;
  /** The courses that readers know. */
  shownCourses?: ShownCourses | undefined;
  /** The path of the one course that is read, relative to the root; all where absent. */
  only?: string | undefined;
  /** Reads what is meant for those who teach, too. */
  withInstructors?: boolean | undefined;
  /** By which it is judged what is published later; the system's clock where absent. */
  now?: (() => Date) | undefined;
  /** DEFAULT_LIMITS where absent. */
  limits?: SourceLimits | undefined;
  /** Which questions tell readers their answers, of which a note counts those of each lesson. `self-check` and no note where absent. */
  answers?: Answers | undefined;
  /** Makes warnings errors. */
  strict?: boolean | undefined;
  /** Leaves out of HTML what an allowlist does not name. */
  sanitizes?: boolean | undefined;
  inspection?: Inspection | undefined;
  /** Called for each lesson that is read, for those who wait. */
  onLesson?: (() => void) | undefined;
}

/**
 * Makes a source look closer than an import needs, for authors: HTML that would run scripts is reported too, and a
 * course with an error is yielded as well if it has the shape of a course.
 */
export interface Inspection {
  /** Called for every course that is found, with the number of its lessons, as far as it can be known. */
  onCourse: (lessons: number) => void;
}

/** One line for a terminal, `file:line:column: severity: message`; and one for each hint. */
export function formatProblem({ file, line, column, severity, message, hints = [] }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  // What is quoted from a source can hold line breaks, and so can file names.
  return [`${place}: ${severity}: ${message}`, ...hints.map((hint) => `  ${hint}`)].map(toPrintable).join("\n");
}
