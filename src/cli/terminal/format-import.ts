import { toPrintable } from "../../catalog/printable.ts";
import { LIVE_CHANNEL, type ReleaseCounts } from "../../catalog/store.ts";
import type { CatalogPlan, CoursePlan } from "../../publishing/catalog-plan.ts";
import type { ImportOutcome } from "../../publishing/import-options.ts";
import type { FileCount } from "../../publishing/linked-files.ts";
import type { Loss, Removals } from "../../publishing/change-count.ts";
import { formatCount, formatNumber, formatSize } from "./format.ts";

const MAX_NAMED = 3;

/** Describes removals, such as `3 of 4 courses of acme, and 8 of 12 lessons of course "tea"`. */
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

export function formatOutcome(
  outcome: Exclude<ImportOutcome, { status: "invalid" | "refused" }>,
  project: string,
  channel: string,
  sourceName: string | undefined,
): string {
  const on = channel === LIVE_CHANNEL ? "" : ` on channel ${channel}`;
  if (outcome.status === "unchanged") {
    const same = `Nothing changed. Release ${outcome.release.number} of ${project} stays on ${channel}.`;
    return [same, ...formatFiles(outcome.files, "stored again")].join("\n");
  }
  if (outcome.status === "planned") {
    const { counts, courses } = outcome.plan;
    if (courses.length === 0) {
      const same = `Nothing would change in ${project}${on}: ${formatContent(counts)}.`;
      return [same, ...formatFiles(outcome.plan.files, "to store again")].join("\n");
    }
    return [
      `Would publish in ${project}${on}: ${formatContent(counts)}.`,
      ...formatChanges(outcome.plan, sourceName, "to store"),
      ...courses.flatMap(formatPlan).map(toPrintable),
    ].join("\n");
  }
  const { release, movedFiles, takenOver } = outcome;
  const lines = [
    `Published release ${release.number} of ${project}${on}: ${formatContent(release)}.`,
    ...formatChanges(outcome, sourceName, "stored"),
  ];
  if (movedFiles > 0) lines.push(`  ${formatCount(movedFiles, "lesson file")} moved; the lessons keep their ids`);
  if (takenOver > 0) lines.push(`  ${formatCount(takenOver, "course")} taken over by source ${sourceName}`);
  return lines.join("\n");
}

function formatChanges(
  { changes, sources, files }: Pick<CatalogPlan, "changes" | "sources"> & { files?: FileCount | undefined },
  sourceName: string | undefined,
  done: string,
): string[] {
  const format = (noun: string, added: number, changed: number, removed: number): string =>
    `  ${noun}: ${formatNumber(added)} added, ${formatNumber(changed)} changed, ${formatNumber(removed)} removed`;
  const lines = [
    format("courses", changes.coursesAdded, changes.coursesChanged, changes.coursesRemoved),
    format("lessons", changes.lessonsAdded, changes.lessonsChanged, changes.lessonsRemoved),
  ];
  const ofSource = sources.find(({ name }) => name === sourceName);
  if (ofSource !== undefined) lines.unshift(`  of source ${ofSource.name}: ${formatContent(ofSource)}`);
  return [...lines, ...formatFiles(files, done)];
}

function formatFiles(stored: FileCount | undefined, done: string): string[] {
  if (stored === undefined || stored.files === 0) return [];
  return [`  files: ${formatNumber(stored.files)} ${done}, ${formatSize(stored.bytes)}`];
}

/** Describes content, such as `2 courses and 1 draft, 14 lessons`. */
export function formatContent({ courses, drafts, lessons }: ReleaseCounts): string {
  const withDrafts = drafts === 0 ? "" : ` and ${formatCount(drafts, "draft")}`;
  return `${formatCount(courses, "course")}${withDrafts}, ${formatCount(lessons, "lesson")}`;
}

const SIGNS = { added: "+", changed: "~", removed: "-" } as const;

function formatPlan(plan: CoursePlan): string[] {
  const fields = plan.fields.length === 0 ? "" : `: ${plan.fields.join(", ")}`;
  const lessons =
    plan.change === "changed" ? "" : `, lessons: ${plan.lessonsAdded.length + plan.lessonsRemoved.length}`;
  const lines = [`${SIGNS[plan.change]} course "${plan.name}" (${plan.slug})${lessons}${fields}`];
  if (plan.formerSource !== undefined) {
    lines.push(
      `    taken over from ${plan.formerSource === null ? "the unnamed source" : `source ${plan.formerSource}`}`,
    );
  }
  if (plan.becomesDraft) lines.push("    becomes a draft: readers no longer see it");
  if (plan.formerSlug !== undefined) {
    const effect = plan.change === "removed" ? "is removed" : `redirects to "${plan.slug}"`;
    lines.push(`    slug "${plan.formerSlug}" ${effect}`);
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
