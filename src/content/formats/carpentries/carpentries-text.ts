// Defines the Markdown of Carpentries pages, appends references from links.md, and reads the pages' fields.
import { join } from "node:path/posix";
import type { SourceTree } from "../../files/source-tree.ts";
import { describeTooLarge } from "../../limits.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import type { ReportFinding } from "../../source.ts";
import { MARKDOWN, type MarkdownDialect } from "../../markdown/dialects.ts";
import { addAttributeRules } from "../../markdown/rules/attributes.ts";
import { addContainerRules } from "../../markdown/rules/containers.ts";
import { addDefinitionListRule } from "../../markdown/rules/definition-lists.ts";
import { addFigureRule, addScriptRule, addSmartDashRule } from "../../markdown/rules/pandoc-scripts.ts";
import { addQuotationAttributeRule } from "../../markdown/rules/quotation-attributes.ts";
import { AssembledText, type PrepareText } from "../../markdown/prepared-text.ts";

/** The maximum total length of the references in links.md, since each page can use all of them. */
const MAX_LINKS = 65_536;

const FOLDED = new Set(["solution", "hint", "spoiler", "instructor"]);

/** The Workbench's Markdown, including foldable boxes. */
const CARPENTRIES: MarkdownDialect = {
  ...MARKDOWN,
  hasTexMath: true,
  containers: { details: FOLDED, hasTitles: true },
  hasMarkdownInHtml: true,
  rules: [
    addContainerRules,
    addQuotationAttributeRule,
    addAttributeRules,
    addScriptRule,
    addSmartDashRule,
    addFigureRule,
    addDefinitionListRule,
  ],
};

/** Returns the dialect, which drops notes for instructors unless `withInstructors` is true. */
export function toCarpentriesDialect(withInstructors: boolean): MarkdownDialect {
  if (withInstructors) return CARPENTRIES;
  return { ...CARPENTRIES, containers: { details: FOLDED, hasTitles: true, dropped: "instructor" } };
}

/** Creates a function that appends to a page those references from the course's links.md that the page uses. */
export async function createCarpentriesText(
  tree: SourceTree,
  folder: string,
  report: ReportFinding,
): Promise<PrepareText> {
  const path = join(folder, "links.md");
  const linksFile = tree.toTypedPath(path);
  const links = (await tree.find(path)) === "file" ? listReferences((await tree.readText(path, report)) ?? "") : [];
  const size = links.reduce((sum, { text }) => sum + text.length, 0);
  if (size > MAX_LINKS) {
    const message = describeTooLarge(size, MAX_LINKS, "the links of links.md", "max-file-size").replace(/ \(.*/, "");
    report({ kind: "too-large", file: linksFile, message });
    links.length = 0;
  }
  return async (written) => {
    const file = tree.toTypedPath(written.path);
    const assembled = new AssembledText();
    const { text } = written;
    assembled.add(text, file, written.firstLine);
    const labels = links.length === 0 ? new Set<string>() : listLabels(text);
    const used = links.filter(({ label }) => labels.has(label));
    if (used.length > 0) assembled.add("\n\n", file, written.firstLine);
    for (const link of used) assembled.add(`${link.text}\n`, linksFile, link.line);
    return assembled.toPrepared();
  };
}

// Lists the reference definitions, but not the comments and headings that links.md also contains.
function listReferences(text: string): { label: string; text: string; line: number }[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const label = /^ {0,3}\[([^\]]+)\]:[ \t]*\S/.exec(line)?.[1];
    return label === undefined ? [] : [{ label: toLabel(label), text: line, line: index + 1 }];
  });
}

/** Lists the labels of all bracketed texts, any of which might be a reference. */
function listLabels(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(/\[([^[\]]+)(?=\])/g), ([, label = ""]) => toLabel(label)));
}

// Normalizes a label as CommonMark 0.31 describes in §4.7.
function toLabel(written: string): string {
  return written
    .replace(/[\s>]+/g, " ")
    .trim()
    .toLowerCase()
    .toUpperCase();
}

// Fields to remove: only earlier lesson templates and page generators use them.
const HIDDEN_FIELDS = ["source", "site", "editor_options", "output", "root", "layout", "permalink"];

/** Sets a missing duration to the sum of teaching and exercise minutes, and drops fields that only tools use. */
export function readCarpentriesFields(fields: PlacedFields): void {
  const minutes = ["teaching", "exercises"].map((name) => {
    const text = findText(fields, name)?.trim() ?? "";
    return { field: fields.get(name), minutes: /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined };
  });
  const known = minutes.filter((part) => part.minutes !== undefined);
  const place = known[0]?.field?.place;
  if (place !== undefined && !fields.has("durationMinutes")) {
    const sum = known.reduce((total, part) => total + (part.minutes ?? 0), 0);
    fields.set("durationMinutes", { value: String(Math.round(sum)), place });
  }
  for (const name of ["teaching", "exercises", ...HIDDEN_FIELDS]) fields.delete(name);
}
