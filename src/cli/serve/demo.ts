import type { Command } from "commander";
import { issueKey } from "../../keys/issue-key.ts";
import { toPrintable } from "../../catalog/printable.ts";
import { withProjectFolder } from "../../program-files.ts";
import { startListening } from "../../serving/listen.ts";
import { openStore } from "../../store/open-store.ts";
import { runImport } from "../publish/import.ts";
import { createLinkedFiles } from "../write/source-options.ts";
import type { ServeOptions } from "./serve.ts";
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import { addSettings, DEFAULTS, SERVE_SETTINGS } from "../settings/settings.ts";
import { toAssetFolder } from "../settings/setting-values.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { toPostgresOptions } from "./worker-settings.ts";

const PROJECT = "demo";
const CATALOG = "examples/catalog";
/** Paths that show the API's main operations. */
const EXAMPLES = [
  "/courses",
  "/courses?name=COFFEE",
  "/courses/vietnamese-coffee",
  "/courses/vietnamese-coffee/lessons",
  "/courses/vietnamese-coffee/lessons/phin",
];

export function addDemoCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("demo"), SERVE_SETTINGS).action((options: ServeOptions) => runDemo(options, terminal));
}

async function runDemo(given: ServeOptions, terminal: Terminal): Promise<void> {
  findPort("admin-", given.adminHost, given.adminPort);
  // An import stores the URLs of files, so the port must be known before the server listens.
  const options = { ...given, port: findPort("", given.host, given.port) };
  const { serveUntilSignal } = await import("./run-server.ts");
  const store = await openStore(options.database, {
    create: true,
    tell: (text) => terminal.note(toPrintable(text)),
    postgres: toPostgresOptions(options),
    assetFolder: toAssetFolder(options.assets),
  });
  if ((await store.publishing.findCurrentRelease(PROJECT, LIVE_CHANNEL)) === undefined) {
    const { openFolderSource } = await import("../../content/readers/folder.ts");
    const publicUrl = new URL(`http://localhost:${options.port}`);
    const linked = createLinkedFiles({ publicUrl, maxAssetSize: DEFAULTS.maxAssetSize });
    await withProjectFolder(CATALOG, async (folder) => {
      const source = openFolderSource(folder, { assetBase: undefined, files: linked });
      await runImport({ store, terminal }, source, { project: PROJECT, channel: LIVE_CHANNEL, linked });
    });
  }
  const hasKey = (await store.keys.listKeys(PROJECT)).length > 0;
  const secret = hasKey
    ? undefined
    : (await issueKey(store.keys, { project: PROJECT, channel: LIVE_CHANNEL, name: "demo", drafts: false })).secret;
  await serveUntilSignal({ primary: store, content: store }, options, ({ port }) => {
    const base = `http://localhost:${port}/api/v1`;
    const curl = EXAMPLES.map((path) => `  curl -H 'x-api-key: ${secret ?? "YOUR_KEY"}' '${base}${path}'`);
    const page = options.explorer ? `Read it in a browser, with the key: http://localhost:${port}/\n` : "";
    terminal.print(
      `\nLectern serves at ${base}\n${page}${formatKeyNote(secret, options.database)}\n\nTry it:\n${curl.join("\n")}\n`,
    );
  });
}

/** Returns the given port or, for 0, a free one. Throws if the port is in use, before the demo changes anything. */
function findPort(prefix: "" | "admin-", hostname: string, port: number): number {
  return startListening(prefix, hostname, port, () => {
    const server = Bun.serve({ hostname, port, fetch: () => new Response() });
    const free = server.port ?? port;
    void server.stop(true);
    return free;
  });
}

function formatKeyNote(secret: string | undefined, database: string): string {
  if (secret !== undefined) return `Your API key, shown only once: ${secret}`;
  const isDefault = database === DEFAULTS.database;
  // The URL of a PostgreSQL database can contain a password.
  const shown = database.startsWith("sqlite:") ? database : "URL";
  const elsewhere = isDefault ? "" : ` --database '${shown}'`;
  return (
    "The courses and a key already exist. A key is shown only once; create another:\n" +
    `  lectern keys create --project ${PROJECT}${elsewhere}`
  );
}
