// A folder that a test changes between imports.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { formatProblem } from "../../src/content/source.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import type { ImportOutcome } from "../../src/publishing/import-options.ts";
import type { Store } from "../../src/store/open-store.ts";
import { publishingAt } from "./in-process.ts";
import { createTestFolder } from "./store.ts";

export interface WrittenImportOptions {
  channel?: string;
  dryRun?: boolean;
  at?: string;
  assetBase?: string;
  lessonUrl?: string;
  /** Receives problems as printed, without the folder's path; by default there must be none. */
  problems?: string[];
}

export interface WrittenSource {
  path: string;
  write(path: string, text: string): void;
  move(from: string, to: string): void;
  remove(path: string): void;
  /** Imports the folder into the project; problems fail the test. */
  import(store: Store, options?: WrittenImportOptions): Promise<ImportOutcome>;
  drop(): void;
}

/** Creates a folder of courses. */
export function createWrittenSource(project = "acme"): WrittenSource {
  const folder = createTestFolder();
  const place = (path: string): string => {
    const whole = join(folder.path, path);
    mkdirSync(dirname(whole), { recursive: true });
    return whole;
  };
  return {
    path: folder.path,
    write: (path, text) => writeFileSync(place(path), text),
    move: (from, to) => renameSync(place(from), place(to)),
    remove: (path) => rmSync(place(path), { recursive: true }),
    async import(store, { channel = "live", dryRun = false, at = "2026-01-01T00:00:00.000Z", ...options } = {}) {
      const problems = options.problems ?? [];
      const assetBase = options.assetBase === undefined ? undefined : new URL(options.assetBase);
      const outcome = await importCatalog({
        ...publishingAt(store, project, at),
        channel,
        source: openFolderSource(folder.path, { assetBase }),
        dryRun,
        lessonUrl: options.lessonUrl,
        report: (problem) => problems.push(formatProblem(problem).replaceAll(`${folder.path}/`, "")),
      });
      if (options.problems === undefined && problems.length > 0) throw new Error(problems.join("; "));
      return outcome;
    },
    drop: folder.remove,
  };
}
