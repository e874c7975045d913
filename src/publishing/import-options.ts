import type { AssetStore } from "../assets/asset-store.ts";
import type { FileLocations } from "../catalog/url-templates.ts";
import type { CatalogChanges, Release, SourceCounts } from "../catalog/store.ts";
import type { ContentSource, Report } from "../content/source.ts";
import type { CatalogPlan } from "./catalog-plan.ts";
import type { FileCount, LinkedFiles } from "./linked-files.ts";
import type { PublishingContext } from "./publish.ts";
import type { Removals } from "./change-count.ts";

export interface ImportOptions extends PublishingContext, FileLocations {
  channel: string;
  source: ContentSource;
  dryRun?: boolean;
  files?: { linked: LinkedFiles; assets: AssetStore } | undefined;
  merge?: boolean;
  /** The name of the source; undefined if the source is the whole catalog. */
  sourceName?: string | undefined;
  takeOver?: boolean | undefined;
  /** The URL template for links between lessons; without it, links stay as written. */
  lessonUrl?: string | undefined;
  report: Report;
  strict?: boolean | undefined;
  /** Publishes only the courses without errors; the others keep their published state. */
  keepGoing?: boolean | undefined;
  /**
   * Asks for consent before an import that removes much of the published content. `isAgain` is true if the plan has
   * changed since the last question.
   */
  confirmRemovals?: ((removals: Removals, isAgain: boolean) => Promise<boolean>) | undefined;
}

/** `broken` counts the courses with errors, which stay unchanged. */
export type ImportOutcome = ImportResult & { broken?: number };

type ImportResult =
  | { status: "invalid" }
  | { status: "refused"; removals: Removals }
  | { status: "unchanged"; release: Release; changes: CatalogChanges; files: FileCount | undefined }
  | { status: "planned"; plan: CatalogPlan }
  | {
      status: "published";
      release: Release;
      changes: CatalogChanges;
      sources: SourceCounts[];
      movedFiles: number;
      takenOver: number;
      files: FileCount | undefined;
    };
