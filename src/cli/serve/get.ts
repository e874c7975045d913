import type { Command } from "commander";
import { CommandFailure } from "../failure.ts";
import { openAsk } from "../open-ask.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { describeMeant } from "../terminal/name-hints.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withStore, type Session } from "../with-store.ts";

const SETTINGS = ["database", "assets", "project", "channel", "searchDir"] as const;

type Options = SettingValues<(typeof SETTINGS)[number], "project"> & { drafts?: boolean };

export function addGetCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("get <PATH>"), SETTINGS)
    .option("--drafts")
    .action((path: string, options: Options) => {
      if (!path.startsWith("/"))
        throw new CommandFailure(`Invalid PATH \`${path}\`. A path begins with a slash: /api/v1/courses.`);
      return withStore(terminal, options, (session) => getPath(session, path, options));
    });
}

async function getPath(session: Session, path: string, options: Options): Promise<void> {
  const { response, text, fault } = await askStore(session, options, path);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  session.terminal.print([`HTTP ${response.status}`, ...headers, "", text].join("\n"));
  if (!response.ok) throw fault ?? new CommandFailure(`The status is ${response.status}.`);
}

interface AskedStore {
  project: string;
  channel: string;
  drafts?: boolean;
  searchDir: string;
}

/**
 * Answers a GET request for a path. Also returns the error that caused a failed answer, because the answer does not
 * describe it. Throws CommandFailure if the project is unknown.
 */
export async function askStore(
  { store, terminal }: Session,
  { searchDir, ...asked }: AskedStore,
  path: string,
): Promise<{ response: Response; text: string; fault: unknown }> {
  const { project } = asked;
  if (!(await store.publishing.listProjects()).includes(project)) {
    const meant = await describeMeant(store, { project });
    throw new CommandFailure(
      `There is no project ${project}.${meant} Create it: lectern import SOURCE --project ${project}`,
    );
  }
  const { createLocalSearch } = await import("../../search/search-indexes.ts");
  let searchFault: unknown;
  const searches = createLocalSearch(
    store,
    searchDir,
    ({ error }) => void (searchFault = error),
    () => terminal.showProgress(() => `Indexing project ${project}…`),
  );
  try {
    const ask = await openAsk(store, asked, searches.search);
    const { response, fault } = await ask(path);
    return { response, text: await response.text(), fault: fault ?? searchFault };
  } finally {
    terminal.showProgress(undefined);
    searches.close();
  }
}
