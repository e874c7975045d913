import type { CatalogReader, VersionRef } from "../../catalog/catalog-reader.ts";
import { formatContents, toLessonTraits } from "../../catalog/course-contents.ts";
import type { LessonDocument } from "../../catalog/documents.ts";
import { KeptContent } from "./kept-content.ts";
import type { LargeWork } from "./large-work.ts";
import { LessonContents } from "./lesson-contents.ts";
import { LessonList } from "./lesson-list.ts";
import { readInOrder } from "./read-lessons.ts";
import { readBytes, readText, unpackBytes } from "./unpack.ts";

/** The most that all kept lists may take, and all that is kept of what is told of lessons. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Smaller ones are made anew, which takes about as long as to find the course. */
const MIN_KEPT_BYTES = 16 * 1024;
/** The lists of longer courses are made one at a time. */
const LESSONS_AT_ONCE = 1000;

/**
 * Lists of the lessons of courses. Those of long courses are kept in memory by the version of the course, which is the same in
 * whichever release, under whichever name, for whatever is asked of it.
 */
export class LessonLists {
  readonly #catalog: CatalogReader;
  readonly #lists = new KeptContent<LessonList>(MAX_BYTES, MIN_KEPT_BYTES);
  readonly #contents = new KeptContent<LessonContents>(MAX_BYTES, MIN_KEPT_BYTES);

  constructor(catalog: CatalogReader) {
    this.#catalog = catalog;
  }

  /** The list of a version of a project's course. Throws as `work` does, and an Error when the version is not there. */
  async read(project: string, version: VersionRef, work: LargeWork): Promise<LessonList> {
    return this.#lists.obtain(toKey(project, version), work, async () => {
      const course = await this.#catalog.readCourse(version.versionId);
      return LessonList.parse(await readBytes(course, work), course, work);
    });
  }

  /** What is told of the lessons of a list without their documents. Throws as `read` does. */
  async readContents(project: string, version: VersionRef, work: LargeWork): Promise<LessonContents> {
    return this.#contents.obtain(toKey(project, version), work, async () => {
      const stored = await this.#catalog.readContents(version.versionId);
      const text =
        stored === undefined ? await this.#formatContents(project, version, work) : await unpackBytes(stored, work);
      return LessonContents.parse(text, version.lessons, work);
    });
  }

  /** Of a version that was stored without, from the documents of its lessons. */
  async #formatContents(project: string, version: VersionRef, work: LargeWork): Promise<Buffer> {
    await work.begin(0);
    const list = await this.read(project, version, work);
    const { baseId } = await this.#catalog.readCourse(version.versionId);
    const lines: string[] = [];
    for await (const lesson of readInOrder(this.#catalog, { versionId: version.versionId, baseId }, list)) {
      work.stopIfGone();
      const traits = toLessonTraits(JSON.parse(await readText(lesson, work)) as LessonDocument);
      lines.push(formatContents([{ digest: lesson.digest, meta: lesson.meta, traits }]));
    }
    return Buffer.from(lines.join("\n"));
  }
}

function toKey(project: string, { versionId, lessons }: VersionRef): { project: string; key: string; isLong: boolean } {
  return { project, key: String(versionId), isLong: lessons > LESSONS_AT_ONCE };
}
