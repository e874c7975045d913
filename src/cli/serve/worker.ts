// The process that `lectern serve --workers N` starts N times. Its settings come as JSON in an environment variable: other
// users could read a password in its command line.
import { answerBeats, runWorker } from "../../serving/run-worker.ts";
import { toServerOptions, withServedStores } from "./run-server.ts";
import { WORKER_SETTINGS } from "./worker-settings.ts";
import type { ServeOptions } from "./serve.ts";

answerBeats();
const options = JSON.parse(process.env[WORKER_SETTINGS] ?? "") as ServeOptions;
void withServedStores(options, "worker", async (stores) =>
  runWorker({ ...toServerOptions(stores, options), searches: options.search }),
);
