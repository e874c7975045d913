// Marks formulas in the HTML of platforms that render TeX between delimiters.
import { escapeHtml } from "./escape.ts";
import { applyEdits, type TextEdit } from "./links.ts";
import { readHtml, type HtmlTag } from "./read-html.ts";
import { visitText } from "./visit-text.ts";

export interface FormulaDelimiters {
  open: string;
  close: string;
  isDisplayed: boolean;
}

/** MathJax's default delimiters. */
export const TEX_DELIMITERS: readonly FormulaDelimiters[] = [
  { open: "\\(", close: "\\)", isDisplayed: false },
  { open: "\\[", close: "\\]", isDisplayed: true },
];

/**
 * Wraps formulas in elements of class `math inline` or `math display`, without delimiters. Skips code, and formulas
 * that contain elements; `<br>` is allowed and becomes a line break.
 */
export function markFormulas(html: string, delimiters: readonly FormulaDelimiters[]): string {
  if (!delimiters.some(({ open }) => html.includes(open))) return html;
  const edits: TextEdit[] = [];
  for (const { start, end } of listRuns(html)) {
    for (const edit of listEdits(html.slice(start, end), start, delimiters)) edits.push(edit);
  }
  return edits.length === 0 ? html : applyEdits(html, edits);
}

interface Run {
  start: number;
  end: number;
}

// Editors can break formulas with `<br>`, which MathJax treats as white space, so a run continues after it.
function listRuns(html: string): Run[] {
  const runs: Run[] = [];
  let open: Run | undefined;
  visitText(html, ({ start, end, code }) => {
    // An option cannot contain elements, so its formulas stay as written.
    if (code !== undefined || /<option\b[^<>]*>$/i.test(html.slice(Math.max(0, start - 200), start))) open = undefined;
    else if (open !== undefined && /^(?:<br\s*\/?>)+$/i.test(html.slice(open.end, start))) open.end = end;
    else runs.push((open = { start, end }));
  });
  return runs;
}

function listEdits(text: string, offset: number, delimiters: readonly FormulaDelimiters[]): TextEdit[] {
  const edits: TextEdit[] = [];
  // The next occurrence of each opening delimiter, so that a missing delimiter is searched for only once.
  let known = delimiters.map((each) => ({ ...each, start: text.indexOf(each.open) }));
  for (let at = 0; ;) {
    for (const each of known) if (each.start !== -1 && each.start < at) each.start = text.indexOf(each.open, at);
    known = known.filter(({ start }) => start !== -1);
    const [next] = known.toSorted((a, b) => a.start - b.start);
    if (next === undefined) return edits;
    const from = next.start + next.open.length;
    const to = text.indexOf(next.close, from);
    if (to === -1) {
      known = known.filter((each) => each !== next);
      continue;
    }
    at = to + next.close.length;
    const formula = text
      .slice(from, to)
      .replace(/<br\s*\/?>/gi, "\n")
      .trim();
    if (formula === "") continue;
    edits.push({ start: offset + next.start, end: offset + at, text: toElement(formula, next.isDisplayed) });
  }
}

function toElement(formula: string, isDisplayed: boolean): string {
  return `<span class="math ${isDisplayed ? "display" : "inline"}">${formula}</span>`;
}

/**
 * Replaces Canvas's images of formulas, such as `<img class="equation_image" data-equation-content="x^2">`, with the
 * formulas.
 */
export function replaceEquationImages(html: string): string {
  if (!html.includes("equation_image")) return html;
  const edits: TextEdit[] = [];
  const isWanted = (tag: string, attribute: string): boolean =>
    tag === "img" && (attribute === "class" || attribute === "data-equation-content");
  const onTag = ({ offset, attributes, end }: HtmlTag): void => {
    const find = (name: string): string => attributes.find((each) => each.name === name)?.value ?? "";
    const formula = find("data-equation-content").trim();
    if (formula === "" || end === undefined || !/(?:^|\s)equation_image(?:\s|$)/.test(find("class"))) return;
    edits.push({ start: offset, end, text: toElement(escapeHtml(formula), false) });
  };
  readHtml(html, { isWanted, onTag });
  return edits.length === 0 ? html : applyEdits(html, edits);
}
