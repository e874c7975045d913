// How much of a source is read. Memory grows with the largest line, file and lesson, so each has a limit that the operator sets.
import type { ProblemKind } from "./problem-kinds.ts";

/** What an archive may hold. Its size is that of its members, unpacked. */
export interface ArchiveLimits {
  maxBytes: number;
  /** Of members, and of folders that only their paths name. */
  maxMembers: number;
  /** Of folders in folders. */
  maxDepth: number;
  /** How many times as large as it is packed a member may be, or all of a tar; only looked at above RATIO_FREE_BYTES. */
  maxRatio: number;
}

/** How much is read of another service, and how long. */
export interface ServiceLimits {
  /** Of all answers, unpacked. */
  maxBytes: number;
  /** Of one answer, from the request to its last byte. */
  timeoutMs: number;
  /** Of all of them. */
  deadlineMs: number;
}

/** Sizes in bytes of UTF-8. */
export interface SourceLimits {
  /** Of a line of NDJSON. */
  maxLineBytes: number;
  /** Of a file that is read as text: a lesson, an outline. */
  maxFileBytes: number;
  /** Of what readers get of one lesson. */
  maxLessonBytes: number;
  /** Of the values, keys and lists of a YAML or JSON text, aliases written out, and of the parts of a Markdown text. */
  maxNodes: number;
  /** DEFAULT_ARCHIVE_LIMITS where absent. */
  archive?: ArchiveLimits | undefined;
  /** DEFAULT_SERVICE_LIMITS where absent. */
  service?: ServiceLimits | undefined;
}

export const MIB = 1024 * 1024;

/** The limits where the operator sets none. */
export const DEFAULT_LIMITS: SourceLimits = {
  maxLineBytes: 64 * MIB,
  maxFileBytes: 16 * MIB,
  maxLessonBytes: 16 * MIB,
  maxNodes: 1_000_000,
};

/** The limits of an archive where the operator sets none. */
export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  maxBytes: 4096 * MIB,
  maxMembers: 100_000,
  maxDepth: 32,
  maxRatio: 200,
};

/** The limits of another service where the operator sets none. */
export const DEFAULT_SERVICE_LIMITS: ServiceLimits = {
  maxBytes: 4096 * MIB,
  timeoutMs: 30_000,
  deadlineMs: 6 * 60 * 60_000,
};

/** However small it was packed, this much hurts nobody. */
export const RATIO_FREE_BYTES = 16 * MIB;

/** A text that is not read on because of what it is; the message is for its author. */
export class UnreadableText extends Error {
  readonly kind: ProblemKind;
  /** Where that is, from 1; undefined where it is the whole text. */
  readonly line: number | undefined;

  constructor(message: string, kind: ProblemKind = "too-large", line?: number) {
    super(message);
    this.kind = kind;
    this.line = line;
  }
}

/** What to tell about a file or line that is over its limit. `flag` is the setting's. */
export function describeTooLarge(bytes: number, maxBytes: number, what: string, flag: string): string {
  return `too large: ${formatSize(bytes)}; ${what} may have ${formatSize(maxBytes)} (--${flag})`;
}

/**
 * What to tell about a lesson whose parts together are over the limit; undefined when they are not. `moreBytes` is what will
 * come to them.
 */
export function findLessonSizeProblem(
  parts: string[],
  { maxLessonBytes }: SourceLimits,
  moreBytes: number,
): string | undefined {
  // A character has at most three bytes: nearly every lesson is far below the limit.
  if (parts.reduce((sum, part) => sum + part.length, 0) * 3 + moreBytes <= maxLessonBytes) return undefined;
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), moreBytes);
  if (bytes <= maxLessonBytes) return undefined;
  return describeTooLarge(bytes, maxLessonBytes, "what readers get of a lesson", "max-lesson-size");
}

/** Throws UnreadableText where the questions of a lesson have more characters than the lesson may. */
export function checkQuestionsSize(size: number, { maxLessonBytes }: Pick<SourceLimits, "maxLessonBytes">): void {
  if (size <= maxLessonBytes) return;
  throw new UnreadableText(describeTooLarge(size, maxLessonBytes, "the questions of a lesson", "max-lesson-size"));
}

/** What to tell about a text with more nodes than the limit. */
export function describeTooManyNodes({ maxNodes }: SourceLimits, what: string): string {
  return `too large: ${what} has more than ${maxNodes.toLocaleString("en-US")} nodes (--max-nodes)`;
}

/** What to tell about an archive whose members are larger than the limit, unpacked. */
export function describeTooManyBytes({ maxBytes }: ArchiveLimits): string {
  return `too large: what an archive holds may have ${formatSize(maxBytes)}, unpacked (--max-archive-size)`;
}

/** What to tell about an archive with more members than the limit. */
export function describeTooManyMembers({ maxMembers }: ArchiveLimits): string {
  const most = maxMembers.toLocaleString("en-US");
  return `too many: an archive may hold ${most} files and folders (--max-archive-members)`;
}

/** What to tell about a member in more folders than the limit. */
export function describeTooDeep({ maxDepth }: ArchiveLimits): string {
  return `too deep: a path in an archive may have ${maxDepth.toLocaleString("en-US")} names (--max-archive-depth)`;
}

/** What to tell about what is packed smaller than content is. */
export function describeTooDense({ maxRatio }: ArchiveLimits): string {
  const most = maxRatio.toLocaleString("en-US");
  return `unpacks to more than ${most} times its size, as a bomb does (--max-archive-ratio)`;
}

/** A size in MiB, for people. */
// Rounded up, so that a size just over the limit does not read like the limit.
export function formatSize(bytes: number): string {
  return `${(Math.ceil((bytes / MIB) * 10) / 10).toLocaleString("en-US")} MiB`;
}
