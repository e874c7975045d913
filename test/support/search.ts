// Servers with search, and their results.
import { fileURLToPath } from "node:url";
import type { BuiltPages } from "../../src/http/pages/serve-pages.ts";
import { SearchProcess } from "../../src/search/search-process.ts";
import type { SearchResultDocument } from "../../src/catalog/documents.ts";
import { createTestFolder, type TestStore } from "./store.ts";
import { createLog, HANGS_AFTER_MS, startTestServer, waitFor, type Answer, type RequestOptions } from "./server.ts";

const SEARCHER = fileURLToPath(new URL("../../src/cli/serve/searcher.ts", import.meta.url));

export type SearchServer = Awaited<ReturnType<typeof startSearchServer>>;
export type Found = Awaited<ReturnType<SearchServer["read"]>>;

export interface SearchServerOptions {
  searchDir?: string;
  maxSearchMs?: number;
  pages?: BuiltPages;
  /** Starts the command line of the search process. */
  prefix?: string[];
  /** Replaces the search process. */
  searcher?: string[];
  /** The clock that measures searches. */
  now?: () => number;
}

export async function startSearchServer(
  database: TestStore,
  { searchDir, maxSearchMs = HANGS_AFTER_MS, pages = {}, prefix = [], searcher, now }: SearchServerOptions = {},
) {
  const folder = createTestFolder();
  const dir = searchDir ?? `${folder.path}/search`;
  const { logger, log: searchLog } = createLog();
  const pool = { poolSize: 1, connectTimeout: 10_000, statementTimeout: 0 };
  const settings = { database: database.url, searchDir: dir, ...pool };
  const searchProcess = new SearchProcess({
    command: [...prefix, ...(searcher ?? [process.execPath, SEARCHER])],
    environment: { LECTERN_WORKER_SETTINGS: JSON.stringify(settings) },
    maxSearchMs,
    now,
    logger,
  });
  const server = await startTestServer(database.store, { searchProcess, pages });
  /** Retries until the release is indexed. `query` follows the `?`. */
  const ask = async (query: string, options: RequestOptions): Promise<Answer> => {
    let answer = await server.get(`/api/v1/search?${query}`, options);
    await waitFor(async () => {
      if (!answer.text.includes("is being built")) return true;
      answer = await server.get(`/api/v1/search?${query}`, options);
      return false;
    });
    return answer;
  };
  const read = async (query: string, key: string) => {
    const { status, text } = await ask(query, { key });
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    return (JSON.parse(text) as { data: { total: number; results: SearchResultDocument[] } }).data;
  };
  return {
    ...server,
    searchDir: dir,
    searchLog,
    ask,
    read,
    /** Results for a text, as `course/lesson`. Throws unless the status is 200. */
    async find(text: string, key: string, more = "") {
      const { total, results } = await read(`q=${encodeURIComponent(text)}${more}`, key);
      if (results.length < Math.min(total, 20) && more === "") throw new Error(`${results.length} of ${total}`);
      return results.map(({ courseId, lessonId }) => `${courseId}/${lessonId}`);
    },
    async stop() {
      await server.stop();
      folder.remove();
    },
  };
}
