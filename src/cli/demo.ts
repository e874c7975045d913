import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { openFolderSource } from "../content/folder.ts";
import { openStore } from "../store/open-store.ts";
import { runImport } from "./import.ts";
import { issueKey } from "./keys.ts";
import { SERVE_SETTINGS, serveUntilSignal, type ServeOptions } from "./serve.ts";
import { addSettings } from "./settings.ts";

const PROJECT = "demo";
const CATALOG = fileURLToPath(new URL("../../examples/catalog", import.meta.url));

/** Adds `lectern demo`: what `npm start` runs. */
export function addDemoCommand(program: Command): void {
  const command = program
    .command("demo")
    .summary("try it: publish example courses, make a key, serve")
    .description(
      "Publishes the example courses in project demo and makes a key, unless the database has them already; then\n" +
        "serves like `lectern serve`.",
    );
  addSettings(command, [...SERVE_SETTINGS])
    .addHelpText("after", "\nExample:\n  lectern demo --port 8080")
    .action(runDemo);
}

async function runDemo(options: ServeOptions): Promise<void> {
  const { database } = options;
  const store = await openStore(database);
  const isNew = (await store.publishing.findCurrentRelease(PROJECT, "live")) === undefined;
  if (isNew) {
    await runImport(openFolderSource(CATALOG, { assetBase: undefined }), { database, project: PROJECT });
  }
  const hasKey = (await store.keys.listKeys(PROJECT)).length > 0;
  const key = hasKey ? undefined : await issueKey(store, { project: PROJECT, name: "demo", drafts: false });
  await serveUntilSignal(store, options, ({ port }) => {
    const base = `http://localhost:${port}/api/v1`;
    const secret = key?.secret ?? "YOUR_KEY";
    console.log(`
Lectern serves at ${base}
${
  key === undefined
    ? `Its data was here already. Keys are shown only once; another one:
  npx lectern keys create --project ${PROJECT}${database === "sqlite:./data/lectern.db" ? "" : ` --database ${database}`}`
    : `Your API key, shown this once:
  ${key.secret}`
}

Try it:
  curl -H 'x-api-key: ${secret}' '${base}/courses'
  curl -H 'x-api-key: ${secret}' '${base}/courses/PLACEHOLDER_SLUG'
`);
  });
}
