// Answers one request, which can be a search, from a store in this process.
import { CommandFailure } from "../failure.ts";
import { describeMeant } from "../terminal/name-hints.ts";
import { openAsk } from "../open-ask.ts";
import type { Session } from "../with-store.ts";

export interface AskedStore {
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
