// A search process that answers after `bun held-searcher.ts FILE` finds FILE, and then writes the projects of its searches there, in order.
import { appendFileSync, existsSync } from "node:fs";
import type { FromSearch, ToSearch } from "../../src/search/search-child.ts";

const file = process.argv[2] ?? "";
const tell = (message: FromSearch): void => void process.send?.(message);
async function answer({ id, request }: Extract<ToSearch, { type: "search" }>): Promise<void> {
  appendFileSync(`${file}.asked`, "");
  while (!existsSync(file)) await Bun.sleep(5);
  appendFileSync(file, `${request.release.project}\n`);
  tell({ type: "done", id, outcome: { status: "found", total: 0, results: [] } });
}
process.on("message", (message: ToSearch) => {
  if (message.type === "search") void answer(message);
});
process.on("disconnect", () => process.exit());
tell({ type: "ready" });
