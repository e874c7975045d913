// A server with search, on both processors.
import { ENGINE_SETTINGS } from "../bin/engine-settings.mjs";
import { BUILT_PROGRAM } from "../bin/find-program.mjs";
import type { BenchCatalog } from "./catalogs.ts";
import { LECTERN_PORT } from "./compare-with-nginx.ts";

export interface SearchingServer extends AsyncDisposable {
  url: string;
  search(query: string): Promise<{ status: number; total: number }>;
  /** Returns the search process's ID; undefined before the first search. */
  findChild(): number;
}

/** Starts a server on both processors; the kernel schedules it. */
export async function startSearching(
  { database, key }: Pick<BenchCatalog, "database" | "key">,
  searchDir: string,
): Promise<SearchingServer> {
  const flags = ["--database", database, "--host", "127.0.0.1", "--port", String(LECTERN_PORT), "--admin-port", "0"];
  const command = [
    process.execPath,
    BUILT_PROGRAM,
    "serve",
    ...flags,
    "--search-dir",
    searchDir,
    "--log-level",
    "error",
  ];
  const child = Bun.spawn(command, {
    env: { ...ENGINE_SETTINGS, ...process.env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${LECTERN_PORT}`;
  while (
    await fetch(url).then(
      (answer) => !answer.ok,
      () => true,
    )
  )
    await Bun.sleep(20);
  return {
    url,
    async search(query) {
      const answer = await fetch(`${url}/api/v1/search?q=${encodeURIComponent(query)}`, {
        headers: { "x-api-key": key },
      });
      const { data } = (await answer.json()) as { data: { total?: number } };
      return { status: answer.status, total: data.total ?? 0 };
    },
    findChild: () =>
      Number(
        Bun.spawnSync(["pgrep", "-P", String(child.pid)])
          .stdout.toString()
          .trim()
          .split("\n")[0],
      ),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}
