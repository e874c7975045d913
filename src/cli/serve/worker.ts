// A process of `lectern serve --workers N`. It receives its settings as JSON in an environment variable, because other
// users could read a password in a command line.
import { answerBeats, runWorker } from "../../serving/run-worker.ts";
import { toServerOptions, withServedStores } from "./run-server.ts";
import { WORKER_SETTINGS } from "./worker-settings.ts";
import type { ServeOptions } from "./serve.ts";

answerBeats();
const options = JSON.parse(process.env[WORKER_SETTINGS] ?? "") as ServeOptions;
void withServedStores(options, "worker", async (stores) =>
  runWorker({ ...toServerOptions(stores, options), searches: options.search }),
);
