// Answers requests to a store in this process, as a server would, without a key of the project.
import { BodyDamaged } from "../catalog/body.ts";
import { issueKey } from "../keys/issue-key.ts";
import type { Key } from "../keys/key.ts";
import { CommandFailure } from "./failure.ts";
import { describeMeant } from "./name-hints.ts";
import type { Session } from "./with-store.ts";

/** For one file. */
const MAX_ASSET_BYTES = 1024 * 1024;

export interface AskedStore {
  project: string;
  channel: string;
  drafts?: boolean;
  searchDir: string;
}

/** Answers a GET for a path. Gives the answer, and the fault that its message hides. Throws CommandFailure for an unknown project. */
export async function askStore(
  { store, terminal }: Session,
  { project, channel, drafts = false, searchDir }: AskedStore,
  path: string,
): Promise<{ response: Response; text: string; fault: unknown }> {
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
  const { createLocalSearch } = await import("../search/local-search.ts");
  const { readDescription } = await import("./read-pages.ts");
  let fault: unknown;
  const searches = createLocalSearch(
    store,
    searchDir,
    ({ error }) => void (fault = error),
    () => terminal.showProgress(() => `Indexing project ${project}…`),
  );
  const context = createRequestContext({
    ...store,
    corsOrigins: "*",
    cacheBytes: 0,
    largeAnswerBytes: 0,
    assetBytes: MAX_ASSET_BYTES,
    searchTexts: searches.search,
    pages: { description: readDescription() },
    logger: pino({ hooks: { logMethod: ([entry]) => void (fault = (entry as { err?: unknown }).err) } }),
  });
  try {
    context.state.apply(await readState(store.changes, store.keys));
    // A key of this process only, so that the request is answered as any other.
    const keys = { insertKey: async (key: Key) => context.state.keyring.apply([key]) };
    const { secret } = await issueKey(keys, { project, channel, name: "get", drafts });
    const request = new Request(`http://localhost${path}`, { headers: { "x-api-key": secret } });
    const response = await handleRequest(request, context);
    if (fault instanceof BodyDamaged) throw new BodyDamaged(`The content at ${path} of project ${project}`, fault);
    return { response, text: await response.text(), fault };
  } finally {
    terminal.showProgress(undefined);
    searches.close();
  }
}
