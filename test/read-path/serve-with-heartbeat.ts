// `lectern serve` with two workers and a heartbeat of the test's choice: LECTERN_TEST_HEARTBEAT, as JSON.
import { withServedStores } from "../../src/cli/serve/run-server.ts";
import { serveUntilSignal } from "../../src/cli/serve/run-server.ts";
import type { ServeOptions } from "../../src/cli/serve/serve.ts";
import type { Heartbeat } from "../../src/serving/run-worker.ts";

const options: ServeOptions = {
  database: process.env["LECTERN_DATABASE"] ?? "",
  poolSize: 2,
  connectTimeout: 2000,
  statementTimeout: 5000,
  host: "127.0.0.1",
  port: 0,
  adminHost: "127.0.0.1",
  adminPort: 0,
  workers: 2,
  cacheSize: 16,
  largeAnswers: 128,
  assets: "database",
  assetMemory: 16,
  readDatabase: undefined,
  corsOrigins: "*",
  explorer: false,
  search: false,
  searchDir: "",
  accessLog: false,
  trustProxy: undefined,
  accessLogClients: "full",
  keyLimit: "off",
  wrongKeyLimit: "off",
  assetLimit: "off",
  logLevel: "info",
};
const heartbeat = JSON.parse(process.env["LECTERN_TEST_HEARTBEAT"] ?? "") as Heartbeat;
await withServedStores(options, "supervisor", async (stores) => serveUntilSignal(stores, options, () => {}, heartbeat));
