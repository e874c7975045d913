// Where a server listens, what it may take of the machine, what it shows and logs.
import { InvalidArgumentError } from "commander";
import { define, defineChoice, defineSwitch, whole } from "./setting.ts";

/** How a server runs. */
export const serverSettings = {
  host: define({
    placeholder: "ADDRESS",
    description: "address on which the API listens",
    default: "0.0.0.0",
    parse: (text: string) => text,
  }),
  port: define({
    ...whole("N", "a port", 0, 65_535),
    description: "port of the API; 0 takes a free one",
    default: 3000,
  }),
  adminHost: define({
    placeholder: "ADDRESS",
    description: "address on which /live, /ready and /metrics are served",
    default: "127.0.0.1",
    parse: (text: string) => text,
  }),
  adminPort: define({
    ...whole("N", "a port", 0, 65_535),
    description: "port of /live, /ready and /metrics; 0 takes a free one",
    default: 3001,
  }),
  corsOrigins: define<"*" | string[]>({
    placeholder: "LIST",
    description: "origins whose pages may read the API, comma-separated, or * for any",
    default: "*",
    parse: parseOrigins,
  }),
  workers: define({
    ...whole("N", "a number of processes", 0, 256),
    description: "processes that answer requests; 0 is one per processor",
    default: 1,
  }),
  cacheSize: define({
    ...whole("MIB", "a size in MiB", 0, 999_999),
    description: "memory for answers that are kept ready, in MiB per worker; 0 keeps none",
    default: 64,
  }),
  largeAnswers: define({
    ...whole("MIB", "a size in MiB", 1, 999_999),
    description: "memory for answers above 64 KiB while they are made, kept and read, in MiB per worker",
    default: 128,
  }),
  assetMemory: define({
    ...whole("MIB", "a size in MiB", 1, 999_999),
    description:
      "memory for images and files while they are sent, in MiB per worker; each that is under way takes 1/8 MiB",
    default: 32,
  }),
  explorer: defineSwitch({
    description: "shows the explorer, a page for people, at /",
    default: true,
  }),
  accessLog: defineSwitch({
    description: "on writes a JSON line for each request to standard output",
    default: false,
  }),
  logLevel: defineChoice({
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
