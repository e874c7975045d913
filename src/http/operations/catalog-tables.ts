import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import { CatalogTable } from "./catalog-table.ts";
import type { Making } from "./making.ts";

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_BYTES_OF_PROJECT = MAX_BYTES / 2;
/** The estimated size of a row that was not read yet, in bytes. */
const ESTIMATED_ROW_BYTES = 200;
/** What a table takes beside its columns: objects. */
const TABLE_BYTES = 1000;
/** A table of fewer rows is loaded without a permit. */
const MAX_ROWS_AT_ONCE = 500;

/** Tables of releases, kept until others need the room: the one that was not used for the longest time goes first. */
export class CatalogTables {
  readonly #catalog: CatalogReader;
  /** By release id, in the order of their last use. */
  readonly #kept = new Map<number, { project: string; table: CatalogTable }>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;
  readonly #loading = new Map<number, Promise<CatalogTable>>();

  constructor(catalog: CatalogReader) {
    this.#catalog = catalog;
  }

  /** The table of a release. One that is larger than a project may keep is dropped after its use. Throws as `making` does. */
  async obtain(release: Release, making: Making): Promise<CatalogTable> {
    const known = this.#kept.get(release.id);
    if (known !== undefined) {
      this.#kept.delete(release.id);
      this.#kept.set(release.id, known);
      return known.table;
    }
    for (;;) {
      const others = this.#loading.get(release.id);
      if (others === undefined) return this.#load(release, making);
      // When its client leaves, the next one loads it.
      const table = await others.catch(() => undefined);
      making.stopIfGone();
      if (table !== undefined) return table;
    }
  }

  async #load(release: Release, making: Making): Promise<CatalogTable> {
    const load = async (): Promise<CatalogTable> => {
      const bytes = release.courses * ESTIMATED_ROW_BYTES;
      // One that will not be kept takes its room from large answers.
      if (release.courses > MAX_ROWS_AT_ONCE) await making.begin(bytes > MAX_BYTES_OF_PROJECT ? bytes : 0);
      return CatalogTable.load(this.#catalog.readTraits(release), making);
    };
    const loading = load();
    this.#loading.set(release.id, loading);
    try {
      const table = await loading;
      this.#keep(release, table);
      return table;
    } finally {
      this.#loading.delete(release.id);
    }
  }

  #keep({ id, project }: Release, table: CatalogTable): void {
    if (table.bytes > MAX_BYTES_OF_PROJECT) return;
    this.#kept.set(id, { project, table });
    this.#count(project, table.bytes + TABLE_BYTES);
    for (const [oldest, kept] of this.#kept) {
      const isTooMuch = this.#bytes > MAX_BYTES;
      const isTooMuchOfProject = (this.#bytesOf.get(project) ?? 0) > MAX_BYTES_OF_PROJECT;
      if ((!isTooMuch && !isTooMuchOfProject) || oldest === id) return;
      if (!isTooMuch && kept.project !== project) continue;
      this.#kept.delete(oldest);
      this.#count(kept.project, -kept.table.bytes - TABLE_BYTES);
    }
  }

  #count(project: string, bytes: number): void {
    this.#bytes += bytes;
    const ofProject = (this.#bytesOf.get(project) ?? 0) + bytes;
    if (ofProject === 0) this.#bytesOf.delete(project);
    else this.#bytesOf.set(project, ofProject);
  }
}
