// What the commands that read a source have in common: their options, and what the source is opened with.
import { Option, type Command } from "commander";
import { MIB, type SourceLimits } from "../content/limits.ts";
import { listFormatNames } from "../content/formats/registry.ts";
import type { SourceOptions } from "../content/source.ts";
import { LinkedFiles } from "../publishing/linked-files.ts";
import { addSettings, type SettingName, type SettingValues } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

const READING_SETTINGS = [
  "assetBase",
  "fw",
  "maxLineSize",
  "maxFileSize",
  "maxLessonSize",
  "maxNodes",
] as const satisfies SettingName[];

/** Of commands that read archives, too. */
export const ARCHIVE_SETTINGS = [
  "maxArchiveSize",
  "maxArchiveMembers",
  "maxArchiveDepth",
  "maxArchiveRatio",
] as const satisfies SettingName[];

/** Of the command that reads other services, too. */
export const SERVICE_SETTINGS = [
  "maxServiceSize",
  "serviceTimeout",
  "serviceDeadline",
] as const satisfies SettingName[];

export type ReadingOptions = SettingValues<(typeof READING_SETTINGS)[number]> &
  Partial<SettingValues<"answers">> & { withInstructors?: boolean; strict?: boolean };
export type ArchiveOptions = SettingValues<(typeof ARCHIVE_SETTINGS)[number]>;
export type ServiceOptions = SettingValues<(typeof SERVICE_SETTINGS)[number]>;

/** Adds the options of every command that reads a folder. */
export function addReadingOptions(
  command: Command,
  more: readonly SettingName[] = [],
  isProjectRequired = true,
): Command {
  return addSettings(command, [...READING_SETTINGS, ...more], isProjectRequired).option("--with-instructors");
}

/** Creates `--format`, of the commands that read a folder. */
export function createFormatOption(): Option {
  return new Option("--format <FORMAT>").choices(listFormatNames());
}

/** Where files of a source go; undefined without `--public-url`. */
export function createLinkedFiles(options: SettingValues<"publicUrl" | "maxAssetSize">): LinkedFiles | undefined {
  return options.publicUrl && new LinkedFiles(options.publicUrl, options.maxAssetSize * MIB);
}

/** What a source is opened with. */
export function toSourceOptions(
  options: ReadingOptions & { format?: string | undefined },
  terminal: Terminal,
  limits: Pick<SourceLimits, "archive" | "service"> = {},
): SourceOptions {
  const { assetBase, fw: framework, format, withInstructors, answers, strict } = options;
  return {
    assetBase,
    framework,
    format,
    withInstructors,
    answers,
    strict,
    now: () => terminal.now(),
    limits: {
      maxLineBytes: options.maxLineSize * MIB,
      maxFileBytes: options.maxFileSize * MIB,
      maxLessonBytes: options.maxLessonSize * MIB,
      maxNodes: options.maxNodes,
      ...limits,
    },
  };
}

export function toArchiveLimits(options: ArchiveOptions): SourceLimits["archive"] {
  return {
    maxBytes: options.maxArchiveSize * MIB,
    maxMembers: options.maxArchiveMembers,
    maxDepth: options.maxArchiveDepth,
    maxRatio: options.maxArchiveRatio,
  };
}

export function toServiceLimits(options: ServiceOptions): SourceLimits["service"] {
  return {
    maxBytes: options.maxServiceSize * MIB,
    timeoutMs: options.serviceTimeout * 1000,
    deadlineMs: options.serviceDeadline * 60_000,
  };
}
