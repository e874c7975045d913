// Where a server listens, what it may take of the machine, what it shows and logs.
import { InvalidArgumentError } from "commander";
import { define, defineChoice, defineSwitch, parseWhole } from "./setting.ts";

const parsePort = parseWhole("a port", 0, 65_535);

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
    parse: parseWhole("a number of processes", 0, 256),
  }),
  cacheSize: define({
    flag: "cache-size",
    placeholder: "MIB",
    description: "memory for answers that are kept ready, in MiB per worker; 0 keeps none",
    default: 64,
    parse: parseWhole("a size in MiB", 0, 999_999),
  }),
  largeAnswers: define({
    flag: "large-answers",
    placeholder: "MIB",
    description: "memory for answers above 64 KiB while they are made, kept and read, in MiB per worker",
    default: 128,
    parse: parseWhole("a size in MiB", 1, 999_999),
  }),
  assetMemory: define({
    flag: "asset-memory",
    placeholder: "MIB",
    description:
      "memory for images and files while they are sent, in MiB per worker; each that is under way takes 1/8 MiB",
    default: 32,
    parse: parseWhole("a size in MiB", 1, 999_999),
  }),
  explorer: defineSwitch({
    flag: "explorer",
    description: "shows the explorer, a page for people, at /",
    default: true,
  }),
  accessLog: defineSwitch({
    flag: "access-log",
    description: "on writes a JSON line for each request to standard output",
    default: false,
  }),
  logLevel: defineChoice({
    flag: "log-level",
    placeholder: "LEVEL",
    description: "least level of log lines",
    default: "info",
    choices: ["trace", "debug", "info", "warn", "error", "silent"],
  }),
};

function parseOrigins(text: string): "*" | string[] {
  if (text.trim() === "*") return "*";
  return text.split(",").map((part) => {
    const origin = part.trim();
    if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
    throw new InvalidArgumentError(`"${origin}" is not an origin such as https://www.example.org, without a path.`);
  });
}
