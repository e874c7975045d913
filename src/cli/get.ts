import type { Command } from "commander";
import type { RequestContext } from "../http/request-context.ts";
import type { Key } from "../keys/key.ts";
import { createSecret, digestSecret } from "../keys/secret.ts";
import type { Store } from "../store/open-store.ts";
import { CommandFailure } from "./failure.ts";
import { refuseUnknownProject } from "./name-hints.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import { toAssetFolder } from "./settings/database-settings.ts";
import type { Terminal } from "./terminal.ts";
import { withStore } from "./with-store.ts";

/** For one file. */
const MAX_ASSET_BYTES = 1024 * 1024;

type Options = SettingValues<"database" | "assets" | "project" | "channel", "project"> & { drafts?: boolean };

/** Adds `lectern get`. */
export function addGetCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("get")
    .summary("answer one request without a server")
    .description(
      "Answers one request in this process, as a server on this database would for a key of the project, and prints " +
        "status, headers and body. No server and no key are needed.",
    )
    .argument("<PATH>", "path and query, such as '/api/v1/courses?name=maps'");
  addSettings(command, ["database", "assets", "project", "channel"], ["project"])
    .option("--drafts", "as a key that reads drafts too")
    .addHelpText(
      "after",
      `
Examples:
  lectern get /api/v1/courses --project demo
  lectern get '/api/v1/courses/coffee?release=1' --project demo --channel pr-42`,
    )
    .action((path: string, options: Options) => getPath(path, options, terminal));
}

async function getPath(
  path: string,
  { database, assets: storage, project, channel, drafts = false }: Options,
  terminal: Terminal,
): Promise<void> {
  if (!path.startsWith("/")) throw new CommandFailure(`A path begins with a slash: /api/v1/courses, not ${path}.`);
  const answer = async (store: Store): Promise<void> => {
    await refuseUnknownProject(store, { project });
    // A key that exists only in this process, so that the request is handled as any other.
    const secret = createSecret();
    const context = await createContext(store, {
      id: "get",
      project,
      channel,
      name: "",
      digest: digestSecret(secret),
      lastFour: "",
      drafts,
      createdAt: new Date().toISOString(),
      expiresAt: undefined,
      revokedAt: undefined,
      lastUsedAt: undefined,
    });
    const { handleRequest } = await import("../http/handle-request.ts");
    const request = new Request(`http://localhost${path}`, { headers: { "x-api-key": secret } });
    const response = await handleRequest(request, context);
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    terminal.print([`HTTP ${response.status}`, ...headers, "", await response.text()].join("\n"));
    if (!response.ok) throw new CommandFailure(`The answer is ${response.status}.`);
  };
  await withStore(database, answer, { create: false, assetFolder: toAssetFolder(storage) });
}

/** What answers requests is loaded only here: that takes longer than most commands. */
async function createContext(store: Store, key: Key): Promise<RequestContext> {
  const { default: pino } = await import("pino");
  const { readState } = await import("../following/follow-store.ts");
  const { createRequestContext } = await import("../http/request-context.ts");
  const { readDescription } = await import("./read-pages.ts");
  const context = createRequestContext({
    ...store,
    corsOrigins: "*",
    cacheBytes: 0,
    largeAnswerBytes: 0,
    assetBytes: MAX_ASSET_BYTES,
    pages: { description: readDescription() },
    logger: pino(pino.destination(2)),
  });
  context.state.apply(await readState(store.changes, store.keys));
  context.state.keyring.apply([key]);
  return context;
}
