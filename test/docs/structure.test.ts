// Folders and layers import only what the tables of docs/architecture.md allow.
import { expect, test } from "bun:test";
import { dirname, join } from "node:path";

const PROJECT = join(import.meta.dir, "../..");
const text = await Bun.file(join(PROJECT, "docs/architecture.md")).text();

/** Folder → what it may import. */
const folders = new Map<string, string>();
/** Folder → its layers, leftmost first; those of one step share a list. */
const layers = new Map<string, string[][]>();
// The rows whose first cell names folders say it in the last cell.
for (const [, named = "", last = ""] of text.matchAll(/^\| (`[^|\n]*\/`) \|(?:[^|\n]*\|)* ([^|\n]+) \|$/gm)) {
  for (const [, name = ""] of named.matchAll(/`(?:src|packages)\/(\w+)\/`/g)) {
    const steps = last.split("→").map((step) => step.trim().split(", "));
    if (steps.length > 1) layers.set(name, steps);
    else folders.set(name, last);
  }
}

interface Place {
  folder: string;
  /** Undefined directly in the folder. */
  layer?: string;
  format?: string;
}

/** Undefined for files outside the folders: `src/main.ts` and others, `docs/`. */
function findPlace(path: string): Place | undefined {
  const parts = path
    .replace(/^(src|packages\/client\/src)\//, (_, root: string) => (root === "src" ? "" : "client/"))
    .split("/");
  const [folder = "", layer = "", format = ""] = parts;
  if (path.startsWith("docs/") || parts.length === 1) return undefined;
  return {
    folder,
    ...(parts.length > 2 && layers.has(folder) && { layer }),
    ...(parts.length > 3 && folder === "content" && layer === "formats" && { format }),
  };
}

function isAllowed(from: Place, to: Place): boolean {
  if (from.folder !== to.folder) {
    const allowed = folders.get(from.folder) ?? "";
    return allowed === "everything" || new RegExp(`\\b${to.folder}\\b`).test(allowed);
  }
  if (from.format !== undefined && to.format !== undefined && from.format !== to.format) {
    return from.format === "plain" && to.format === "mkdocs";
  }
  if (from.layer === undefined || to.layer === undefined || from.layer === to.layer) return true;
  const step = (layer: string): number => (layers.get(from.folder) ?? []).findIndex((each) => each.includes(layer));
  return step(to.layer) !== -1 && step(to.layer) < step(from.layer);
}

test("no import crosses a boundary of docs/architecture.md", async () => {
  const refused: string[] = [];
  const seen = new Set<string>();
  for (const root of ["src", "packages/client/src"]) {
    for await (const name of new Bun.Glob("**/*.{ts,tsx}").scan({ cwd: join(PROJECT, root) })) {
      const path = join(root, name);
      const from = findPlace(path);
      if (from === undefined) continue;
      seen.add(from.folder);
      const code = await Bun.file(join(PROJECT, path)).text();
      for (const [, target = ""] of code.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]+)"/g)) {
        const to = findPlace(join(dirname(path), target));
        if (to !== undefined && !isAllowed(from, to)) refused.push(`${path} imports ${target}`);
      }
    }
  }
  expect(refused).toEqual([]);
  expect([...seen].toSorted()).toEqual([...folders.keys()].toSorted());
});
