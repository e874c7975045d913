// Parses the values of settings.
import { InvalidArgumentError } from "commander";
import { findNearestName } from "../../catalog/nearest-name.ts";
import { isProjectName } from "../../catalog/identifier.ts";
import { isNetwork } from "../../serving/client-address.ts";
import { UsageFailure } from "../failure.ts";

export function parseChoice<T extends string>(text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const meant = findNearestName(text, choices);
  throw new InvalidArgumentError(
    meant === undefined ? `Expected one of ${choices.join(", ")}.` : `Did you mean ${meant}?`,
  );
}

export function parseWhole(text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^(0|[1-9]\d{0,8})$/.test(text) && number >= least && number <= most) return number;
  throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
}

function expecting(isValid: (text: string) => boolean, expected: string): (text: string) => string {
  return (text) => {
    if (isValid(text)) return text;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}

export const parseRate = expecting(
  (text) => text === "off" || /^[1-9]\d{0,6}\/[1-9]\d{0,4}$/.test(text),
  "off, or requests/seconds such as 600/60",
);
export const parseProject = expecting(isProjectName, "1 to 64 of the characters A-Z a-z 0-9 . _ -");
export const parseSourceName = expecting(
  (text) => isProjectName(text) && /^[A-Za-z0-9]/.test(text),
  "1 to 64 of the characters A-Z a-z 0-9 . _ -, beginning with a letter or digit",
);
export const parseFramework = expecting(
  (text) => /^[\w.-]{1,64}$/.test(text),
  "1 to 64 of the characters A-Z a-z 0-9 . _ -, spelled as in courses",
);
export const parseAssetStorage = expecting(
  (text) => text === "database" || /^dir:./.test(text),
  "database, or dir: and the path of a folder, such as dir:./data/assets",
);

/** Throws InvalidArgumentError if `findFault` describes a fault of the template. */
export function parseTemplate(text: string, findFault: (template: string) => string | undefined): string {
  const fault = findFault(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(`The template ${fault}.`);
}

/** Returns a process's share of a limit; undefined if the limit is off. */
export function toRateShare(text: string, processes: number): { requests: number; seconds: number } | undefined {
  const [requests = "", seconds] = text.split("/");
  if (seconds === undefined) return undefined;
  return { requests: Math.ceil(Number(requests) / processes), seconds: Number(seconds) };
}

/** Parses an absolute http or https URL. Returns null for other text. */
export function parseHttpUrl(text: string): URL | null {
  return /^https?:\/\//i.test(text) ? URL.parse(text) : null;
}

export function parseAssetBase(text: string): URL {
  const url = parseHttpUrl(text);
  if (url === null) throw new InvalidArgumentError("Expected an absolute http or https URL.");
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

export function parsePublicUrl(text: string): URL | "relative" {
  if (text === "relative") return text;
  const url = parseHttpUrl(text);
  if (url !== null && `${url.username}${url.password}${url.search}${url.hash}` === "") return url;
  throw new InvalidArgumentError(
    "Expected relative, or an absolute http or https URL without a user name, password, query or fragment, such as https://catalog.example.",
  );
}

function parseList(text: string, isValid: (part: string) => boolean, fault: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  const wrong = parts.find((part) => !isValid(part));
  if (wrong === undefined) return parts;
  throw new InvalidArgumentError(`"${wrong}" is ${fault}.`);
}

export function parseOrigins(text: string): "*" | string[] {
  if (text.trim() === "*") return "*";
  const fault = "not an origin. Give an origin without a path, such as https://www.example.org";
  return parseList(text, (part) => URL.parse(part)?.origin === part, fault);
}

export function parseNetworks(text: string): string[] {
  return parseList(text, isNetwork, "neither an address nor a network such as 10.0.0.0/8");
}

/** Returns the folder that `--assets` names; undefined for the database. */
export function toAssetFolder(assets: string | undefined): string | undefined {
  return assets?.startsWith("dir:") === true ? assets.slice("dir:".length) : undefined;
}

const POSTGRES_URL = "postgres://USER:PASSWORD@HOST:PORT/NAME";

/** Throws CommandFailure, because the message for an InvalidArgumentError would show the password. */
export function parseDatabaseUrl(text: string, flag = "database"): string {
  if (/^sqlite:./.test(text) && !text.startsWith("sqlite::memory:")) return text;
  const expected = `sqlite:PATH, such as sqlite:./data/lectern.db, or ${POSTGRES_URL} with special characters percent-encoded`;
  return requirePostgres(text, `--${flag} is not a database URL`, expected);
}

export function parseReplicaUrl(text: string): string {
  return requirePostgres(text, "--read-database is not a PostgreSQL URL", POSTGRES_URL);
}

function requirePostgres(text: string, failure: string, expected: string): string {
  const fault = findPostgresFault(text);
  if (fault === undefined) return text;
  throw new UsageFailure(`${failure}${fault}. Expected ${expected}.`);
}

/** The values of `sslmode` that Bun accepts; without one, it is `disable`. */
const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/** Returns the fault of a PostgreSQL URL without quoting the URL; "" for other text, undefined for a valid URL. */
function findPostgresFault(text: string): string | undefined {
  const url = /^postgres(ql)?:\/\//.test(text) ? URL.parse(text) : null;
  if (url === null) return "";
  if (url.port === "0") return ": port 0 is invalid";
  if (url.hostname === "") return ": the host is missing";
  try {
    if (decodeURIComponent(url.href).includes("\0")) return ": it contains a NUL character";
  } catch {
    return ": % must be written as %25";
  }
  const modes = url.searchParams.getAll("sslmode").filter((mode) => mode !== "");
  if (modes.length > 1 || modes.some((mode) => !SSL_MODES.includes(mode.toLowerCase()))) {
    return `: sslmode must be one of ${SSL_MODES.join(", ")}`;
  }
  return url.pathname.length > 1 ? undefined : ": the name of the database is missing";
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

/** Converts a duration, such as `90d`, `12h`, `30m` or `45s`, to milliseconds. Throws InvalidArgumentError. */
export function parseDuration(text: string): number {
  const [, count = "", unit = ""] = /^([1-9]\d{0,5})([dhms])$/.exec(text) ?? [];
  const duration = Number(count) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? 0);
  // Timestamps have four-digit years.
  if (duration > 0 && Date.now() + duration < Date.UTC(9999, 0)) return duration;
  throw new InvalidArgumentError("Expected a number and a unit, such as 90d, 12h, 30m or 45s.");
}
