import type { Command } from "commander";
import pino from "pino";
import { createRequestContext } from "../http/request-context.ts";
import { readState } from "../following/follow-store.ts";
import { handleRequest } from "../http/handle-request.ts";
import { createSecret, digestSecret } from "../keys/secret.ts";
import { CommandFailure } from "./failure.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import { withStore } from "./with-store.ts";

type Options = SettingValues<"database" | "project" | "channel", "project"> & { drafts?: boolean };

/** Adds `lectern get`. */
export function addGetCommand(program: Command): void {
  const command = program
    .command("get")
    .summary("answer one request without a server")
    .description(
      "Answers one request in this process, as a server on this database would for a key of the project, and prints " +
        "status, headers and body. No server and no key are needed.",
    )
    .argument("<PATH>", "path and query, such as '/api/v1/courses?name=maps'");
  addSettings(command, ["database", "project", "channel"], ["project"])
    .option("--drafts", "as a key that reads drafts too")
    .addHelpText(
      "after",
      `
Examples:
  lectern get /api/v1/courses --project demo
  lectern get '/api/v1/courses/coffee?release=1' --project demo --channel pr-42`,
    )
    .action(getPath);
}

async function getPath(path: string, { database, project, channel, drafts = false }: Options): Promise<void> {
  if (!path.startsWith("/")) throw new CommandFailure(`A path begins with a slash: /api/v1/courses, not ${path}.`);
  await withStore(database, async (store) => {
    const logger = pino(pino.destination(2));
    const { catalog, isUnavailable } = store;
    const context = createRequestContext({
      catalog,
      isUnavailable,
      corsOrigins: "*",
      cacheBytes: 0,
      largeAnswerBytes: 0,
      logger,
    });
    context.state.apply(await readState(store.changes, store.keys));
    // A key that exists only in this process, so that the request is handled as any other.
    const secret = createSecret();
    const at = new Date().toISOString();
    context.state.keyring.apply([
      {
        id: "get",
        project,
        channel,
        name: "",
        digest: digestSecret(secret),
        lastFour: "",
        drafts,
        createdAt: at,
        expiresAt: undefined,
        revokedAt: undefined,
        lastUsedAt: undefined,
      },
    ]);
    const request = new Request(`http://localhost${path}`, { headers: { "x-api-key": secret } });
    const response = await handleRequest(request, context);
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    console.log([`HTTP ${response.status}`, ...headers, "", await response.text()].join("\n"));
    if (!response.ok) throw new CommandFailure(`The answer is ${response.status}.`);
  });
}
