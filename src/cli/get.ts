import type { Command } from "commander";
import { openAsk } from "./open-ask.ts";
import { CommandFailure } from "./failure.ts";
import { describeMeant } from "./name-hints.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import type { Terminal } from "./terminal.ts";
import { withStore, type Session } from "./with-store.ts";

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
  const ask = await openAsk(store, { project, channel, drafts });
  const { response, fault } = await ask(path);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  terminal.print([`HTTP ${response.status}`, ...headers, "", await response.text()].join("\n"));
  if (!response.ok) throw fault ?? new CommandFailure(`The answer is ${response.status}.`);
}
