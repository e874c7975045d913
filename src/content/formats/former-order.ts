// Records a course's former name and order, before READMEs set them, so that its dates do not change.
import type { FormerReading } from "../../catalog/course.ts";
import type { SourceEntry } from "../files/source-tree.ts";

/** Records the former order of each folder. */
export class FormerOrder {
  readonly #folders = new Map<string, readonly SourceEntry[]>();
  #isOther = false;

  /** Records a folder's former and current order. */
  add(folder: string, before: readonly SourceEntry[], now: readonly SourceEntry[]): void {
    this.#folders.set(folder, before);
    this.#isOther ||= before.some((entry, index) => entry !== now[index]);
  }

  /** Returns undefined if neither order nor name changed. */
  finish(root: string, nameBefore: string, nameNow: string): FormerReading | undefined {
    if (!this.#isOther && nameBefore === nameNow) return undefined;
    const files: string[] = [];
    const visit = (folder: string): void => {
      for (const { path, isFolder } of this.#folders.get(folder) ?? []) {
        if (isFolder) visit(path);
        else files.push(path.normalize("NFC"));
      }
    };
    visit(root);
    return { name: nameBefore, files };
  }
}
