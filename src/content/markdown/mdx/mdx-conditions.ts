// Conditions of control lines, as `{#if fw === 'pt'}` has them: told to sites, or decided by the framework that an import takes.

const COMPARISON = /^\s*([\w.]+)\s*(===?|!==?)\s*(["'`])([\w.-]+)\3\s*$/;

/** True where the condition compares the framework that readers choose. */
export function isAboutFramework(condition: string): boolean {
  return COMPARISON.exec(condition)?.[1] === "fw";
}

/**
 * The number of the branch that readers of a framework are shown, -1 where it is none; undefined where that cannot be told.
 * A branch without a condition is that of `{:else}`.
 */
export function chooseBranch(conditions: readonly (string | undefined)[], framework: string): number | undefined {
  for (const [number, condition] of conditions.entries()) {
    const holds = condition === undefined ? true : holdsFor(condition, framework);
    if (holds !== false) return holds && number;
  }
  return -1;
}

/** Whether a condition holds for readers of a framework; undefined where that cannot be told. */
function holdsFor(condition: string, framework: string): boolean | undefined {
  const [, name, operator = "", , value] = COMPARISON.exec(condition) ?? [];
  if (name !== "fw") return undefined;
  return (value === framework) === operator.startsWith("=");
}

/** The condition of a branch, given those of the branches before it; `own` is undefined for `{:else}`. */
export function toBranchCondition(before: readonly string[], own: string | undefined): string {
  const [first] = before;
  if (first === undefined) return own?.trim() ?? "";
  // That something equals another value says enough.
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
