// Limits of a source. Memory grows with the largest line, file and lesson, so the operator can limit each.
import type { ProblemKind } from "./problem-kinds.ts";

/** The limits of an archive, for unpacked sizes. */
export interface ArchiveLimits {
  maxBytes: number;
  /** The most members, including implied folders. */
  maxMembers: number;
  /** The most nested folders. */
  maxDepth: number;
  /** The highest compression ratio of a member or a whole tar above RATIO_FREE_BYTES. */
  maxRatio: number;
}

/** Limits of reading another service. */
export interface ServiceLimits {
  /** The size of all answers, unpacked. */
  maxBytes: number;
  /** The time for one answer, from request to last byte. */
  timeoutMs: number;
  /** The time for all answers together. */
  deadlineMs: number;
}

/** The limits of a source, with sizes in bytes of UTF-8. */
export interface SourceLimits {
  /** The longest line of NDJSON. */
  maxLineBytes: number;
  /** The largest text file: a lesson, an outline. */
  maxFileBytes: number;
  /** The most delivered text of one lesson. */
  maxLessonBytes: number;
  /** The most nodes in YAML or JSON, with aliases expanded, and in Markdown. */
  maxNodes: number;
  /** Default: DEFAULT_ARCHIVE_LIMITS. */
  archive?: ArchiveLimits | undefined;
  /** Default: DEFAULT_SERVICE_LIMITS. */
  service?: ServiceLimits | undefined;
}

export const MIB = 1024 * 1024;

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

/** Below this size any ratio is harmless. */
export const RATIO_FREE_BYTES = 16 * MIB;

/** Rejects text because of its content. The message is for its author. */
export class UnreadableText extends Error {
  readonly kind: ProblemKind;
  /** The line at fault, from 1; undefined for the whole text. */
  readonly line: number | undefined;

  constructor(message: string, kind: ProblemKind = "too-large", line?: number) {
    super(message);
    this.kind = kind;
    this.line = line;
  }
}

/** Describes a file or line over its limit. `flag` names the setting. */
export function describeTooLarge(bytes: number, maxBytes: number, what: string, flag: string): string {
  return `too large: ${formatSize(bytes)}; the limit for ${what} is ${formatSize(maxBytes)} (--${flag})`;
}

/**
 * Returns a problem if a lesson's parts together exceed the limit. `moreBytes` counts later
 * additions.
 */
export function findLessonSizeProblem(
  parts: string[],
  { maxLessonBytes }: SourceLimits,
  moreBytes: number,
): string | undefined {
  // A UTF-16 unit has at most three bytes: most lessons need no exact count.
  if (parts.reduce((sum, part) => sum + part.length, 0) * 3 + moreBytes <= maxLessonBytes) return undefined;
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), moreBytes);
  if (bytes <= maxLessonBytes) return undefined;
  return describeTooLarge(bytes, maxLessonBytes, "a lesson with all its content", "max-lesson-size");
}

/** Throws UnreadableText if questions exceed the lesson limit. */
export function checkQuestionsSize(size: number, { maxLessonBytes }: Pick<SourceLimits, "maxLessonBytes">): void {
  if (size <= maxLessonBytes) return;
  throw new UnreadableText(describeTooLarge(size, maxLessonBytes, "a lesson's questions", "max-lesson-size"));
}

export function describeTooManyNodes({ maxNodes }: SourceLimits, what: string): string {
  return `too large: ${what} has more than ${maxNodes.toLocaleString("en-US")} nodes (--max-nodes)`;
}

export function describeTooManyBytes({ maxBytes }: ArchiveLimits): string {
  return `too large: an unpacked archive is limited to ${formatSize(maxBytes)} (--max-archive-size)`;
}

export function describeTooManyMembers({ maxMembers }: ArchiveLimits): string {
  const most = maxMembers.toLocaleString("en-US");
  return `too many files: an archive is limited to ${most} files and folders (--max-archive-members)`;
}

export function describeTooDeep({ maxDepth }: ArchiveLimits): string {
  return `too deep: a path in an archive is limited to ${maxDepth.toLocaleString("en-US")} names (--max-archive-depth)`;
}

export function describeTooDense({ maxRatio }: ArchiveLimits): string {
  const most = maxRatio.toLocaleString("en-US");
  return `unpacks to more than ${most} times its size, as a zip bomb does (--max-archive-ratio)`;
}

// Rounds up, so that a size just over the limit is not shown as equal to it.
export function formatSize(bytes: number): string {
  return `${(Math.ceil((bytes / MIB) * 10) / 10).toLocaleString("en-US")} MiB`;
}
