// Describes the published courses of a source, so that the next import reads the source in the same way.
import type { CourseVersion, PublishingReader, Release } from "../../catalog/store.ts";
import type { PublishedCourses, SourceOptions } from "../../content/source.ts";

export class ShownVersions implements PublishedCourses {
  /** Maps source paths to versions. */
  readonly #versions = new Map<string, CourseVersion>();
  #store: PublishingReader | undefined;
  #lessonPaths: Promise<string[]> | undefined;

  readonly options: Pick<SourceOptions, "publishedFormat" | "hasPublishedLessonIn" | "publishedCourses"> = {
    publishedFormat: (folder) => this.#versions.get(folder.normalize("NFC"))?.format,
    hasPublishedLessonIn: async (folder) => {
      this.#lessonPaths ??= this.#listLessonPaths();
      const inside = `${folder.normalize("NFC")}/`;
      return (await this.#lessonPaths).some((lesson) => lesson.startsWith(inside));
    },
    publishedCourses: this,
  };

  async read(store: PublishingReader, release: Release, source: string | undefined): Promise<void> {
    this.#store = store;
    for (const version of await store.listVersions(release)) {
      const { source: name, sourcePath } = version;
      if (name === source && sourcePath !== undefined) this.#versions.set(sourcePath, version);
    }
  }

  isTranslation(sourcePath: string): boolean {
    return this.#versions.get(sourcePath.normalize("NFC"))?.translationOf !== undefined;
  }

  async readLessonPaths(sourcePath: string): Promise<ReadonlySet<string> | undefined> {
    const version = this.#versions.get(sourcePath.normalize("NFC"));
    if (version === undefined || this.#store === undefined) return undefined;
    const lessons = await this.#store.listLessonRecords(version.versionId);
    return new Set([...lessons.values()].flatMap(({ sourcePath: path }) => path?.normalize("NFC") ?? []));
  }

  async #listLessonPaths(): Promise<string[]> {
    const paths: string[] = [];
    for (const sourcePath of this.#versions.keys()) paths.push(...((await this.readLessonPaths(sourcePath)) ?? []));
    return paths;
  }
}
