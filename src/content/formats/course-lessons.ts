// Indexes a course's lessons for links.
import { basename, dirname, extname, join } from "node:path/posix";
import { toSlug } from "../../catalog/complete-course.ts";
import { splitSourcePath } from "../../catalog/source-path.ts";
import { findSourcePath } from "../lesson-files/lesson-file.ts";
import { LESSON_ENDINGS } from "../lesson-files/lesson-formats.ts";
import { isIntroduction, isLessonFile, lowerEnding } from "../lesson-files/lesson-names.ts";
import type { CoursePlace } from "./course-languages.ts";
import type { ReadOutline } from "./format.ts";

/** The target of a link within a course. */
export interface LessonPlace {
  sourcePath: string;
  fragment: string;
  /** True for a page held back from readers. */
  isHeld?: boolean;
}

/** A course's lessons by file and folder. Paths are relative to the source root, in NFC. */
export class CourseLessons {
  /** The course's folder, which translations can share. */
  readonly folder: string;
  readonly key: string;
  /** Source paths by file and part, in lesson order. */
  readonly #files = new Map<string, Map<string, string>>();
  /** Files by their path with the extension in lower case. */
  readonly #spelled = new Map<string, string>();
  /** The file that stands for each folder: its introduction, or its first lesson. */
  readonly #folders = new Map<string, string>();
  /** The files of held-back pages. */
  readonly #held: ReadonlySet<string>;

  /** Without an outline, creates an index without lessons. */
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
        // A lesson without a text file of its own is found by its source path.
        const file = lesson.file?.normalize("NFC") ?? sourcePath;
        if (file !== undefined && sourcePath !== undefined) {
          this.#add(file, sourcePath, chapter.folder?.normalize("NFC"));
        }
      }
    }
    for (const file of this.#held) this.#addSpelling(file);
  }

  #add(file: string, sourcePath: string, chapterFolder: string | undefined): void {
    const paths = this.#files.get(file) ?? new Map<string, string>();
    this.#files.set(file, paths);
    const { part = "" } = splitSourcePath(sourcePath);
    if (!paths.has(part)) paths.set(part, sourcePath);
    this.#addSpelling(file);
    if (chapterFolder !== undefined && !this.#folders.has(chapterFolder)) this.#folders.set(chapterFolder, file);
    const folder = dirname(file);
    if (isIntroduction(basename(file)) && !isIntroduction(basename(this.#folders.get(folder) ?? ""))) {
      this.#folders.set(folder, file);
    }
    // If a folder is known, its parents are known, too.
    for (let around = folder; !this.#folders.has(around); around = dirname(around)) {
      this.#folders.set(around, file);
      if (around === this.folder || around === ".") break;
    }
  }

  #addSpelling(file: string): void {
    if (!this.#spelled.has(lowerEnding(file))) this.#spelled.set(lowerEnding(file), file);
  }

  /** Returns all link targets as a text: if the texts of two courses are equal, so are the targets of their links. */
  describe(): string {
    return JSON.stringify([
      this.key,
      [...this.#files].map(([file, paths]) => [file, ...paths]),
      [...this.#folders],
      [...this.#held],
    ]);
  }

  /** Returns the lesson files. */
  get files(): Iterable<string> {
    return this.#files.keys();
  }

  /**
   * Returns the lesson or held-back page in a file, if any. A fragment that names a lesson of the file is consumed.
   */
  findInFile(file: string, fragment: string): LessonPlace | undefined {
    const paths = this.#files.get(file);
    const [first] = paths?.values() ?? [];
    if (first === undefined) return this.#held.has(file) ? { sourcePath: file, fragment, isHeld: true } : undefined;
    const name = fragment === "" ? "" : toSlug(fragment);
    const part = name === "" ? undefined : paths?.get(name);
    return part === undefined ? { sourcePath: first, fragment } : { sourcePath: part, fragment: "" };
  }

  /** Like `findInFile`, but ignores the case of the extension. */
  findMeant(path: string, fragment: string): LessonPlace | undefined {
    return this.findInFile(this.#spelled.get(path) ?? "", fragment);
  }

  /** Returns the file that stands for a folder; undefined if the folder has no lessons. */
  findFolderFile(folder: string): string | undefined {
    return this.#folders.get(folder);
  }
}

/** Lists the files that a path might mean if it names no file itself, since sites drop or change extensions. */
export function listMeantFiles(path: string): string[] {
  const isPage = /\.html?$/i.test(path);
  const page = isPage || isLessonFile(path) ? path.slice(0, -extname(path).length) : path;
  const pages = LESSON_ENDINGS.map((ending) => page + ending);
  if (!isPage || basename(page) !== "index") return pages;
  // On a site, index.html can come from the folder's README, or from a page named after the folder and beside it.
  const folder = dirname(page);
  return [
    ...pages,
    ...LESSON_ENDINGS.map((ending) => join(folder, `README${ending}`)),
    ...(folder === "." ? [] : LESSON_ENDINGS.map((ending) => folder + ending)),
  ];
}
