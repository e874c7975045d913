// Folders whose names say that what is in them was not written for the course: packages, what was built, data of tests.
import type { SourceEntry } from "../files/source-tree.ts";
import { cutTexts } from "../quote.ts";
import type { CourseFolder } from "./format.ts";
import { isShownFolder } from "./lesson-entries.ts";
import type { ListedOrders } from "./listed-order.ts";
import { holdsLessons } from "./numbers.ts";

const LEFT_OUT = new Set(["node_modules", "vendor", "dist", "_build", "_site", "fixtures", "testdata", "__pycache__"]);
const MAX_NAMED = 10;

/** True for a folder of such a name, which may hold lessons all the same. */
export function isUsuallyLeftOut({ name, isFolder }: SourceEntry): boolean {
  return isFolder && LEFT_OUT.has(name);
}

/** The folders of one course that are left out: an introduction links to nothing in them, and readers know no lesson of them. */
export class LeftOutFolders {
  readonly #course: CourseFolder;
  readonly #paths = new Set<string>();

  constructor(course: CourseFolder) {
    this.#course = course;
  }

  /** Those that hold what would be lessons, relative to the source's root. */
  get paths(): ReadonlySet<string> {
    return this.#paths;
  }

  /** True for a folder in which lessons are looked for. */
  async isShown(entry: SourceEntry, orders: ListedOrders): Promise<boolean> {
    if (!isShownFolder(entry)) return false;
    if (!isUsuallyLeftOut(entry)) return true;
    if (this.#paths.has(entry.path)) return false;
    if ((await orders.linksInto(entry)) || (await this.#course.showsLessonIn(entry.path))) return true;
    if (await holdsLessons(this.#course.tree, entry)) this.#paths.add(entry.path);
    return false;
  }

  /** Tells of them in one line. */
  tell(): void {
    const { size } = this.#paths;
    if (size === 0) return;
    const { tree, folder, report } = this.#course;
    const shown = cutTexts(...[...this.#paths].slice(0, MAX_NAMED)).join(", ");
    const more = size > MAX_NAMED ? `, and ${(size - MAX_NAMED).toLocaleString("en-US")} more` : "";
    const message = `what is in folders of these names is no lesson, unless a README links to it: ${shown}${more}`;
    report({ kind: "unused-file", file: tree.toTypedPath(folder), message });
  }
}
