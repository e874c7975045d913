// What an import has done, for people.
import { toPrintable } from "../catalog/printable.ts";
import { LIVE_CHANNEL, type CatalogChanges, type ReleaseCounts, type SourceCounts } from "../catalog/store.ts";
import type { ImportOutcome } from "../publishing/import-options.ts";
import type { FileCount } from "../publishing/linked-files.ts";
import type { Loss, Removals } from "../publishing/change-count.ts";
import { formatCount, formatNumber, formatSize } from "./format.ts";
import { formatPlans } from "./format-plan.ts";

/** Courses that a question names. */
const MAX_NAMED = 3;

/** `3 of 4 courses of acme, and 8 of 12 lessons of course "tea"` */
export function formatRemovals({ courses, lessons, ofCourses }: Removals, owner: string): string {
  const format = ({ removed, total }: Loss, noun: string): string =>
    `${formatNumber(removed)} of ${formatCount(total, noun)}`;
  const parts = ofCourses
    .slice(0, MAX_NAMED)
    .map((loss) => `${format(loss, "lesson")} of course "${toPrintable(loss.slug)}"`);
  if (lessons !== undefined) parts.unshift(format(lessons, "lesson"));
  if (courses !== undefined) parts.unshift(format(courses, "course"));
  const more = ofCourses.length - MAX_NAMED;
  if (more > 0) parts.push(`most lessons of ${formatCount(more, "more course")}`);
  const [first = "", ...others] = parts;
  return [`${first} of ${owner}`, ...others].join(", and ");
}

/** The outcome for people. */
export function formatOutcome(
  outcome: Exclude<ImportOutcome, { status: "invalid" | "refused" }>,
  project: string,
  channel: string,
  sourceName: string | undefined,
): string {
  const on = channel === LIVE_CHANNEL ? "" : ` on channel ${channel}`;
  switch (outcome.status) {
    case "unchanged":
      return `Nothing changed: release ${outcome.release.number} of ${project} stays ${channel}.`;
    case "planned": {
      const { counts, sources, changes, courses, files } = outcome.plan;
      if (courses.length === 0) return `Nothing would change in ${project}${on}: ${formatContent(counts)}.`;
      return (
        `Would publish in ${project}${on}: ${formatContent(counts)}.\n${formatSource(sources, sourceName)}` +
        `${formatChanges(changes)}${formatFiles(files, "to store")}\n${formatPlans(courses)}`
      );
    }
    case "published":
      return (
        `Published release ${outcome.release.number} of ${project}${on}: ${formatContent(outcome.release)}.\n` +
        formatSource(outcome.sources, sourceName) +
        formatChanges(outcome.changes) +
        formatFiles(outcome.files, "stored") +
        formatMoved(outcome.movedFiles) +
        formatTakenOver(outcome.takenOver, sourceName)
      );
  }
}

function formatMoved(movedFiles: number): string {
  return movedFiles === 0 ? "" : `\n  ${formatCount(movedFiles, "lesson file")} moved; the lessons keep their ids`;
}

function formatFiles(count: FileCount | undefined, what: string): string {
  if (count === undefined || count.files === 0) return "";
  return `\n  files: ${formatNumber(count.files)} ${what}, ${formatSize(count.bytes)}`;
}

function formatTakenOver(courses: number, sourceName: string | undefined): string {
  return courses === 0 ? "" : `\n  ${formatCount(courses, "course")} taken over by source ${sourceName}`;
}

/** What the import's source has of the catalog. */
function formatSource(sources: SourceCounts[], sourceName: string | undefined): string {
  const counts = sources.find(({ name }) => name === sourceName);
  return counts === undefined ? "" : `  of source ${counts.name}: ${formatContent(counts)}\n`;
}

/** `2 courses and 1 draft, 14 lessons` */
export function formatContent({ courses, drafts, lessons }: ReleaseCounts): string {
  const withDrafts = drafts === 0 ? "" : ` and ${formatCount(drafts, "draft")}`;
  return `${formatCount(courses, "course")}${withDrafts}, ${formatCount(lessons, "lesson")}`;
}

function formatChanges(changes: CatalogChanges): string {
  const line = (noun: string, added: number, changed: number, removed: number): string =>
    `  ${noun}: ${formatNumber(added)} added, ${formatNumber(changed)} changed, ${formatNumber(removed)} removed`;
  return [
    line("courses", changes.coursesAdded, changes.coursesChanged, changes.coursesRemoved),
    line("lessons", changes.lessonsAdded, changes.lessonsChanged, changes.lessonsRemoved),
  ].join("\n");
}
