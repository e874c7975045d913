import type { Command } from "commander";
import { BodyDamaged } from "../catalog/body.ts";
import { issueKey } from "../keys/issue-key.ts";
import type { Key } from "../keys/key.ts";
import { CommandFailure } from "./failure.ts";
import { describeMeant } from "./name-hints.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import type { Terminal } from "./terminal.ts";
import { withStore, type Session } from "./with-store.ts";

/** For one file. */
const MAX_ASSET_BYTES = 1024 * 1024;

type Options = SettingValues<"database" | "assets" | "project" | "channel", "project"> & { drafts?: boolean };

export function addGetCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("get <PATH>"), ["database", "assets", "project", "channel"])
    .option("--drafts")
    .action((path: string, options: Options) => {
      if (!path.startsWith("/")) throw new CommandFailure(`A path begins with a slash: /api/v1/courses, not ${path}.`);
      return withStore(terminal, options, (session) => getPath(session, path, options));
    });
}

async function getPath({ store, terminal }: Session, path: string, options: Options): Promise<void> {
  const { project, channel, drafts = false } = options;
  if (!(await store.publishing.listProjects()).includes(project)) {
    const meant = await describeMeant(store, { project });
    throw new CommandFailure(
      `There is no project ${project}.${meant} Make one: lectern import SOURCE --project ${project}`,
    );
  }
  // What answers requests is loaded only here: that takes longer than most commands.
  const { default: pino } = await import("pino");
  const { readState } = await import("../following/follow-store.ts");
  const { createRequestContext } = await import("../http/request-context.ts");
  const { handleRequest } = await import("../http/handle-request.ts");
  const { readDescription } = await import("./read-pages.ts");
  let fault: unknown;
  const context = createRequestContext({
    ...store,
    corsOrigins: "*",
    cacheBytes: 0,
    largeAnswerBytes: 0,
    assetBytes: MAX_ASSET_BYTES,
    pages: { description: readDescription() },
    logger: pino({ hooks: { logMethod: ([entry]) => void (fault = (entry as { err?: unknown }).err) } }),
  });
  context.state.apply(await readState(store.changes, store.keys));
  // A key of this process only, so that the request is answered as any other.
  const keys = { insertKey: async (key: Key) => context.state.keyring.apply([key]) };
  const { secret } = await issueKey(keys, { project, channel, name: "get", drafts });
  const request = new Request(`http://localhost${path}`, { headers: { "x-api-key": secret } });
  const response = await handleRequest(request, context);
  if (fault instanceof BodyDamaged) throw new BodyDamaged(`The content at ${path} of project ${project}`, fault);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  terminal.print([`HTTP ${response.status}`, ...headers, "", await response.text()].join("\n"));
  if (!response.ok) throw fault ?? new CommandFailure(`The answer is ${response.status}.`);
}
