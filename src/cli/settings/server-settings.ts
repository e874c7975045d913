// Where a server listens, what it may take of the machine, what it shows and logs.
import { InvalidArgumentError } from "commander";
import { define, parseSwitch, SWITCH } from "./setting.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"];

/** How a server runs. */
export const serverSettings = {
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
};

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port;
  throw new InvalidArgumentError("Expected a port, 0 to 65535.");
}

function parseOrigins(text: string): "*" | string[] {
  if (text.trim() === "*") return "*";
  return text.split(",").map((part) => {
    const origin = part.trim();
    if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
    throw new InvalidArgumentError(`"${origin}" is not an origin such as https://www.example.org, without a path.`);
  });
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

function parseAssetMemory(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a size in MiB, 1 or more.");
}

function parseLogLevel(text: string): string {
  if (LOG_LEVELS.includes(text)) return text;
  throw new InvalidArgumentError("Expected trace, debug, info, warn, error or silent.");
}
