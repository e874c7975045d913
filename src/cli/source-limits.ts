import { MIB, type SourceLimits } from "../content/limits.ts";
import type { SettingName, SettingValues } from "./settings.ts";

/** The settings of every command that reads a source. */
export const LIMIT_SETTINGS = [
  "maxLineSize",
  "maxFileSize",
  "maxLessonSize",
  "maxNodes",
] as const satisfies SettingName[];

export type LimitOptions = SettingValues<(typeof LIMIT_SETTINGS)[number]>;

/** The limits of a source, from the settings. */
export function toSourceLimits({ maxLineSize, maxFileSize, maxLessonSize, maxNodes }: LimitOptions): SourceLimits {
  return {
    maxLineBytes: maxLineSize * MIB,
    maxFileBytes: maxFileSize * MIB,
    maxLessonBytes: maxLessonSize * MIB,
    maxNodes,
  };
}
