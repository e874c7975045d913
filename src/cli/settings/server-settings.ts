// Where a server listens, what it may take of the machine, what it shows and logs.
import { InvalidArgumentError } from "commander";
import { define, defineChoice, defineSwitch, size, whole, type SettingWithDefault } from "./setting.ts";

export const serverSettings = {
  host: address("address on which the API listens", "0.0.0.0"),
  port: whole("N", 0, 65_535, 3000, "port of the API; 0 takes a free one"),
  adminHost: address("address on which /live, /ready and /metrics are served", "127.0.0.1"),
  adminPort: whole("N", 0, 65_535, 3001, "port of /live, /ready and /metrics; 0 takes a free one"),
  corsOrigins: define<"*" | string[]>({
    placeholder: "LIST",
    description: "origins whose pages may read the API, comma-separated, or * for any",
    default: "*",
    parse: parseOrigins,
  }),
  workers: whole("N", 0, 256, 1, "processes that answer requests; 0 is one per processor"),
  cacheSize: size("memory for cached answers of each worker; 0 caches none", 64, 0),
  largeAnswers: size("memory of each worker for answers above 64 KiB while they are made, cached and sent", 128),
  assetMemory: size("memory of each worker for files while they are sent; each takes 1/8 MiB", 32),
  explorer: defineSwitch("shows the explorer, a page for people, at /", true),
  accessLog: defineSwitch("on writes a JSON line for each request to standard output", false),
  logLevel: defineChoice({
    placeholder: "LEVEL",
    description: "least level of log lines",
    default: "info",
    choices: ["trace", "debug", "info", "warn", "error", "silent"],
  }),
};

function address(description: string, value: string): SettingWithDefault<string> {
  return { placeholder: "ADDRESS", description, default: value, parse: (text) => text };
}

function parseOrigins(text: string): "*" | string[] {
  if (text.trim() === "*") return "*";
  return text.split(",").map((part) => {
    const origin = part.trim();
    if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
    throw new InvalidArgumentError(`"${origin}" is not an origin such as https://www.example.org, without a path.`);
  });
}
