// Recognizes the files of the database, which no source publishes, by whatever name a source reaches them.
import { readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { toNfc } from "../../catalog/fold-name.ts";

const QUIET = { throwIfNoEntry: false } as const;

export class DatabaseFence {
  readonly #file: Stats | undefined;
  /** The folders that can contain the database's log, locks and copies, and the names with which these begin. */
  readonly #places: { folder: Stats; names: string[] }[] = [];

  constructor(path: string) {
    const file = statSync(path, QUIET);
    this.#file = file;
    for (const each of new Set([path, file === undefined ? path : realpathSync(path)])) {
      const folder = statSync(dirname(each), QUIET);
      if (folder === undefined) continue;
      // File systems can open the database by other names than its folder lists.
      const isListed = (name: string): boolean => isSame(statSync(join(dirname(each), name), QUIET), file);
      const listed = file === undefined ? [] : readdirSync(dirname(each)).filter(isListed);
      this.#places.push({ folder, names: [basename(each), ...listed].map(ignoreCase) });
    }
  }

  /** Returns true for a real path to the database, or to its log, locks and copies. */
  hides(path: string, found: Stats): boolean {
    if (isSame(found, this.#file)) return true;
    for (let at = path; at !== dirname(at); at = dirname(at)) {
      const name = ignoreCase(basename(at));
      const isNamed = (start: string): boolean =>
        name.startsWith(start) && /^(?:[-.]|$)/.test(name.slice(start.length));
      for (const { folder, names } of this.#places) {
        if (names.some(isNamed) && isSame(statSync(dirname(at), QUIET), folder)) return true;
      }
    }
    return false;
  }
}

function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

function ignoreCase(name: string): string {
  return toNfc(name).toLowerCase();
}
