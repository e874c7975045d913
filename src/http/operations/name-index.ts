import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import { KeptIndexes } from "./kept-indexes.ts";
import { LineCollector, type LineIndex } from "./line-index.ts";

const MAX_BYTES = 32 * 1024 * 1024;

/** The folded names of the courses of each release, in the order of the list. */
export type NameIndexes = KeptIndexes<LineIndex>;

/** Makes the indexes of names, which are read from the catalog when they are needed. */
export function createNameIndexes(catalog: CatalogReader): NameIndexes {
  return new KeptIndexes(MAX_BYTES, async (release, work) => {
    // Folded names hold no line break.
    const lines = new LineCollector();
    for await (const names of catalog.readNames(release)) {
      work.stopIfGone();
      lines.add(names);
    }
    return lines.finish();
  });
}
