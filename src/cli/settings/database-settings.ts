// Which database a command uses, and how.
import { InvalidArgumentError } from "commander";
import { CommandFailure, EXIT } from "../failure.ts";
import { define, whole } from "./setting.ts";

/** Where everything is stored. */
export const databaseSettings = {
  database: define({
    placeholder: "URL",
    description: "database to use: sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME",
    default: "sqlite:./data/lectern.db",
    parse: parseDatabaseUrl("database"),
  }),
  readDatabase: define({
    placeholder: "URL",
    description: "PostgreSQL replica from which the catalog is read, in place of --database",
    parse: (text) =>
      requirePostgres(
        text,
        "--read-database is no URL of a PostgreSQL database",
        "postgres://USER:PASSWORD@HOST:PORT/NAME",
      ),
  }),
  poolSize: define({
    ...whole("N", "a number of connections", 1, 100),
    description: "PostgreSQL connections per worker and database, 1 to 100",
    default: 4,
  }),
  connectTimeout: define({
    ...whole("MS", "milliseconds", 100, 999_999),
    description: "how long a connection to PostgreSQL may take to open, in milliseconds",
    default: 2000,
  }),
  statementTimeout: define({
    placeholder: "MS",
    description: "how long PostgreSQL may work on one statement of a server, in milliseconds; 0 for any time",
    default: 5000,
    parse: (text) => (text === "0" ? 0 : whole("MS", "0, or milliseconds", 100, 999_999).parse(text)),
  }),
  assets: define({
    placeholder: "WHERE",
    description: "where imports store images and files: database, or dir:PATH for a folder",
    default: "database",
    parse: parseAssetStorage,
  }),
};

const ANY_DATABASE =
  "sqlite:PATH, such as sqlite:./data/lectern.db, or postgres://USER:PASSWORD@HOST:PORT/NAME, with what is special in a URL percent-encoded";

/**
 * Returns the parser of a flag that names a database. It throws CommandFailure, not InvalidArgumentError, which would print
 * the value with its password.
 */
export function parseDatabaseUrl(flag: string): (text: string) => string {
  return (text) => {
    const isFile = /^sqlite:./.test(text) && !text.startsWith("sqlite::memory:");
    return isFile ? text : requirePostgres(text, `--${flag} is no URL of a database`, ANY_DATABASE);
  };
}

function requirePostgres(text: string, failure: string, expected: string): string {
  const fault = findPostgresFault(text);
  if (fault === undefined) return text;
  throw new CommandFailure(`${failure}${fault}. Expected ${expected}.`, EXIT.usage);
}

/** What Bun knows; nothing is `disable`. */
const SSL_MODES = ["", "disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

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
  const modes = new URL(text).searchParams.getAll("sslmode");
  if (modes.length > 1 || modes.some((mode) => !SSL_MODES.includes(mode.toLowerCase()))) {
    return `: its sslmode is none of ${SSL_MODES.filter(Boolean).join(", ")}`;
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

function parseAssetStorage(text: string): string {
  if (text === "database" || /^dir:./.test(text)) return text;
  throw new InvalidArgumentError("Expected database, or dir: and the path of a folder, such as dir:./data/assets.");
}

/** The folder in which assets are stored, by the setting `assets`; undefined for the database. */
export function toAssetFolder(assets: string): string | undefined {
  return assets === "database" ? undefined : assets.slice("dir:".length);
}
