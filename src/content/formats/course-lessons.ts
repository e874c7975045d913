// Where the lessons of a course stand, as links look for them.
import { basename, dirname, extname, join } from "node:path/posix";
import { toSlug } from "../../catalog/complete-course.ts";
import { splitSourcePath } from "../../catalog/source-path.ts";
import { findSourcePath } from "../lesson-files/lesson-file.ts";
import { LESSON_ENDINGS } from "../lesson-files/lesson-formats.ts";
import { isIntroduction, isLessonFile, lowerEnding } from "../lesson-files/lesson-names.ts";
import type { CoursePlace } from "./course-languages.ts";
import type { ReadOutline } from "./format.ts";

/** Where a link leads within a course. */
export interface LessonPlace {
  sourcePath: string;
  fragment: string;
  /** True for a page that is no lesson yet. */
  isHeld?: boolean;
}

/** The lessons of a course by their files and folders, of which it knows the paths relative to the source's root, in NFC. */
export class CourseLessons {
  /** The course's folder, which its translations may share. */
  readonly folder: string;
  readonly key: string;
  /** Source paths: of a file that holds several lessons, in their order. */
  readonly #files = new Map<string, string[]>();
  /** Files by their paths with the ending in lower case. */
  readonly #spelled = new Map<string, string>();
  /** The file of the lesson that a folder stands for: its introduction, or the first in it. */
  readonly #folders = new Map<string, string>();
  /** Files whose pages readers do not see yet. */
  readonly #held: ReadonlySet<string>;

  /** Without an outline it has no lessons. */
  constructor(
    { key, folder }: Pick<CoursePlace, "key" | "folder">,
    outline: Pick<ReadOutline, "chapters" | "held"> | undefined,
  ) {
    this.key = key;
    this.folder = folder;
    this.#held = new Set(Array.from(outline?.held?.paths ?? [], (path) => path.normalize("NFC")));
    for (const chapter of outline?.chapters ?? []) {
      for (const lesson of chapter.lessons) {
        const sourcePath = findSourcePath(lesson)?.normalize("NFC");
        // Links to a lesson that has no file for its text alone name its source path.
        const file = lesson.file?.normalize("NFC") ?? sourcePath;
        if (file !== undefined && sourcePath !== undefined) {
          this.#add(file, sourcePath, chapter.folder?.normalize("NFC"));
        }
      }
    }
    for (const file of this.#held) this.#addSpelling(file);
  }

  #add(file: string, sourcePath: string, chapterFolder: string | undefined): void {
    const known = this.#files.get(file);
    if (known !== undefined) known.push(sourcePath);
    else this.#files.set(file, [sourcePath]);
    this.#addSpelling(file);
    if (chapterFolder !== undefined && !this.#folders.has(chapterFolder)) this.#folders.set(chapterFolder, file);
    const folder = dirname(file);
    if (isIntroduction(basename(file)) && !isIntroduction(basename(this.#folders.get(folder) ?? ""))) {
      this.#folders.set(folder, file);
    }
    // Those around a folder that is known are known.
    for (let around = folder; !this.#folders.has(around); around = dirname(around)) {
      this.#folders.set(around, file);
      if (around === this.folder || around === ".") break;
    }
  }

  #addSpelling(file: string): void {
    if (!this.#spelled.has(lowerEnding(file))) this.#spelled.set(lowerEnding(file), file);
  }

  /** All that links can find here, as text: equal where they find the same. */
  describe(): string {
    return JSON.stringify([this.key, [...this.#files], [...this.#folders], [...this.#held]]);
  }

  /** The files that hold its lessons. */
  get files(): Iterable<string> {
    return this.#files.keys();
  }

  /**
   * The source path of the lesson in a file, or of a page that readers do not see yet; undefined when there is none. A fragment
   * that names one of several is no place in it.
   */
  findInFile(file: string, fragment: string): LessonPlace | undefined {
    const paths = this.#files.get(file) ?? [];
    const [first] = paths;
    if (first === undefined) return this.#held.has(file) ? { sourcePath: file, fragment, isHeld: true } : undefined;
    const name = fragment === "" ? "" : toSlug(fragment);
    const part = name === "" ? undefined : paths.find((path) => splitSourcePath(path).part === name);
    return part === undefined ? { sourcePath: first, fragment } : { sourcePath: part, fragment: "" };
  }

  /** The same for a path whose ending the file may have in other cases. */
  findMeant(path: string, fragment: string): LessonPlace | undefined {
    return this.findInFile(this.#spelled.get(path) ?? "", fragment);
  }

  /** The file of the lesson that a folder stands for; undefined for a folder without lessons. */
  findFolderFile(folder: string): string | undefined {
    return this.#folders.get(folder);
  }
}

/** The files that a path may mean that is none itself, their endings in lower case: sites leave endings out, or change them. */
export function listMeantFiles(path: string): string[] {
  const isPage = /\.html?$/i.test(path);
  const page = isPage || isLessonFile(path) ? path.slice(0, -extname(path).length) : path;
  const pages = LESSON_ENDINGS.map((ending) => page + ending);
  if (!isPage || basename(page) !== "index") return pages;
  // Sites make the page of a folder from its README, and a folder of a page.
  const folder = dirname(page);
  return [
    ...pages,
    ...LESSON_ENDINGS.map((ending) => join(folder, `README${ending}`)),
    ...(folder === "." ? [] : LESSON_ENDINGS.map((ending) => folder + ending)),
  ];
}
