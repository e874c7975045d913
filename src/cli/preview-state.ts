// What the pages of a preview are told after each reading.
import { join } from "node:path";
import { splitSourcePath } from "../catalog/source-path.ts";
import type { CourseVersion, PublishingReader, Release } from "../catalog/store.ts";
import type { Problem } from "../content/source.ts";
import type { PreviewState } from "../explorer/preview/preview-state.ts";

/** A page shows no more problems and drafts than this. */
const MAX_SHOWN = 200;

interface LessonPlace {
  courseId: string;
  courseSlug: string;
  lessonId: string;
}

/** Makes states of a preview of the folder `path`. What it knows of course versions, which never change, it keeps. */
export class PreviewStates {
  readonly #path: string;
  readonly #store: PublishingReader;
  /** Lessons by the paths of their files, as problems have them, for each version. */
  #lessons = new Map<number, Map<string, LessonPlace>>();

  constructor(path: string, store: PublishingReader) {
    this.#path = path;
    this.#store = store;
  }

  async create(release: Release | undefined, problems: readonly Problem[]): Promise<PreviewState> {
    const errors = problems.filter(({ severity }) => severity === "error");
    const warnings = problems.filter(({ severity }) => severity === "warning");
    const shown = [...errors, ...warnings].slice(0, MAX_SHOWN);
    const versions = release === undefined ? [] : await this.#store.listVersions(release);
    const places = shown.length === 0 ? [] : await this.#listPlaces(versions);
    return {
      release: release?.number ?? 0,
      errors: errors.length,
      warnings: warnings.length,
      problems: shown.map(({ severity, file, line, column, message, hints = [] }) => ({
        severity: severity === "error" ? "error" : "warning",
        file,
        line,
        column,
        message,
        hints,
        ...places.find((lessons) => lessons.has(file.normalize("NFC")))?.get(file.normalize("NFC")),
      })),
      drafts: versions
        .filter(({ published }) => !published)
        .slice(0, MAX_SHOWN)
        .map(({ courseId, slug }) => ({ courseId, slug })),
    };
  }

  async #listPlaces(versions: CourseVersion[]): Promise<Map<string, LessonPlace>[]> {
    const known = this.#lessons;
    this.#lessons = new Map();
    for (const version of versions) {
      this.#lessons.set(version.versionId, known.get(version.versionId) ?? (await this.#readPlaces(version)));
    }
    return [...this.#lessons.values()];
  }

  async #readPlaces({ versionId, courseId, slug: courseSlug }: CourseVersion): Promise<Map<string, LessonPlace>> {
    const places = new Map<string, LessonPlace>();
    for (const [lessonId, { sourcePath }] of await this.#store.listLessonRecords(versionId)) {
      if (sourcePath === undefined) continue;
      const file = join(this.#path, splitSourcePath(sourcePath).file).normalize("NFC");
      // The first of several lessons in a file.
      if (!places.has(file)) places.set(file, { courseId, courseSlug, lessonId });
    }
    return places;
  }
}
