// Adds the options of commands that read a source, and converts their values.
import { InvalidArgumentError, Option, type Command } from "commander";
import { findLanguageTag } from "../../catalog/language-tags.ts";
import { MIB } from "../../content/limits.ts";
import { listFormatNames } from "../../content/formats/registry.ts";
import type { SourceOptions } from "../../content/source.ts";
import { LinkedFiles } from "../../publishing/linked-files.ts";
import { addSettings, DEFAULTS, READING_SETTINGS, type SettingName, type SettingValues } from "../settings/settings.ts";
import { parseChoice } from "../settings/setting-values.ts";
import type { Terminal } from "../terminal/terminal.ts";

const FORMATS = listFormatNames();

export type ReadingOptions = SettingValues<(typeof READING_SETTINGS)[number]> &
  Partial<SettingValues<SettingName>> & {
    format?: string;
    languages?: string[];
    withInstructors?: boolean;
    strict?: boolean;
    sanitize?: boolean;
  };

export function addReadingOptions(
  command: Command,
  more: readonly SettingName[] = [],
  isProjectRequired = true,
  format = new Option("--format <FORMAT>").choices(FORMATS).argParser((word) => parseChoice(word, FORMATS)),
): Command {
  return addSettings(command, [...READING_SETTINGS, ...more], isProjectRequired)
    .option("--with-instructors")
    .addOption(format)
    .addOption(createLanguagesOption());
}

function createLanguagesOption(): Option {
  return new Option("--languages <TAGS>").argParser((text) => {
    const languages = text.split(",").map((tag) => tag.trim());
    const isKnown = (tag: string): boolean => /^(?:all|none)$/.test(tag) || findLanguageTag(tag) !== undefined;
    if (!languages.every(isKnown))
      throw new InvalidArgumentError("Expected language tags such as fr,pt-BR, or all, or none.");
    return languages;
  });
}

/** Returns undefined without `--public-url`. */
export function createLinkedFiles(options: SettingValues<"publicUrl" | "maxAssetSize">): LinkedFiles | undefined {
  return options.publicUrl && new LinkedFiles(options.publicUrl, options.maxAssetSize * MIB);
}

/** Converts a command's options to those of a source. Uses defaults for settings that the command lacks. */
export function toSourceOptions(given: ReadingOptions, terminal: Terminal): SourceOptions {
  const options = { ...DEFAULTS, ...given };
  const { assetBase, fw: framework, format, withInstructors, answers, strict, sanitize: sanitizes } = options;
  return {
    assetBase,
    framework,
    format,
    languages: given.languages,
    withInstructors,
    answers,
    strict,
    sanitizes,
    now: () => terminal.now(),
    limits: {
      maxLineBytes: options.maxLineSize * MIB,
      maxFileBytes: options.maxFileSize * MIB,
      maxLessonBytes: options.maxLessonSize * MIB,
      maxNodes: options.maxNodes,
      archive: {
        maxBytes: options.maxArchiveSize * MIB,
        maxMembers: options.maxArchiveMembers,
        maxDepth: options.maxArchiveDepth,
        maxRatio: options.maxArchiveRatio,
      },
      service: {
        maxBytes: options.maxServiceSize * MIB,
        timeoutMs: options.serviceTimeout * 1000,
        deadlineMs: options.serviceDeadline * 60_000,
      },
    },
  };
}
