// A folder that a test changes between imports.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { formatProblem } from "../../src/content/source.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import type { ImportOptions } from "../../src/publishing/import-options.ts";
import type { Store } from "../../src/store/open-store.ts";
import { publishingAt } from "./in-process.ts";
import { createTestFolder } from "./store.ts";

export interface WrittenImportOptions extends Partial<ImportOptions> {
  at?: string;
  assetBase?: string;
  /** Receives problems as printed, without the folder's path; by default there must be none. */
  problems?: string[];
}

export type WrittenSource = ReturnType<typeof createWrittenSource>;

/** Creates a folder of courses. */
export function createWrittenSource(project = "acme") {
  const folder = createTestFolder();
  const place = (path: string): string => {
    const whole = join(folder.path, path);
    mkdirSync(dirname(whole), { recursive: true });
    return whole;
  };
  return {
    path: folder.path,
    write: (path: string, text: string) => writeFileSync(place(path), text),
    move: (from: string, to: string) => renameSync(place(from), place(to)),
    remove: (path: string) => rmSync(place(path), { recursive: true }),
    /** Imports the folder into the project. */
    async import(store: Store, { at = "2026-01-01T00:00:00.000Z", assetBase, ...options }: WrittenImportOptions = {}) {
      const problems = options.problems ?? [];
      const outcome = await importCatalog({
        ...publishingAt(store, project, at),
        channel: "live",
        source: openFolderSource(folder.path, { assetBase: assetBase === undefined ? undefined : new URL(assetBase) }),
        report: (problem) => problems.push(formatProblem(problem).replaceAll(`${folder.path}/`, "")),
        ...options,
      });
      if (options.problems === undefined && problems.length > 0) throw new Error(problems.join("; "));
      return outcome;
    },
    drop: folder.remove,
  };
}
