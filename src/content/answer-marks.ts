// The marks of answers in notebooks and in their text forms.

/**
 * Matches a line that begins or ends an answer. nbgrader looks for the words anywhere in a line: `### BEGIN SOLUTION`,
 * `x = 1 # BEGIN SOLUTION`.
 * https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html
 */
export const ANSWER_MARK = /(?:^|[^\p{L}\p{N}\s])\s*(BEGIN|END)[ \t]+(SOLUTION|HIDDEN[ \t]+TESTS|MARK[ \t]+SCHEME)\b/u;

/** Matches the tag `solution`, or nbgrader's, in a cell's metadata: JSON, YAML or R's `tags=c("solution")`. */
const SOLUTION = /["'[\s,]solution["']?\s*(?:[\]),]|$|[:=]\s*(?:true|TRUE)\b)/m;

/** Returns true for the metadata of a solution. */
export function marksSolution(metadata: string): boolean {
  return SOLUTION.test(metadata);
}

// Jupytext begins a cell with `# %% tags=["solution"]` or `# + tags=["solution"]`.
const CELL = /^\W{1,4}[ \t]*(?:%%|\+)[ \t]+(.*)$/gm;

/** Returns true for a program that contains answers. */
export function holdsAnswers(program: string): boolean {
  const begins = program.includes("BEGIN") && program.split("\n").some((line) => ANSWER_MARK.test(line));
  return begins || program.matchAll(CELL).some(([, metadata = ""]) => marksSolution(metadata));
}
