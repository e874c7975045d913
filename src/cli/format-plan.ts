import { toPrintable } from "../catalog/printable.ts";
import type { CoursePlan } from "../publishing/catalog-plan.ts";

/** What an import would change in each course, for people. "" when nothing would. */
export function formatPlans(plans: CoursePlan[]): string {
  return plans.flatMap(formatPlan).map(toPrintable).join("\n");
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
