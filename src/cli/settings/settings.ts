// Defines all settings: their flags, environment variables and defaults. docs/settings.md describes what they do.
import { Option, type Command } from "commander";
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import { findEditUrlFault, findLessonUrlFault } from "../../catalog/url-templates.ts";
import { DEFAULT_ARCHIVE_LIMITS, DEFAULT_LIMITS, DEFAULT_SERVICE_LIMITS, MIB } from "../../content/limits.ts";
import { ANSWERS } from "../../content/quiz/answers.ts";
import {
  parseAssetBase,
  parseAssetStorage,
  parseChoice,
  parseDatabaseUrl,
  parseFramework,
  parseNetworks,
  parseOrigins,
  parseProject,
  parsePublicUrl,
  parseRate,
  parseReplicaUrl,
  parseSourceName,
  parseTemplate,
  parseWhole,
} from "./setting-values.ts";

/**
 * The maximum for limits on texts. Larger texts cannot be read: they take several times their size in memory, and a
 * string cannot exceed 2 GiB.
 */
const MAX_TEXT_MIB = 512;
const MAX_SUM_MIB = 1_048_576;
const { maxLineBytes, maxFileBytes, maxLessonBytes, maxNodes } = DEFAULT_LIMITS;
const { maxBytes: maxArchiveBytes, maxMembers, maxDepth, maxRatio } = DEFAULT_ARCHIVE_LIMITS;
const { maxBytes: maxServiceBytes, timeoutMs, deadlineMs } = DEFAULT_SERVICE_LIMITS;
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;

/** The settings of `lectern serve` and `lectern demo`. */
const serving = {
  database: define("URL", parseDatabaseUrl, "sqlite:./data/lectern.db"),
  poolSize: whole("N", 1, 100, 4),
  connectTimeout: whole("MS", 100, 999_999, 2000),
  statementTimeout: define("MS", (text) => (text === "0" ? 0 : parseWhole(text, 100, 999_999)), 5000),
  host: define("ADDRESS", String, "0.0.0.0"),
  port: whole("N", 0, 65_535, 3000),
  adminHost: define("ADDRESS", String, "127.0.0.1"),
  adminPort: whole("N", 0, 65_535, 3001),
  workers: whole("N", 0, 256, 1),
  cacheSize: whole("MIB", 0, 999_999, 64),
  largeAnswers: whole("MIB", 1, 999_999, 128),
  assets: define("WHERE", parseAssetStorage, "database"),
  assetMemory: whole("MIB", 1, 999_999, 32),
  corsOrigins: define("LIST", parseOrigins, "*"),
  explorer: onOrOff(true),
  search: onOrOff(true),
  searchDir: define("DIR", String, "./data/search"),
  accessLog: onOrOff(false),
  trustProxy: define("LIST", parseNetworks),
  accessLogClients: choice("HOW", ["full", "network", "none"], "full"),
  keyLimit: define("RATE", parseRate, "off"),
  wrongKeyLimit: define("RATE", parseRate, "100/60"),
  assetLimit: define("RATE", parseRate, "off"),
  logLevel: choice("LEVEL", LOG_LEVELS, "info"),
};

/** The settings of imports, in addition to those of reading, the database and its assets. */
const importing = {
  project: define("NAME", parseProject),
  channel: define("NAME", parseProject, LIVE_CHANNEL),
  source: define("NAME", parseSourceName),
  keep: whole("N", 1, 999_999, 20),
  lessonUrl: define("TEMPLATE", (text) => parseTemplate(text, findLessonUrlFault)),
  editUrl: define("TEMPLATE", (text) => parseTemplate(text, findEditUrlFault)),
  publicUrl: define("URL", parsePublicUrl),
  maxAssetSize: whole("MIB", 1, MAX_TEXT_MIB, 50),
  answers: choice("WHICH", ANSWERS, "self-check"),
};

const reading = {
  assetBase: define("URL", parseAssetBase),
  fw: define("NAME", parseFramework),
  maxLineSize: whole("MIB", 1, MAX_TEXT_MIB, maxLineBytes / MIB),
  maxFileSize: whole("MIB", 1, MAX_TEXT_MIB, maxFileBytes / MIB),
  maxLessonSize: whole("MIB", 1, MAX_TEXT_MIB, maxLessonBytes / MIB),
  maxNodes: whole("N", 100, 99_999_999, maxNodes),
};

const archives = {
  maxArchiveSize: whole("MIB", 1, MAX_SUM_MIB, maxArchiveBytes / MIB),
  maxArchiveMembers: whole("N", 1, 10_000_000, maxMembers),
  maxArchiveDepth: whole("N", 1, 200, maxDepth),
  maxArchiveRatio: whole("N", 2, 2000, maxRatio),
};

const services = {
  maxServiceSize: whole("MIB", 1, MAX_SUM_MIB, maxServiceBytes / MIB),
  serviceTimeout: whole("SECONDS", 1, 3600, timeoutMs / 1000),
  serviceDeadline: whole("MINUTES", 1, 10_080, deadlineMs / 60_000),
};

export const settings = {
  ...serving,
  readDatabase: define("URL", parseReplicaUrl),
  ...importing,
  ...reading,
  ...archives,
  ...services,
};

export const SERVE_SETTINGS = namesOf(serving);
export const IMPORT_SETTINGS = namesOf(importing);
export const READING_SETTINGS = namesOf(reading);
export const ARCHIVE_SETTINGS = namesOf(archives);
export const SERVICE_SETTINGS = namesOf(services);

function namesOf<Name extends SettingName>(group: Pick<typeof settings, Name>): Name[] {
  return Object.keys(group) as Name[];
}

function define<T, D extends T | undefined = undefined>(placeholder: string, parse: (text: string) => T, value?: D) {
  return { placeholder, parse, default: value as D, choices: undefined as readonly string[] | undefined };
}

function whole(placeholder: string, least: number, most: number, value: number) {
  return define(placeholder, (text) => parseWhole(text, least, most), value);
}

function choice<T extends string>(placeholder: string, choices: readonly T[], value: T) {
  return { ...define(placeholder, (text) => parseChoice(text, choices), value), choices };
}

function onOrOff(value: boolean) {
  const choices = ["on", "off"];
  return { ...define("ON", (text) => parseChoice(text, choices) === "on", value), choices };
}

export type SettingName = keyof typeof settings;
type ValueOf<N extends SettingName> = ReturnType<(typeof settings)[N]["parse"]> | (typeof settings)[N]["default"];

/**
 * The values of a command's settings. The command requires the settings in `Required`; any other setting without a
 * value or default is undefined.
 */
export type SettingValues<N extends SettingName, Required extends N = never> = {
  [K in N]: K extends Required ? Exclude<ValueOf<K>, undefined> : ValueOf<K>;
};

/** The defaults of all settings; undefined for a setting without a default. */
export const DEFAULTS = Object.fromEntries(
  Object.entries(settings).map(([name, setting]) => [name, setting.default]),
) as {
  [N in SettingName]: (typeof settings)[N]["default"];
};

/** Adds settings as options to a command. A flag overrides the environment, which overrides the default. */
export function addSettings(command: Command, names: readonly SettingName[], isProjectRequired = true): Command {
  for (const name of names) {
    const { placeholder, parse, default: value, choices } = settings[name];
    const option = new Option(`${flagOf(name)} <${placeholder}>`)
      .env(environmentName(name))
      .argParser((text) => parse(text))
      .makeOptionMandatory(isProjectRequired && name === "project");
    // The method `choices` would replace the parser.
    if (choices !== undefined) option.argChoices = [...choices];
    if (value !== undefined) option.default(value, formatDefault(value));
    command.addOption(option);
  }
  return command;
}

/** Formats a default as you would type it on the command line. */
export function formatDefault(value: unknown): string {
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}

/** Returns `--admin-port` for `adminPort`. */
export function flagOf(name: SettingName): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns `LECTERN_ADMIN_PORT` for `adminPort`. */
export function environmentName(name: SettingName): string {
  return `LECTERN_${flagOf(name).slice(2).toUpperCase().replaceAll("-", "_")}`;
}
