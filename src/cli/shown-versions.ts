// What readers of a channel know of a source, so that another import reads it the same way.
import type { CourseVersion, PublishingReader, Release } from "../catalog/store.ts";
import type { ShownCourses } from "../content/source.ts";

export class ShownVersions implements ShownCourses {
  /** As which courses were read, by their source paths. */
  readonly formats = new Map<string, string>();
  readonly #versions = new Map<string, CourseVersion>();
  #store: PublishingReader | undefined;

  /** Reads which courses of a source a release has. */
  async read(store: PublishingReader, release: Release, source: string | undefined): Promise<void> {
    this.#store = store;
    for (const version of await store.listVersions(release)) {
      const { source: name, sourcePath, format } = version;
      if (name !== source || sourcePath === undefined) continue;
      this.#versions.set(sourcePath, version);
      if (format !== undefined) this.formats.set(sourcePath, format);
    }
  }

  isTranslation(sourcePath: string): boolean {
    return this.#versions.get(sourcePath.normalize("NFC"))?.translationOf !== undefined;
  }

  /** The source paths of all lessons. */
  async listLessonPaths(): Promise<string[]> {
    const paths: string[] = [];
    for (const sourcePath of this.#versions.keys()) paths.push(...((await this.readLessonPaths(sourcePath)) ?? []));
    return paths;
  }

  async readLessonPaths(sourcePath: string): Promise<ReadonlySet<string> | undefined> {
    const version = this.#versions.get(sourcePath.normalize("NFC"));
    if (version === undefined || this.#store === undefined) return undefined;
    const lessons = await this.#store.listLessonRecords(version.versionId);
    return new Set([...lessons.values()].flatMap(({ sourcePath: path }) => path?.normalize("NFC") ?? []));
  }
}
