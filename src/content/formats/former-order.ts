// What a course was called and how it was ordered before READMEs said so: it is not newer for that.
import type { FormerReading } from "../../catalog/course.ts";
import type { SourceEntry } from "../files/source-tree.ts";

/** Notes the order of each folder of a course as it was. */
export class FormerOrder {
  readonly #folders = new Map<string, readonly SourceEntry[]>();
  #isOther = false;

  /** Notes in which order the files and folders of a folder were read, and are. */
  add(folder: string, before: readonly SourceEntry[], now: readonly SourceEntry[]): void {
    this.#folders.set(folder, before);
    this.#isOther ||= before.some((entry, index) => entry !== now[index]);
  }

  /** Undefined where neither the order nor the name has changed. */
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
