// Limits of a source. Memory grows with the largest line, file and lesson, so the operator can limit each of them.
import type { ProblemKind } from "./problem-kinds.ts";

/** The limits of an archive. Sizes are those of the unpacked content. */
export interface ArchiveLimits {
  maxBytes: number;
  /** The maximum number of files and folders, including folders that appear only in paths. */
  maxMembers: number;
  /** The maximum number of names in a path. */
  maxDepth: number;
  /** The maximum compression ratio of a ZIP's member or a whole tar that unpacks to more than RATIO_FREE_BYTES. */
  maxRatio: number;
}

/** The limits of an import from another service. */
export interface ServiceLimits {
  /** The maximum size of all answers together, unpacked. */
  maxBytes: number;
  /** The maximum time for one answer, from the request to the last byte. */
  timeoutMs: number;
  /** The maximum time for all answers together. */
  deadlineMs: number;
}

/** Sizes are in bytes of UTF-8. */
export interface SourceLimits {
  /** The maximum size of a line of NDJSON. */
  maxLineBytes: number;
  /** The maximum size of a text file, such as a lesson or an outline. */
  maxFileBytes: number;
  /** The maximum size of the text that one lesson delivers. */
  maxLessonBytes: number;
  /** The maximum number of lines of a text, and of nodes in Markdown, XML, JSON, or YAML with its aliases expanded. */
  maxNodes: number;
  /** Defaults to DEFAULT_ARCHIVE_LIMITS. */
  archive?: ArchiveLimits | undefined;
  /** Defaults to DEFAULT_SERVICE_LIMITS. */
  service?: ServiceLimits | undefined;
}

export const MIB = 1024 * 1024;
/** How much a source can include, expand or reread for each byte of its files, beyond a free amount. */
export const MAX_GROWTH = 32;
/** What ids, a URL and a name usually add to a link to a lesson, at most. */
export const FILLED_LINK_BYTES = 250;

export const DEFAULT_LIMITS: SourceLimits = {
  maxLineBytes: 64 * MIB,
  maxFileBytes: 16 * MIB,
  maxLessonBytes: 16 * MIB,
  maxNodes: 1_000_000,
};

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  maxBytes: 4096 * MIB,
  maxMembers: 100_000,
  maxDepth: 32,
  maxRatio: 200,
};

export const DEFAULT_SERVICE_LIMITS: ServiceLimits = {
  maxBytes: 4096 * MIB,
  timeoutMs: 30_000,
  deadlineMs: 6 * 60 * 60_000,
};

/** The unpacked size up to which content is harmless at any compression ratio. */
export const RATIO_FREE_BYTES = 16 * MIB;

/** Thrown for a text that cannot be read. The message addresses the author of the text. */
export class UnreadableText extends Error {
  readonly kind: ProblemKind;
  /** The line at fault, counted from 1; undefined if the whole text is at fault. */
  readonly line: number | undefined;

  constructor(message: string, kind: ProblemKind = "too-large", line?: number) {
    super(message);
    this.kind = kind;
    this.line = line;
  }
}

/** Describes a file, line or lesson over its limit. `flag` is the option that sets the limit. */
export function describeTooLarge(bytes: number, maxBytes: number, what: string, flag: string): string {
  return `too large: ${formatSize(bytes)}; the limit for ${what} is ${formatSize(maxBytes)} (--${flag})`;
}

/** Returns a problem if a lesson's parts and `moreBytes`, the size of later additions, together exceed the limit. */
export function findLessonSizeProblem(
  parts: string[],
  { maxLessonBytes }: SourceLimits,
  moreBytes: number,
): string | undefined {
  // A UTF-16 code unit needs at most three bytes in UTF-8, so most lessons need no exact count.
  if (parts.reduce((sum, part) => sum + part.length, 0) * 3 + moreBytes <= maxLessonBytes) return undefined;
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), moreBytes);
  if (bytes <= maxLessonBytes) return undefined;
  return describeTooLarge(bytes, maxLessonBytes, "a lesson with all its content", "max-lesson-size");
}

/** Throws UnreadableText if a lesson's questions exceed the limit of a lesson. */
export function checkQuestionsSize(size: number, { maxLessonBytes }: Pick<SourceLimits, "maxLessonBytes">): void {
  if (size <= maxLessonBytes) return;
  throw new UnreadableText(describeTooLarge(size, maxLessonBytes, "a lesson's questions", "max-lesson-size"));
}

export function describeTooManyNodes(maxNodes: number, what: string, setting = "--max-nodes"): string {
  return `too large: ${what} has more than ${maxNodes.toLocaleString("en-US")} nodes (${setting})`;
}

/** Returns true for a text whose lines alone would fill the memory, since readers and parsers hold each line. */
export function hasTooManyLines(text: string, { maxNodes }: SourceLimits): boolean {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && lines <= maxNodes; at = text.indexOf("\n", at + 1)) lines++;
  return lines > maxNodes;
}

export function describeTooManyLines({ maxNodes }: SourceLimits, what: string): string {
  return `too large: ${what} has more than ${maxNodes.toLocaleString("en-US")} lines (--max-nodes)`;
}

export function describeTooManyBytes({ maxBytes }: ArchiveLimits): string {
  return `too large: an unpacked archive is limited to ${formatSize(maxBytes)} (--max-archive-size)`;
}

export function describeTooManyMembers({ maxMembers }: ArchiveLimits): string {
  const most = maxMembers.toLocaleString("en-US");
  return `too many files: an archive is limited to ${most} files and folders (--max-archive-members)`;
}

export function describeTooDeep({ maxDepth }: ArchiveLimits): string {
  const most = maxDepth === 1 ? "1 name" : `${maxDepth.toLocaleString("en-US")} names`;
  return `too deep: a path in an archive is limited to ${most} (--max-archive-depth)`;
}

export function describeTooDense({ maxRatio }: ArchiveLimits): string {
  const most = maxRatio.toLocaleString("en-US");
  return `unpacks to more than ${most} times its size, as a zip bomb does (--max-archive-ratio)`;
}

// Rounds up, so that a size just over a limit never looks equal to the limit.
export function formatSize(bytes: number): string {
  return `${(Math.ceil((bytes / MIB) * 10) / 10).toLocaleString("en-US")} MiB`;
}
