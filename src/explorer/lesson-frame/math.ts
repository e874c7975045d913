import type { TypesetMath } from "./loaded-scripts.ts";

/** A class attribute. Each ends where the next can begin: however many a text has, it is read once. */
const CLASSES = /\bclass\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>]+)/gi;

/** Whether HTML may hold formulas. */
export function mayHoldMath(html: string): boolean {
  for (const [, classes = ""] of html.matchAll(CLASSES)) if (/\bmath\b/i.test(classes)) return true;
  return false;
}

/** The formulas under `root`. */
export function listFormulas(root: ParentNode): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(".math")];
}

/** Sets a formula. One that cannot be read is shown as its author wrote it, with what is wrong as its title. */
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
