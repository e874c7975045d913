import type { TypesetMath } from "./loaded-scripts.ts";

/** Matches class attributes. Takes linear time, because each match ends where the next can begin. */
const CLASSES = /\bclass\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>]+)/gi;

/** Returns true if the HTML might contain formulas. */
export function mayHoldMath(html: string): boolean {
  for (const [, classes = ""] of html.matchAll(CLASSES)) if (/\bmath\b/i.test(classes)) return true;
  return false;
}

export function listFormulas(root: ParentNode): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(".math")];
}

/** Renders a formula. An invalid formula stays as written, with the error as its title. */
export function setFormula(element: HTMLElement, typeset: TypesetMath): void {
  const source = element.textContent;
  try {
    typeset(source, element, element.classList.contains("display"));
  } catch (error) {
    element.textContent = source;
    element.classList.add("unreadable");
    element.title = error instanceof Error ? error.message : String(error);
  }
}
