import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import type { ServedChannel } from "../../following/served-state.ts";

/** When there are more, all are forgotten. Each takes a few hundred bytes. */
const MAX_REMEMBERED = 10_000;

/** The course that a former slug leads to, and the slug that it has now. */
export interface CurrentCourse {
  courseId: string;
  slug: string;
}

/**
 * Finds courses by slugs that they had before, and remembers them until the channel shows another release. A slug that
 * leads to no course is not remembered: clients could invent any number of them.
 */
export class FormerSlugs {
  readonly #catalog: CatalogReader;
  readonly #remembered = new Map<string, CurrentCourse>();

  constructor(catalog: CatalogReader) {
    this.#catalog = catalog;
  }

  /** Undefined when no course that this reader may see had the slug on this channel. */
  async find(
    channel: ServedChannel,
    release: Release,
    slug: string,
    drafts: boolean,
  ): Promise<CurrentCourse | undefined> {
    // Two channels can show the same release and have different former slugs.
    const key = JSON.stringify([channel.project, channel.name, channel.version, release.id, drafts, slug]);
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const course = await this.#catalog.findFormerSlug(release, channel.name, slug, drafts);
    if (course === undefined) return undefined;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(key, course);
    return course;
  }
}
