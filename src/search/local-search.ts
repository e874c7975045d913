// Searches within the process of a command or a preview, where no other requests wait.
import { SearchIndexes, type IndexStore, type OnFault } from "./search-indexes.ts";
import type { Search } from "./searcher.ts";

const BUILD_INTERVAL_MS = 5;

/** Creates a search that calls `onWait` repeatedly while a release is being indexed. */
export function createLocalSearch(
  store: IndexStore,
  folder: string,
  onFault: OnFault,
  onWait: () => void = () => {},
): { search: Search; close: () => void } {
  const indexes = new SearchIndexes(store, folder, onFault);
  return {
    async search(request) {
      for (;;) {
        const outcome = await indexes.search(request);
        if (outcome.status !== "building") return outcome;
        onWait();
        await Bun.sleep(BUILD_INTERVAL_MS);
      }
    },
    close: () => indexes.close(),
  };
}
