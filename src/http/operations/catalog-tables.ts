import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import { CatalogTable, ROWS_AT_ONCE } from "./catalog-table.ts";
import type { Making } from "./making.ts";

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_BYTES_OF_PROJECT = MAX_BYTES / 2;
/** The estimated size of a row that was not read yet, and what a table takes beside its columns, in bytes. */
const ESTIMATED_ROW_BYTES = 200;
const TABLE_BYTES = 1000;

/** Tables of releases, kept until others need the memory: the least recently used one goes first. */
export class CatalogTables {
  readonly #catalog: CatalogReader;
  /** By release id, least recently used first. */
  readonly #kept = new Map<number, { project: string; table: CatalogTable }>();
  readonly #loading = new Map<number, Promise<CatalogTable>>();

  constructor(catalog: CatalogReader) {
    this.#catalog = catalog;
  }

  /** The table of a release. One that is larger than a project may keep is dropped after its use. Throws as `making` does. */
  async obtain(release: Release, making: Making): Promise<CatalogTable> {
    const known = this.#kept.get(release.id);
    if (known === undefined) return making.share(this.#loading, release.id, () => this.#load(release, making));
    this.#kept.delete(release.id);
    this.#kept.set(release.id, known);
    return known.table;
  }

  async #load(release: Release, making: Making): Promise<CatalogTable> {
    const bytes = release.courses * ESTIMATED_ROW_BYTES;
    // One that will not be kept counts as a large answer.
    if (release.courses > ROWS_AT_ONCE) await making.begin(bytes > MAX_BYTES_OF_PROJECT ? bytes : 0);
    const table = await CatalogTable.load(release, this.#catalog.readTraits(release), making);
    this.#keep(release, table);
    return table;
  }

  #keep({ id, project }: Release, table: CatalogTable): void {
    if (table.bytes > MAX_BYTES_OF_PROJECT) return;
    this.#kept.set(id, { project, table });
    let [bytes, ofProject] = [0, 0];
    // The newest first: what no longer fits goes.
    for (const [each, kept] of [...this.#kept].toReversed()) {
      const size = kept.table.bytes + TABLE_BYTES;
      const isTooMuch =
        bytes + size > MAX_BYTES || (kept.project === project && ofProject + size > MAX_BYTES_OF_PROJECT);
      if (isTooMuch && each !== id) {
        this.#kept.delete(each);
        continue;
      }
      bytes += size;
      if (kept.project === project) ofProject += size;
    }
  }
}
