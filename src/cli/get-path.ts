// What `lectern get` does, apart from its command: what answers requests is loaded only where one is answered.
import pino from "pino";
import { readState } from "../following/follow-store.ts";
import { handleRequest } from "../http/handle-request.ts";
import { createRequestContext } from "../http/request-context.ts";
import { createSecret, digestSecret } from "../keys/secret.ts";
import { CommandFailure } from "./failure.ts";
import type { GetOptions } from "./get.ts";
import { refuseUnknownProject } from "./name-hints.ts";
import { readDescription } from "./read-description.ts";
import type { Store } from "../store/open-store.ts";
import { toAssetFolder } from "./settings/database-settings.ts";
import { withStore } from "./with-store.ts";
import type { Terminal } from "./terminal.ts";

/** For one file. */
const MAX_ASSET_BYTES = 1024 * 1024;

/** Answers the request for a path and prints the answer. Throws CommandFailure, also when the answer is an error. */
export async function getPath(
  path: string,
  { database, assets: storage, project, channel, drafts = false }: GetOptions,
  terminal: Terminal,
): Promise<void> {
  if (!path.startsWith("/")) throw new CommandFailure(`A path begins with a slash: /api/v1/courses, not ${path}.`);
  const answer = async (store: Store): Promise<void> => {
    await refuseUnknownProject(store, { project });
    const logger = pino(pino.destination(2));
    const { catalog, assets, isUnavailable } = store;
    const context = createRequestContext({
      catalog,
      assets,
      isUnavailable,
      corsOrigins: "*",
      cacheBytes: 0,
      largeAnswerBytes: 0,
      assetBytes: MAX_ASSET_BYTES,
      pages: { description: readDescription() },
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
    terminal.print([`HTTP ${response.status}`, ...headers, "", await response.text()].join("\n"));
    if (!response.ok) throw new CommandFailure(`The answer is ${response.status}.`);
  };
  await withStore(database, answer, { create: false, assetFolder: toAssetFolder(storage) });
}
