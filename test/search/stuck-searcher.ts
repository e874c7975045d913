// A search process of which the first one never ends its search: `bun stuck-searcher.ts FILE` is the first while there is no such file.
// The next one has still to open its index when it gets its first search.
import { existsSync, writeFileSync } from "node:fs";
import type { FromSearch, ToSearch } from "../../src/search/search-child.ts";

const file = process.argv[2] ?? "";
const isFirst = !existsSync(file);
writeFileSync(file, "");
let isOpen = false;
const tell = (message: FromSearch): void => void process.send?.(message);
process.on("message", (message: ToSearch) => {
  if (message.type !== "search") return;
  const { id } = message;
  tell({ type: "begun", id });
  if (!isFirst)
    tell({ type: "done", id, outcome: isOpen ? { status: "found", total: 0, results: [] } : { status: "building" } });
  isOpen = true;
});
process.on("disconnect", () => process.exit());
tell({ type: "ready" });
