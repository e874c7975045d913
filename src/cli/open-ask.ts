// Answers requests without a server, just as a server would answer them for a key of the channel.
import { BodyDamaged } from "../catalog/body.ts";
import { issueKey } from "../keys/issue-key.ts";
import type { Key } from "../keys/key.ts";
import type { Search } from "../search/searcher.ts";
import type { Store } from "../store/open-store.ts";

const MAX_ASSET_BYTES = 1024 * 1024;

/** The response, and the error that a server would log, if any. */
export interface Asked {
  response: Response;
  fault: unknown;
}

/** Answers a request for a path, by default with a key of the channel. Throws BodyDamaged. */
export type Ask = (path: string, options?: { method?: string; key?: string }) => Promise<Asked>;

/** Creates an Ask for the current state of the store. */
export async function openAsk(
  store: Store,
  { project, channel, drafts = false }: { project: string; channel: string; drafts?: boolean | undefined },
  searchTexts?: Search,
): Promise<Ask> {
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
    ...(searchTexts === undefined ? {} : { searchTexts }),
    pages: { description: readDescription() },
    logger: pino({ hooks: { logMethod: ([entry]) => void (fault = (entry as { err?: unknown }).err) } }),
  });
  context.state.apply(await readState(store.changes, store.keys));
  // Adds the key only to this process's keyring, not to the store.
  const keys = { insertKey: async (key: Key) => context.state.keyring.apply([key]) };
  const { secret } = await issueKey(keys, { project, channel, name: "get", drafts });
  return async (path, { method = "GET", key = secret } = {}) => {
    fault = undefined;
    const headers = new Headers(key === "" ? {} : { "x-api-key": key });
    const response = await handleRequest(new Request(`http://localhost${path}`, { method, headers }), context);
    if (fault instanceof BodyDamaged) throw new BodyDamaged(`The content at ${path} of project ${project}`, fault);
    return { response, fault };
  };
}
