// Imports the example catalog three times into a temporary database and queries it in this process, for the examples in
// the OpenAPI document.
import { appendFile, cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openAsk } from "../cli/open-ask.ts";
import { openFolderSource } from "../content/readers/folder.ts";
import { importCatalog } from "../publishing/import-catalog.ts";
import { LinkedFiles } from "../publishing/linked-files.ts";
import { pruneReleases } from "../publishing/publish.ts";
import { createLocalSearch } from "../search/search-indexes.ts";
import { openStore, type Store } from "../store/open-store.ts";

const TARGET = { project: "demo", channel: "live" };
const CATALOG = fileURLToPath(new URL("../../examples/catalog", import.meta.url));
/** The texts to append to files before each import; none before the first. */
const EDITS: Record<string, string>[] = [
  {},
  { "how-sound-works/README.md": "\nThe course grows.\n" },
  {
    "ca-phe-sua-da/brewing/phin.md": "\nRinse the phin at once: dried coffee closes its holes.\n",
    "how-sound-works/02-hearing/03-silence.md": "# Silence\n\nNo room is silent. Your own blood is loud enough.\n",
  },
];
const MAX_FILE_BYTES = 1024 * 1024;

export interface ExampleService {
  /** Requests a path, by default with a key. The `body` is undefined if empty. */
  ask(path: string, options?: { method?: string; key?: string }): Promise<{ status: number; body: unknown }>;
  close(): Promise<void>;
}

/** Opens the service. Releases 2 and 3 are readable, release 1 is pruned, and all times are fixed. */
export async function openExampleService(): Promise<ExampleService> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-openapi-"));
  const store = await openStore(`sqlite:${join(folder, "examples.db")}`, { create: true });
  await publishEdits(store, join(folder, "catalog"));
  const searches = createLocalSearch(store, join(folder, "search"), ({ error }) => {
    throw error;
  });
  const ask = await openAsk(store, TARGET, searches.search);
  return {
    async ask(path, options) {
      const { response } = await ask(path, options);
      const body = await response.text();
      return { status: response.status, body: body === "" ? undefined : JSON.parse(body) };
    },
    async close() {
      searches.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function publishEdits(store: Store, catalog: string): Promise<void> {
  await cp(CATALOG, catalog, { recursive: true });
  const context = { ...TARGET, store: store.publishing };
  for (const [index, edits] of EDITS.entries()) {
    for (const [file, text] of Object.entries(edits)) await appendFile(join(catalog, file), text);
    const linked = new LinkedFiles(new URL("http://localhost:3000"), MAX_FILE_BYTES);
    const outcome = await importCatalog({
      ...context,
      source: openFolderSource(catalog, { assetBase: undefined, files: linked }),
      files: { linked, assets: store.assets },
      now: () => new Date(Date.UTC(2026, 2, 10 + index, 9)),
      report: () => {},
    });
    if (outcome.status !== "published") throw new Error(`the example catalog is ${outcome.status}`);
  }
  await pruneReleases({ ...context, now: () => new Date(Date.UTC(2026, 3, 1)) }, 2);
}
