// What an import has done, for people.
import { toPrintable } from "../catalog/printable.ts";
import { LIVE_CHANNEL, type CatalogChanges, type ReleaseCounts, type SourceCounts } from "../catalog/store.ts";
import type { CoursePlan } from "../publishing/catalog-plan.ts";
import type { ImportOutcome } from "../publishing/import-options.ts";
import type { FileCount } from "../publishing/linked-files.ts";
import type { Loss, Removals } from "../publishing/change-count.ts";
import { formatCount, formatNumber, formatSize } from "./format.ts";

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
        `${formatChanges(changes)}${formatFiles(files, "to store")}\n${courses.flatMap(formatPlan).map(toPrintable).join("\n")}`
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

const SIGNS = { added: "+", changed: "~", removed: "-" } as const;

function formatPlan(plan: CoursePlan): string[] {
  const fields = plan.fields.length === 0 ? "" : `: ${plan.fields.join(", ")}`;
  const lessons =
    plan.change === "changed" ? "" : `, lessons: ${plan.lessonsAdded.length + plan.lessonsRemoved.length}`;
  const lines = [`${SIGNS[plan.change]} course "${plan.name}" (${plan.slug})${lessons}${fields}`];
  if (plan.formerSource !== undefined) {
    lines.push(`    is taken over from ${plan.formerSource === null ? "no source" : `source ${plan.formerSource}`}`);
  }
  if (plan.becomesDraft) lines.push("    turns into a draft: readers lose it");
  if (plan.formerSlug !== undefined) {
    const effect = plan.change === "removed" ? "finds nothing any more" : `leads to "${plan.slug}" from now on`;
    lines.push(`    slug "${plan.formerSlug}" stops being current and ${effect}`);
  }
  if (plan.change !== "changed") return lines;
  const line = (sign: string, { id, name }: { id: string; name: string }, more = ""): void => {
    lines.push(`    ${sign} lesson "${name}" (${id})${more}`);
  };
  for (const lesson of plan.lessonsAdded) line("+", lesson);
  for (const lesson of plan.lessonsChanged) line("~", lesson, `: ${lesson.fields.join(", ")}`);
  for (const lesson of plan.lessonsMoved) line(">", lesson, `: moved from ${lesson.from} to ${lesson.to}, same id`);
  for (const lesson of plan.lessonsRemoved) line("-", lesson);
  return lines;
}
