// The process that `lectern serve --workers N` starts N times. Its one argument holds all settings, as JSON.
import { runWorker } from "../http/run-worker.ts";
import { toServerOptions, type ServeOptions } from "./serve.ts";
import { withStore } from "./with-store.ts";

const options = JSON.parse(process.argv[2] ?? "") as ServeOptions;
await withStore(options.database, async (store) => runWorker(toServerOptions(store, options)));
