// Skips folders that, judging by their names, are not course content: packages, build output and test data.
import type { SourceEntry } from "../files/source-tree.ts";
import { listFirst } from "../quote.ts";
import type { CourseFolder } from "./format.ts";
import { isShownFolder } from "../lesson-files/lesson-names.ts";
import type { ListedOrders } from "./listed-order.ts";
import { holdsLessons } from "./numbers.ts";

const LEFT_OUT = new Set(["node_modules", "vendor", "dist", "_build", "_site", "fixtures", "testdata", "__pycache__"]);
const MAX_NAMED = 10;

/** Returns true for a folder with such a name, even if it contains lessons. */
export function isUsuallyLeftOut({ name, isFolder }: SourceEntry): boolean {
  return isFolder && LEFT_OUT.has(name);
}

/** The skipped folders of one course: no introduction links to them, and they contain no published lesson. */
export class LeftOutFolders {
  readonly #course: CourseFolder;
  readonly #paths = new Set<string>();

  constructor(course: CourseFolder) {
    this.#course = course;
  }

  /** Returns the paths of skipped folders that contain possible lessons, relative to the source root. */
  get paths(): ReadonlySet<string> {
    return this.#paths;
  }

  /** Returns true for a folder to search for lessons. */
  async isShown(entry: SourceEntry, orders: ListedOrders): Promise<boolean> {
    if (!isShownFolder(entry)) return false;
    if (!isUsuallyLeftOut(entry)) return true;
    if (this.#paths.has(entry.path)) return false;
    if ((await orders.linksInto(entry)) || (await this.#course.hasPublishedLessonIn(entry.path))) return true;
    if (await holdsLessons(this.#course.tree, entry)) this.#paths.add(entry.path);
    return false;
  }

  /** Reports the skipped folders in one line. */
  report(): void {
    if (this.#paths.size === 0) return;
    const { tree, folder, report } = this.#course;
    const shown = listFirst([...this.#paths], MAX_NAMED);
    const message = `folders with these names are skipped unless a README links to them: ${shown}`;
    report({ kind: "unused-file", file: tree.toTypedPath(folder), message });
  }
}
