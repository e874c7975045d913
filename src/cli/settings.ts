// Every setting, once: flags, environment, defaults, help and docs/settings.md come from this table.
import { InvalidArgumentError, Option, type Command } from "commander";
import { LIVE_CHANNEL } from "../catalog/store.ts";
import { isProjectName } from "../catalog/identifier.ts";
import { findLessonUrlFault } from "../catalog/lesson-url.ts";
import { DEFAULT_ARCHIVE_LIMITS, DEFAULT_LIMITS, MIB } from "../content/limits.ts";
import { CommandFailure, EXIT } from "./failure.ts";

/** A text takes several times its size in memory, and a string cannot be larger than 2 GiB. */
const MAX_SIZE_MIB = 512;

const SWITCH = ["on", "off"];
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"];

interface Setting<T> {
  /** The long flag's name, in kebab-case; the environment variable is `LECTERN_` and the same in upper case. */
  flag: string;
  placeholder: string;
  description: string;
  default?: T;
  /** What the flag means without a value; absent where it needs one. */
  preset?: string;
  /** All values that it takes, where they are few. */
  choices?: string[];
  /** Throws InvalidArgumentError with what is expected. */
  parse: (text: string) => T;
}

interface SettingWithDefault<T> extends Setting<T> {
  default: T;
}

function define<T>(setting: SettingWithDefault<T>): SettingWithDefault<T>;
function define<T>(setting: Setting<T>): Setting<T>;
function define<T>(setting: Setting<T>): Setting<T> {
  return setting;
}

export const settings = {
  database: define({
    flag: "database",
    placeholder: "URL",
    description: "database to use: sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME",
    default: "sqlite:./data/lectern.db",
    parse: parseDatabaseUrl("database"),
  }),
  readDatabase: define({
    flag: "read-database",
    placeholder: "URL",
    description: "PostgreSQL replica from which the catalog is read, in place of --database",
    parse: parseReplicaUrl,
  }),
  poolSize: define({
    flag: "pool-size",
    placeholder: "N",
    description: "PostgreSQL connections per worker and database, 1 to 100",
    default: 4,
    parse: parsePoolSize,
  }),
  connectTimeout: define({
    flag: "connect-timeout",
    placeholder: "MS",
    description: "how long a connection to PostgreSQL may take to open, in milliseconds",
    default: 2000,
    parse: parseConnectTimeout,
  }),
  statementTimeout: define({
    flag: "statement-timeout",
    placeholder: "MS",
    description: "how long PostgreSQL may work on one statement of a server, in milliseconds; 0 for any time",
    default: 5000,
    parse: parseStatementTimeout,
  }),
  project: define({
    flag: "project",
    placeholder: "NAME",
    description: "project: 1 to 64 of A-Z a-z 0-9 . _ -",
    parse: parseProject,
  }),
  channel: define({
    flag: "channel",
    placeholder: "NAME",
    description: "channel to publish on or to read: 1 to 64 of A-Z a-z 0-9 . _ -",
    default: LIVE_CHANNEL,
    parse: parseProject,
  }),
  source: define({
    flag: "source",
    placeholder: "NAME",
    description:
      "name of this source, beside others of the project: 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or digit",
    parse: parseSourceName,
  }),
  keep: define({
    flag: "keep",
    placeholder: "N",
    description: "releases to keep per channel; older ones are pruned",
    default: 20,
    parse: parseKeep,
  }),
  host: define({
    flag: "host",
    placeholder: "ADDRESS",
    description: "address on which the API listens",
    default: "0.0.0.0",
    parse: (text: string) => text,
  }),
  port: define({
    flag: "port",
    placeholder: "N",
    description: "port of the API; 0 takes a free one",
    default: 3000,
    parse: parsePort,
  }),
  adminHost: define({
    flag: "admin-host",
    placeholder: "ADDRESS",
    description: "address on which /live, /ready and /metrics are served",
    default: "127.0.0.1",
    parse: (text: string) => text,
  }),
  adminPort: define({
    flag: "admin-port",
    placeholder: "N",
    description: "port of /live, /ready and /metrics; 0 takes a free one",
    default: 3001,
    parse: parsePort,
  }),
  corsOrigins: define<"*" | string[]>({
    flag: "cors-origins",
    placeholder: "LIST",
    description: "origins whose pages may read the API, comma-separated, or * for any",
    default: "*",
    parse: parseOrigins,
  }),
  workers: define({
    flag: "workers",
    placeholder: "N",
    description: "processes that answer requests; 0 is one per processor",
    default: 1,
    parse: parseWorkers,
  }),
  cacheSize: define({
    flag: "cache-size",
    placeholder: "MIB",
    description: "memory for answers that are kept ready, in MiB per worker; 0 keeps none",
    default: 64,
    parse: parseCacheSize,
  }),
  largeAnswers: define({
    flag: "large-answers",
    placeholder: "MIB",
    description: "memory for answers above 64 KiB while they are made, kept and read, in MiB per worker",
    default: 128,
    parse: parseLargeAnswers,
  }),
  assets: define({
    flag: "assets",
    placeholder: "WHERE",
    description: "where imports store images and files: database, or dir:PATH for a folder",
    default: "database",
    parse: parseAssetStorage,
  }),
  assetMemory: define({
    flag: "asset-memory",
    placeholder: "MIB",
    description:
      "memory for images and files while they are sent, in MiB per worker; each that is under way takes 1/8 MiB",
    default: 32,
    parse: parseAssetMemory,
  }),
  explorer: define({
    flag: "explorer",
    placeholder: "ON",
    description: "shows the explorer, a page for people, at /; on or off",
    default: true,
    choices: SWITCH,
    parse: parseSwitch,
  }),
  accessLog: define({
    flag: "access-log",
    placeholder: "ON",
    description: "on writes a JSON line for each request to standard output; on or off",
    default: false,
    choices: SWITCH,
    parse: parseSwitch,
  }),
  logLevel: define({
    flag: "log-level",
    placeholder: "LEVEL",
    description: "least level of log lines: trace, debug, info, warn, error, silent",
    default: "info",
    choices: LOG_LEVELS,
    parse: parseLogLevel,
  }),
  assetBase: define({
    flag: "asset-base",
    placeholder: "URL",
    description: "URL against which relative images, links and thumbnails are resolved",
    parse: parseAssetBase,
  }),
  fw: define({
    flag: "fw",
    placeholder: "NAME",
    description: "of branches for readers of different frameworks, read those for this one, such as pt",
    parse: parseFramework,
  }),
  publicUrl: define({
    flag: "public-url",
    placeholder: "URL",
    description: "URL at which browsers reach the API: files that lessons show or link to are stored, and served there",
    parse: parsePublicUrl,
  }),
  withAnswers: define({
    flag: "with-answers",
    placeholder: "ON",
    description: "publish which answers of quizzes are right, and why; on or off",
    default: false,
    preset: "on",
    choices: SWITCH,
    parse: parseSwitch,
  }),
  maxAssetSize: define({
    flag: "max-asset-size",
    placeholder: "MIB",
    description: "largest file that is stored, in MiB",
    default: 50,
    parse: parseSize,
  }),
  lessonUrl: define({
    flag: "lesson-url",
    placeholder: "TEMPLATE",
    description:
      "address of a lesson on your site, for links between lessons, such as https://site.example/{courseSlug}/{lessonId}{fragment}",
    parse: parseLessonUrl,
  }),
  maxLineSize: define({
    flag: "max-line-size",
    placeholder: "MIB",
    description: "largest line of NDJSON that is read, in MiB",
    default: DEFAULT_LIMITS.maxLineBytes / MIB,
    parse: parseSize,
  }),
  maxFileSize: define({
    flag: "max-file-size",
    placeholder: "MIB",
    description: "largest lesson or outline file that is read, in MiB",
    default: DEFAULT_LIMITS.maxFileBytes / MIB,
    parse: parseSize,
  }),
  maxLessonSize: define({
    flag: "max-lesson-size",
    placeholder: "MIB",
    description: "largest lesson that is published, in MiB of what readers get",
    default: DEFAULT_LIMITS.maxLessonBytes / MIB,
    parse: parseSize,
  }),
  maxNodes: define({
    flag: "max-nodes",
    placeholder: "N",
    description: "most nodes of a text: values of YAML and JSON, with aliases written out, parts of Markdown",
    default: DEFAULT_LIMITS.maxNodes,
    parse: parseNodes,
  }),
  maxArchiveSize: define({
    flag: "max-archive-size",
    placeholder: "MIB",
    description: "most that an archive holds, unpacked, in MiB",
    default: DEFAULT_ARCHIVE_LIMITS.maxBytes / MIB,
    parse: parseWhole(1, 1_048_576, "a size in MiB"),
  }),
  maxArchiveMembers: define({
    flag: "max-archive-members",
    placeholder: "N",
    description: "most files and folders of an archive",
    default: DEFAULT_ARCHIVE_LIMITS.maxMembers,
    parse: parseWhole(1, 10_000_000, "a number of files and folders"),
  }),
  maxArchiveDepth: define({
    flag: "max-archive-depth",
    placeholder: "N",
    description: "most folders in folders of an archive",
    default: DEFAULT_ARCHIVE_LIMITS.maxDepth,
    parse: parseWhole(1, 200, "a number of folders"),
  }),
  maxArchiveRatio: define({
    flag: "max-archive-ratio",
    placeholder: "N",
    description: "how many times as large as packed a member of an archive may be, above 16 MiB",
    default: DEFAULT_ARCHIVE_LIMITS.maxRatio,
    parse: parseWhole(2, 2000, "a number of times"),
  }),
};

export type SettingName = keyof typeof settings;
/** Undefined for a setting that was not given and has no default. */
type ValueOf<N extends SettingName> =
  (typeof settings)[N] extends SettingWithDefault<infer T>
    ? T
    : (typeof settings)[N] extends Setting<infer T>
      ? T | undefined
      : never;

/** The values of settings, as a command gets them; `Required` are those without which it does not run. */
export type SettingValues<N extends SettingName, Required extends N = never> = {
  [K in N]: K extends Required ? Exclude<ValueOf<K>, undefined> : ValueOf<K>;
};

/** Adds settings as options to a command: a flag wins over the environment, that over the default. */
export function addSettings(command: Command, names: SettingName[], required: SettingName[] = []): Command {
  for (const name of names) {
    const setting = settings[name] as Setting<unknown>;
    const { placeholder, preset } = setting;
    const value = preset === undefined ? `<${placeholder}>` : `[${placeholder}]`;
    const option = new Option(`--${setting.flag} ${value}`, setting.description)
      .env(environmentName(name))
      .argParser(setting.parse);
    if (setting.default !== undefined) option.default(setting.default, formatDefault(setting.default));
    if (preset !== undefined) option.preset(preset);
    if (required.includes(name)) option.makeOptionMandatory();
    command.addOption(option);
  }
  return command;
}

/** A default as it would be typed on the command line. */
export function formatDefault(value: unknown): string {
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}

/** `LECTERN_ADMIN_PORT` for `adminPort`. */
export function environmentName(name: SettingName): string {
  return `LECTERN_${settings[name].flag.toUpperCase().replaceAll("-", "_")}`;
}

/**
 * Returns the parser of a flag that names a database. It throws CommandFailure, not InvalidArgumentError, which would print
 * the value with its password.
 */
export function parseDatabaseUrl(flag: string): (text: string) => string {
  return (text) => {
    if (/^sqlite:./.test(text) && !text.startsWith("sqlite::memory:")) return text;
    const fault = findPostgresFault(text);
    if (fault === undefined) return text;
    throw new CommandFailure(
      `--${flag} is no URL of a database${fault}. Expected sqlite:PATH, such as sqlite:./data/lectern.db, or ` +
        "postgres://USER:PASSWORD@HOST:PORT/NAME, with what is special in a URL percent-encoded.",
      EXIT.usage,
    );
  };
}

function parseReplicaUrl(text: string): string {
  const fault = findPostgresFault(text);
  if (fault === undefined) return text;
  throw new CommandFailure(
    `--read-database is no URL of a PostgreSQL database${fault}. Expected postgres://USER:PASSWORD@HOST:PORT/NAME.`,
    EXIT.usage,
  );
}

/**
 * What is wrong with a PostgreSQL URL, as the continuation of "is no URL", without repeating any part of it. "" when there
 * is no more to say, undefined when nothing is wrong.
 */
function findPostgresFault(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return "";
  const { username, password, hostname, port, pathname, search } = new URL(text);
  if (port === "0") return ": no server has port 0";
  for (const part of [username, password, hostname, pathname, search]) {
    const decoded = decodePercent(part);
    if (decoded === undefined) return ": a % in it must be written as %25";
    if (decoded.includes("\0")) return ": it holds a NUL character";
  }
  return pathname.length > 1 ? undefined : ": it names no database";
}

/** Decodes percent-encoded text. Undefined when it is malformed. */
function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function parseProject(text: string): string {
  if (isProjectName(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 64 of the characters A-Z a-z 0-9 . _ -.");
}

function parsePoolSize(text: string): number {
  if (/^([1-9]\d?|100)$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number of connections, 1 to 100.");
}

function parseConnectTimeout(text: string): number {
  if (/^[1-9]\d{2,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected milliseconds, 100 to 999999.");
}

function parseStatementTimeout(text: string): number {
  if (/^(0|[1-9]\d{2,5})$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected milliseconds, 100 to 999999, or 0.");
}

/** The name of a source. Throws InvalidArgumentError. */
export function parseSourceName(text: string): string {
  if (isProjectName(text) && /^[A-Za-z0-9]/.test(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit.");
}

function parseKeep(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number of releases, 1 or more.");
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port;
  throw new InvalidArgumentError("Expected a port, 0 to 65535.");
}

function parseWorkers(text: string): number {
  const count = Number(text);
  if (/^\d{1,3}$/.test(text) && count <= 256) return count;
  throw new InvalidArgumentError("Expected a number of processes, 0 to 256.");
}

function parseCacheSize(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a size in MiB; 0 keeps nothing.");
}

function parseLargeAnswers(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a size in MiB, 1 or more.");
}

function parseFramework(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 64 of the characters A-Z a-z 0-9 . _ -, as courses write it.");
}

function parseAssetStorage(text: string): string {
  if (text === "database" || /^dir:./.test(text)) return text;
  throw new InvalidArgumentError("Expected database, or dir: and the path of a folder, such as dir:./data/assets.");
}

/** The folder in which assets are stored, by the setting `assets`; undefined for the database. */
export function toAssetFolder(assets: string): string | undefined {
  return assets === "database" ? undefined : assets.slice("dir:".length);
}

function parseAssetMemory(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a size in MiB, 1 or more.");
}

function parseSize(text: string): number {
  const size = Number(text);
  if (/^[1-9]\d{0,2}$/.test(text) && size <= MAX_SIZE_MIB) return size;
  throw new InvalidArgumentError(`Expected a size in MiB, 1 to ${MAX_SIZE_MIB}.`);
}

function parseNodes(text: string): number {
  if (/^[1-9]\d{2,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number of nodes, 100 to 99999999.");
}

function parseWhole(least: number, most: number, what: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^[1-9]\d{0,7}$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Expected ${what}, ${least} to ${most}.`);
  };
}

function parseSwitch(text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw new InvalidArgumentError("Expected on or off.");
}

function parseOrigins(text: string): "*" | string[] {
  if (text.trim() === "*") return "*";
  return text.split(",").map((part) => {
    const origin = part.trim();
    if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
    throw new InvalidArgumentError(`"${origin}" is not an origin such as https://www.example.org, without a path.`);
  });
}

function parseLogLevel(text: string): string {
  if (LOG_LEVELS.includes(text)) return text;
  throw new InvalidArgumentError("Expected trace, debug, info, warn, error or silent.");
}

function parsePublicUrl(text: string): URL {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (url !== null && `${url.username}${url.password}${url.search}${url.hash}` === "") return url;
  throw new InvalidArgumentError(
    "Expected an absolute http or https URL without query, such as https://catalog.example.",
  );
}

function parseLessonUrl(text: string): string {
  const fault = findLessonUrlFault(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(`The template ${fault}.`);
}

function parseAssetBase(text: string): URL {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) {
    const url = new URL(text);
    if (!url.pathname.endsWith("/")) url.pathname += "/";
    return url;
  }
  throw new InvalidArgumentError("Expected an absolute http or https URL.");
}
