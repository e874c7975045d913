import { MIB, type ArchiveLimits, type ServiceLimits, type SourceLimits } from "../content/limits.ts";
import type { SettingName, SettingValues } from "./settings.ts";

/** The settings of every command that reads a folder. */
export const LIMIT_SETTINGS = [
  "maxLineSize",
  "maxFileSize",
  "maxLessonSize",
  "maxNodes",
] as const satisfies SettingName[];

/** Those of commands that read archives, too. */
export const ARCHIVE_SETTINGS = [
  "maxArchiveSize",
  "maxArchiveMembers",
  "maxArchiveDepth",
  "maxArchiveRatio",
] as const satisfies SettingName[];

/** Those of the command that reads other services, too. */
export const SERVICE_SETTINGS = [
  "maxServiceSize",
  "serviceTimeout",
  "serviceDeadline",
] as const satisfies SettingName[];

export type LimitOptions = SettingValues<(typeof LIMIT_SETTINGS)[number]>;
export type ArchiveOptions = SettingValues<(typeof ARCHIVE_SETTINGS)[number]>;
export type ServiceOptions = SettingValues<(typeof SERVICE_SETTINGS)[number]>;

/** The limits of a source, from the settings. */
export function toSourceLimits(
  { maxLineSize, maxFileSize, maxLessonSize, maxNodes }: LimitOptions,
  archive?: ArchiveOptions,
  service?: ServiceOptions,
): SourceLimits {
  return {
    maxLineBytes: maxLineSize * MIB,
    maxFileBytes: maxFileSize * MIB,
    maxLessonBytes: maxLessonSize * MIB,
    maxNodes,
    archive: archive && toArchiveLimits(archive),
    service: service && toServiceLimits(service),
  };
}

function toServiceLimits({ maxServiceSize, serviceTimeout, serviceDeadline }: ServiceOptions): ServiceLimits {
  return { maxBytes: maxServiceSize * MIB, timeoutMs: serviceTimeout * 1000, deadlineMs: serviceDeadline * 60_000 };
}

function toArchiveLimits(options: ArchiveOptions): ArchiveLimits {
  return {
    maxBytes: options.maxArchiveSize * MIB,
    maxMembers: options.maxArchiveMembers,
    maxDepth: options.maxArchiveDepth,
    maxRatio: options.maxArchiveRatio,
  };
}
