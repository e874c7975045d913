// Which database a command uses, and how.
import { InvalidArgumentError } from "commander";
import { CommandFailure, EXIT } from "../failure.ts";
import { define, whole } from "./setting.ts";

const POSTGRES_URL = "postgres://USER:PASSWORD@HOST:PORT/NAME";

const connectTimeout = whole("MS", 100, 999_999, 2000, "milliseconds that a connection to PostgreSQL may take to open");

export const databaseSettings = {
  database: define({
    placeholder: "URL",
    description: `database to use: sqlite:PATH or ${POSTGRES_URL}`,
    default: "sqlite:./data/lectern.db",
    parse: parseDatabaseUrl("database"),
  }),
  readDatabase: define({
    placeholder: "URL",
    description: "PostgreSQL replica from which the catalog is read, in place of --database",
    parse: (text) => requirePostgres(text, "--read-database is no URL of a PostgreSQL database", POSTGRES_URL),
  }),
  poolSize: whole("N", 1, 100, 4, "PostgreSQL connections per worker and database, 1 to 100"),
  connectTimeout,
  statementTimeout: define({
    placeholder: "MS",
    description: "milliseconds that PostgreSQL may work on one statement of a server; 0 for any time",
    default: 5000,
    parse: (text) => (text === "0" ? 0 : connectTimeout.parse(text)),
  }),
  assets: define({
    placeholder: "WHERE",
    description: "where imports store images and files: database, or dir:PATH for a folder",
    default: "database",
    parse: parseAssetStorage,
  }),
};

/** Returns the parser of a flag. It throws CommandFailure: InvalidArgumentError would print the value with its password. */
export function parseDatabaseUrl(flag: string): (text: string) => string {
  const expected = `sqlite:PATH, such as sqlite:./data/lectern.db, or ${POSTGRES_URL}, with what is special in a URL percent-encoded`;
  return (text) => {
    const isFile = /^sqlite:./.test(text) && !text.startsWith("sqlite::memory:");
    return isFile ? text : requirePostgres(text, `--${flag} is no URL of a database`, expected);
  };
}

function requirePostgres(text: string, failure: string, expected: string): string {
  const fault = findPostgresFault(text);
  if (fault === undefined) return text;
  throw new CommandFailure(`${failure}${fault}. Expected ${expected}.`, EXIT.usage);
}

/** Those that Bun supports; an empty one is `disable`. */
const SSL_MODES = ["", "disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/** The continuation of "is no URL", which repeats no part of it; "" without a reason, undefined for a valid URL. */
function findPostgresFault(text: string): string | undefined {
  const url = /^postgres(ql)?:\/\//.test(text) ? URL.parse(text) : null;
  if (url === null) return "";
  if (url.port === "0") return ": no server has port 0";
  for (const part of [url.username, url.password, url.hostname, url.pathname, url.search]) {
    if (!isDecodable(part)) return ": a % in it must be written as %25";
    if (part.includes("%00")) return ": it holds a NUL character";
  }
  const modes = url.searchParams.getAll("sslmode");
  if (modes.length > 1 || modes.some((mode) => !SSL_MODES.includes(mode.toLowerCase()))) {
    return `: its sslmode is none of ${SSL_MODES.filter(Boolean).join(", ")}`;
  }
  return url.pathname.length > 1 ? undefined : ": it names no database";
}

function isDecodable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded);
    return true;
  } catch {
    return false;
  }
}

function parseAssetStorage(text: string): string {
  if (text === "database" || /^dir:./.test(text)) return text;
  throw new InvalidArgumentError("Expected database, or dir: and the path of a folder, such as dir:./data/assets.");
}

/** The folder that `--assets` names; undefined for the database. */
export function toAssetFolder(assets: string | undefined): string | undefined {
  return assets?.startsWith("dir:") === true ? assets.slice("dir:".length) : undefined;
}
