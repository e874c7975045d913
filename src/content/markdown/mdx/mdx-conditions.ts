// Conditions of control lines, such as `{#if fw === 'pt'}`: passed to sites, or decided by the import's framework.

const COMPARISON = /^\s*([\w.]+)\s*(===?|!==?)\s*(["'`])([\w.-]+)\3\s*$/;

/** Returns true for a condition on the framework. */
export function isAboutFramework(condition: string): boolean {
  return COMPARISON.exec(condition)?.[1] === "fw";
}

/**
 * Returns the branch for a framework's readers, -1 for none; undefined if unknown. A branch without a condition is
 * `{:else}`.
 */
export function chooseBranch(conditions: readonly (string | undefined)[], framework: string): number | undefined {
  for (const [number, condition] of conditions.entries()) {
    const holds = condition === undefined ? true : holdsFor(condition, framework);
    if (holds !== false) return holds && number;
  }
  return -1;
}

/** Whether a condition holds for a framework; undefined if unknown. */
function holdsFor(condition: string, framework: string): boolean | undefined {
  const [, name, operator = "", , value] = COMPARISON.exec(condition) ?? [];
  if (name !== "fw") return undefined;
  return (value === framework) === operator.startsWith("=");
}

/** Returns a branch's full condition, given those before it; `own` is undefined for `{:else}`. */
export function toBranchCondition(before: readonly string[], own: string | undefined): string {
  const [first] = before;
  if (first === undefined) return own?.trim() ?? "";
  // Equality with another value implies the negation.
  if (own !== undefined && [...before, own].every((each) => subjectOfEquality(each) === subjectOfEquality(first))) {
    if (subjectOfEquality(first) !== undefined) return own.trim();
  }
  return [...before.map(negate), ...(own === undefined ? [] : [`(${own.trim()})`])].join(" && ");
}

function subjectOfEquality(condition: string): string | undefined {
  const [, name, operator = ""] = COMPARISON.exec(condition) ?? [];
  return operator.startsWith("=") ? name : undefined;
}

function negate(condition: string): string {
  const [, name = "", operator = "", quote = "", value = ""] = COMPARISON.exec(condition) ?? [];
  if (operator === "") return `!(${condition.trim()})`;
  const opposite = operator.startsWith("=") ? operator.replace("=", "!") : operator.replace("!", "=");
  return `${name} ${opposite} ${quote}${value}${quote}`;
}
