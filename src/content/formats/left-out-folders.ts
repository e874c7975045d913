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
  readonly #links = new Set<string>();

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

  /** Removes links to folders, since they can form a cycle, and notes those that lead to lessons. */
  async withoutLinks(entries: readonly SourceEntry[]): Promise<SourceEntry[]> {
    const links = entries.filter(({ isFolder, isLink }) => isFolder && isLink);
    for (const link of links) if (await holdsLessons(this.#course.tree, link)) this.#links.add(link.path);
    return entries.filter((entry) => !links.includes(entry));
  }

  /** Reports the skipped folders in one line, and the skipped links in another. */
  report(): void {
    const { tree, folder, report } = this.#course;
    const tell = (message: string, paths: ReadonlySet<string>): void => {
      const shown = `${message}: ${listFirst([...paths], MAX_NAMED)}`;
      if (paths.size > 0) report({ kind: "unused-file", file: tree.toTypedPath(folder), message: shown });
    };
    tell("folders with these names are skipped unless a README links to them", this.#paths);
    tell("these links to folders with lessons are not followed", this.#links);
  }
}
