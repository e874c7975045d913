/**
 * Matches a line that begins or ends an answer, hidden tests or a marking scheme. Such a mark can follow code, as in `x
 * = 1 # BEGIN SOLUTION`, because nbgrader finds marks anywhere in a line:
 * https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html
 */
export const ANSWER_MARK =
  /(?:^|[^\p{L}\p{N}\s])\s*(BEGIN|END)[ \t]+(SOLUTION|(?:HIDDEN[ \t]+)?TESTS|MARK[ \t]+SCHEME)\b/u;

/** Matches the end of a line that Otter-Grader removes, as in `x = 1 # SOLUTION`. */
export const ANSWER_LINE = /[^#\s]\s*#\s*SOLUTION(?:\s+NO\s+PROMPT)?\s*$/;

// Matches the tag `solution` or nbgrader's `"solution": true` in a cell's metadata, which is JSON, YAML or R, as in
// `tags=c("solution")`.
const SOLUTION = /["'[\s,]solution["']?\s*(?:[\]),]|$|[:=]\s*(?:true|TRUE)\b)/m;

/** Returns true if a cell's metadata marks the cell as a solution. */
export function marksSolution(metadata: string): boolean {
  return SOLUTION.test(metadata);
}

// Matches the first line of a Jupytext cell, such as `# %% tags=["solution"]` or `# + tags=["solution"]`.
const CELL = /^\W{1,4}[ \t]*(?:%%|\+)[ \t]+(.*)$/gm;

/** Returns true if a program contains marked answers. */
export function holdsAnswers(program: string): boolean {
  const begins = program.includes("BEGIN") && program.split("\n").some((line) => ANSWER_MARK.test(line));
  return begins || program.matchAll(CELL).some(([, metadata = ""]) => marksSolution(metadata));
}
