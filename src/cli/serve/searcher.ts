// The search process of a server. It receives its settings in the same way as a worker does.
import { runSearchChild } from "../../search/search-child.ts";
import { openStore } from "../../store/open-store.ts";
import type { ServeOptions } from "./serve.ts";
import { toPostgresOptions, WORKER_SETTINGS } from "./worker-settings.ts";

const options = JSON.parse(process.env[WORKER_SETTINGS] ?? "") as ServeOptions;
void run();

async function run(): Promise<void> {
  const { readDatabase, database, searchDir } = options;
  const postgres = { ...toPostgresOptions(options), poolSize: 1 };
  const store = await openStore(readDatabase ?? database, { create: false, trustsSchema: true, postgres });
  await runSearchChild(store, searchDir);
  await store.close();
}
