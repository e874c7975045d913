// `lectern serve` with a heartbeat of the test's choice: LECTERN_TEST_HEARTBEAT, as JSON.
import { Command } from "commander";
import { serveUntilSignal, withServedStores } from "../../src/cli/serve/run-server.ts";
import type { ServeOptions } from "../../src/cli/serve/serve.ts";
import { addSettings, SERVE_SETTINGS } from "../../src/cli/settings/settings.ts";
import type { Heartbeat } from "../../src/serving/run-worker.ts";

const heartbeat = JSON.parse(process.env["LECTERN_TEST_HEARTBEAT"] ?? "") as Heartbeat;
await addSettings(new Command(), [...SERVE_SETTINGS, "readDatabase"])
  .action(async (options: ServeOptions) =>
    withServedStores(options, "supervisor", async (stores) => serveUntilSignal(stores, options, () => {}, heartbeat)),
  )
  .parseAsync();
