// Finds the lesson that a link points to: first in the link's own course, then in the others.
import { join } from "node:path/posix";
import type { LinkTarget } from "../../catalog/course.ts";
import { splitSourcePath } from "../../catalog/source-path.ts";
import { findFragment } from "../html/fragments.ts";
import { decodeUrl, toReadUrl } from "../html/links.ts";
import { lowerEnding } from "../lesson-files/lesson-names.ts";
import { listMeantFiles, type CourseLessons, type LessonPlace } from "../formats/course-lessons.ts";

/** The maximum length and depth of a link to look up, which limit the time for hostile links. */
const MAX_PATH = 2000;
const MAX_SEGMENTS = 32;

/** The lessons in all of a source's courses. */
export class SourceLessons {
  readonly #byFolder = new Map<string, CourseLessons>();
  /** Courses by file, for lessons that are translated or outside the course's folder. */
  readonly #byFile = new Map<string, CourseLessons>();

  add(course: CourseLessons): void {
    const isOriginal = course.key === course.folder;
    if (isOriginal) this.#byFolder.set(course.folder, course);
    for (const file of course.files) {
      if (isOriginal && file.startsWith(`${course.folder}/`)) continue;
      for (const path of [file, lowerEnding(file)]) if (!this.#byFile.has(path)) this.#byFile.set(path, course);
    }
  }

  /** Describes all link targets. Links have the same targets as long as this description stays the same. */
  describe(): string {
    return JSON.stringify([...this.#byFolder.values()].map((course) => course.describe()));
  }

  /** Yields the courses that could contain a lesson at this path, the likeliest first. */
  *listCourses(path: string): Generator<CourseLessons> {
    const segments = path.split("/", MAX_SEGMENTS);
    const folders = [...segments.map((_, at) => segments.slice(0, at + 1).join("/")), "."];
    for (const folder of folders) {
      const around = this.#byFolder.get(folder);
      if (around !== undefined) yield around;
    }
    const holder = this.#byFile.get(path);
    if (holder !== undefined) yield holder;
  }
}

export interface LessonTargetsOptions {
  own: CourseLessons;
  /** True if another course has lessons in the same folder. */
  sharesFolder: boolean;
  /** Returns the lessons of the source. Called only when a link leaves its course. */
  readOthers: () => Promise<SourceLessons>;
  isFile: (path: string) => Promise<boolean>;
}

/** Returns the decoded path of a relative URL; undefined if the path is empty or too long. */
export function findPath(url: string): string | undefined {
  const path = /^[^?#]*/.exec(toReadUrl(url))?.[0].trimEnd() ?? "";
  return path === "" || path.length > MAX_PATH ? undefined : decodeUrl(path);
}

/** Returns true for a path that starts at the root of a site, course or source. */
export function isRooted(path: string): boolean {
  return /^[\\/]/.test(path);
}

/** The lesson or held-back page that a link points to. */
export type FoundTarget = LinkTarget & Pick<LessonPlace, "isHeld">;

export class LessonTargets {
  readonly #options: LessonTargetsOptions;

  constructor(options: LessonTargetsOptions) {
    this.#options = options;
  }

  /**
   * Returns the lesson that a relative URL in `folder` points to, if any. A rooted URL starts at the folder of the
   * course or source. Its leading segments are dropped until a lesson matches, since a site can have added them.
   */
  async find(url: string, folder: string): Promise<FoundTarget | undefined> {
    const path = findPath(url);
    if (path === undefined) return undefined;
    const fragment = findFragment(toReadUrl(url));
    if (!isRooted(path)) return this.#findAt(join(folder, path), fragment);
    const segments = path.split(/[\\/]+/).filter((segment) => segment !== "" && segment !== ".");
    if (segments.length > MAX_SEGMENTS || segments.includes("..")) return undefined;
    const end = /[\\/]$/.test(path) ? "/" : "";
    for (let dropped = 0; dropped < segments.length; dropped++) {
      const rest = segments.slice(dropped).join("/") + end;
      const { own } = this.#options;
      const found =
        (await this.#findAt(join(own.folder, rest), fragment)) ??
        (own.folder === "." ? undefined : await this.#findAt(rest, fragment));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns the lesson for the part of a file that `fragment` names; undefined if there is none. */
  findPart(fragment: string, sourcePath: string): LinkTarget | undefined {
    const { own } = this.#options;
    const { file, part } = splitSourcePath(sourcePath.normalize("NFC"));
    const found = part === undefined ? undefined : own.findInFile(file, fragment);
    return found?.fragment === "" ? { courseKey: own.key, ...found } : undefined;
  }

  async #findAt(path: string, fragment: string): Promise<FoundTarget | undefined> {
    const isFolder = path.endsWith("/");
    const plain = (isFolder ? path.slice(0, -1) : path).normalize("NFC");
    if (plain.startsWith("..")) return undefined;
    const findFolder = (): Promise<FoundTarget | undefined> =>
      this.#findIn(plain, (course) => {
        const file = course.findFolderFile(plain);
        return file === undefined ? undefined : course.findInFile(file, fragment);
      });
    const exact = await this.#findIn(plain, (course) => course.findInFile(plain, fragment));
    if (exact !== undefined) return exact;
    // A link to an existing file does not point to a lesson with a similar path.
    if (await this.#options.isFile(plain)) return undefined;
    if (isFolder) {
      const found = await findFolder();
      if (found !== undefined) return found;
    }
    for (const file of listMeantFiles(plain)) {
      const found = await this.#findIn(file, (course) => course.findMeant(file, fragment));
      if (found !== undefined) return found;
    }
    return findFolder();
  }

  /** Returns the first match among the courses that could contain a lesson at this path. */
  async #findIn(
    path: string,
    find: (course: CourseLessons) => LessonPlace | undefined,
  ): Promise<FoundTarget | undefined> {
    const { own, readOthers } = this.#options;
    const found = find(own);
    if (found !== undefined) return { courseKey: own.key, ...found };
    const isWithin = own.folder === "." || path.startsWith(`${own.folder}/`);
    if (isWithin && !this.#options.sharesFolder) return undefined;
    for (const course of (await readOthers()).listCourses(path)) {
      const other = course.key === own.key ? undefined : find(course);
      if (other !== undefined) return { courseKey: course.key, ...other };
    }
    return undefined;
  }
}
