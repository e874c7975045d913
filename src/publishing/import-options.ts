import type { AssetStore } from "../assets/asset-store.ts";
import type { ToldPlaces } from "../catalog/edit-url.ts";
import type { CatalogChanges, Release, SourceCounts } from "../catalog/store.ts";
import type { ContentSource, Report } from "../content/source.ts";
import type { CatalogPlan } from "./catalog-plan.ts";
import type { FileCount, LinkedFiles } from "./linked-files.ts";
import type { PublishingContext } from "./publish.ts";
import type { Removals } from "./change-count.ts";

export interface ImportOptions extends PublishingContext, ToldPlaces {
  channel: string;
  source: ContentSource;
  dryRun?: boolean;
  files?: { linked: LinkedFiles; assets: AssetStore } | undefined;
  merge?: boolean;
  /** The name under which the source brings its courses; undefined for one that is the whole catalog. */
  sourceName?: string | undefined;
  takeOver?: boolean | undefined;
  /** What the addresses of links between lessons are made of; undefined where they stay as they were written. */
  lessonUrl?: string | undefined;
  report: Report;
  /** Make warnings errors. */
  strict?: boolean | undefined;
  /** Publish the courses without errors; readers keep what they have of the others. */
  keepGoing?: boolean | undefined;
  /** Asked before much of what is live is removed. `isAgain` when the plan has changed since. */
  confirmRemovals?: ((removals: Removals, isAgain: boolean) => Promise<boolean>) | undefined;
}

/** `broken` counts the courses that stay as they were. */
export type ImportOutcome = ImportResult & { broken?: number };

type ImportResult =
  | { status: "invalid" }
  | { status: "refused"; removals: Removals }
  | { status: "unchanged"; release: Release; changes: CatalogChanges }
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
