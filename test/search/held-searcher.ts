// A search process that answers after `bun held-searcher.ts FILE` finds FILE, and then writes the projects of its searches there, in order.
import { appendFileSync, existsSync } from "node:fs";
import type { FromSearch, ToSearch } from "../../src/search/search-child.ts";

const file = process.argv[2] ?? "";
const tell = (message: FromSearch): void => void process.send?.(message);
process.on("message", async (message: ToSearch) => {
  if (message.type !== "search") return;
  const { id, request } = message;
  appendFileSync(`${file}.asked`, "");
  while (!existsSync(file)) await Bun.sleep(5);
  appendFileSync(file, `${request.release.project}\n`);
  tell({ type: "done", id, outcome: { status: "found", total: 0, results: [] } });
});
process.on("disconnect", () => process.exit());
tell({ type: "ready" });
