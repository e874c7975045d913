// Which problems of a source a check shows: those in files that changed, those that are not known already.
import type { Problem } from "../content/source.ts";
import { formatCount } from "./format.ts";

export interface FilterOptions {
  changedSince?: string | undefined;
  /** The file of known problems. */
  baseline?: string | undefined;
}

/** Tells what to show of a source, and counts what not. */
export interface ProblemFilter {
  isShown(problem: Problem): boolean;
  /** Lines about what was not shown; to be asked for at the end. */
  describeHidden(): string[];
}

interface HiddenProblems {
  errors: number;
  warnings: number;
}

/** Opens what the options name. Throws CommandFailure when git or the file cannot answer. */
export async function openProblemFilter(
  source: string,
  { changedSince, baseline }: FilterOptions,
): Promise<ProblemFilter> {
  const { findChangedFiles } = await import("./changed-files.ts");
  const hasChanged = changedSince === undefined ? undefined : await findChangedFiles(source, changedSince);
  const known = baseline === undefined ? undefined : await openBaseline(source, baseline);
  const unchanged: HiddenProblems = { errors: 0, warnings: 0 };
  const taken: HiddenProblems = { errors: 0, warnings: 0 };
  const hide = (hidden: HiddenProblems, { severity }: Problem): false => {
    if (severity === "error") hidden.errors++;
    else hidden.warnings++;
    return false;
  };
  return {
    isShown(problem) {
      // What is only counted is stated as a whole.
      if (problem.severity === "note") return true;
      if (known?.take(problem) === true) return hide(taken, problem);
      return hasChanged === undefined || hasChanged(problem.file) || hide(unchanged, problem);
    },
    describeHidden() {
      const lines: string[] = [];
      if (changedSince !== undefined)
        lines.push(...describe(unchanged, `in what did not change since ${changedSince}`));
      if (baseline === undefined || known === undefined) return lines;
      lines.push(...describe(taken, `that ${baseline} knows`));
      if (known.left > 0) {
        lines.push(
          `${formatCount(known.left, "problem")} of ${baseline} did not come again; --write-baseline ${baseline} forgets them.`,
        );
      }
      return lines;
    },
  };
}

async function openBaseline(source: string, path: string) {
  const { Baseline } = await import("./baseline.ts");
  const known = new Baseline(source);
  await known.load(path);
  return known;
}

function describe({ errors, warnings }: HiddenProblems, where: string): string[] {
  if (errors + warnings === 0) return [];
  const refusal = errors === 0 ? "" : " An import is refused because of the errors all the same.";
  return [`Not shown: ${formatCount(errors, "error")}, ${formatCount(warnings, "warning")} ${where}.${refusal}`];
}
