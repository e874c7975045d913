// What an import is given, and what comes of it.
import type { AssetStore } from "../assets/asset-store.ts";
import type { CatalogChanges, Release, SourceCounts } from "../catalog/store.ts";
import type { ContentSource, Report } from "../content/source.ts";
import type { CatalogPlan } from "./catalog-plan.ts";
import type { FileCount, LinkedFiles } from "./linked-files.ts";
import type { PublishingContext } from "./publish.ts";
import type { Removals } from "./change-count.ts";

/** What an import is asked for, and what it has. */
export interface ImportOptions extends PublishingContext {
  channel: string;
  source: ContentSource;
  /** Tell what would change, and write nothing. */
  dryRun: boolean;
  /** Where files of the source go; undefined where they are not stored. */
  files?: { linked: LinkedFiles; assets: AssetStore } | undefined;
  /** Keep the courses that the source does not have. */
  merge: boolean;
  /** The name under which the source brings its courses; undefined for one that is the whole catalog. */
  sourceName?: string | undefined;
  /** Let the source have courses that other sources have. */
  takeOver?: boolean | undefined;
  /** What the addresses of links between lessons are made of; undefined where they stay as they were written. */
  lessonUrl?: string | undefined;
  report: Report;
  /** Make warnings errors. */
  strict?: boolean | undefined;
  /** Publish the courses without an error; of those with one readers keep what they have. */
  keepGoing?: boolean | undefined;
  /**
   * Asked, while others may write, before much of what is live is removed; false, and nothing is published. `isAgain` where the
   * plan is another than the one that was agreed to. Undefined where all may be removed.
   */
  confirmRemovals: ((removals: Removals, isAgain: boolean) => Promise<boolean>) | undefined;
}

/** What came of an import. Nothing was written but where it is `published`. `broken` counts the courses that stay as they were. */
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
      /** Courses that were another source's. */
      takenOver: number;
      files: FileCount | undefined;
    };
