// A search process that writes the projects of its searches to FILE (`bun held-searcher.ts FILE`), in order. It answers as many as
// the number in FILE.allowed says.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { FromSearch, ToSearch } from "../../src/search/search-child.ts";

const file = process.argv[2] ?? "";
let answered = 0;
const allowed = (): number => (existsSync(`${file}.allowed`) ? Number(readFileSync(`${file}.allowed`, "utf8")) : 0);
const tell = (message: FromSearch): void => void process.send?.(message);
async function answer({ id, request }: Extract<ToSearch, { type: "search" }>): Promise<void> {
  appendFileSync(`${file}.asked`, "");
  while (answered >= allowed()) await Bun.sleep(5);
  answered++;
  appendFileSync(file, `${request.release.project}\n`);
  tell({ type: "done", id, outcome: { status: "found", total: 0, results: [] } });
}
process.on("message", (message: ToSearch) => {
  if (message.type === "search") void answer(message);
});
process.on("disconnect", () => process.exit());
tell({ type: "ready" });
