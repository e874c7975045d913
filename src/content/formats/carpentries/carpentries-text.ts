// The text of a Carpentries lesson: Pandoc's Markdown, with the references of links.md, and without what is for instructors.
import { join } from "node:path/posix";
import type { SourceTree } from "../../files/source-tree.ts";
import { describeTooLarge } from "../../limits.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import type { Tell } from "../../source.ts";
import { MARKDOWN, type MarkdownDialect } from "../../markdown/dialects.ts";
import { addAttributeRules } from "../../markdown/rules/attributes.ts";
import { addContainerRules } from "../../markdown/rules/containers.ts";
import { addDefinitionListRule } from "../../markdown/rules/definition-lists.ts";
import { addFigureRule } from "../../markdown/rules/figures.ts";
import { addScriptRule } from "../../markdown/rules/pandoc-scripts.ts";
import { addQuotationAttributeRule } from "../../markdown/rules/quotation-attributes.ts";
import { addSmartDashRule } from "../../markdown/rules/smart-dashes.ts";
import { AssembledText, type PrepareText } from "../../markdown/prepared-text.ts";

/** It is read with every page. */
const MAX_LINKS = 65_536;

const FOLDED = new Set(["solution", "hint", "spoiler", "instructor"]);

/** What the Workbench reads, and how its boxes are folded. */
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

/** The dialect of pages for readers, or for those who teach. */
export function toCarpentriesDialect(withInstructors: boolean): MarkdownDialect {
  if (withInstructors) return CARPENTRIES;
  return { ...CARPENTRIES, containers: { details: FOLDED, hasTitles: true, dropped: "instructor" } };
}

/** Makes what prepares the pages of a lesson in `folder`. */
export async function createCarpentriesText(tree: SourceTree, folder: string, report: Tell): Promise<PrepareText> {
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

// Of the file only what pages need: it may hold a comment, or a heading for people who read it.
function listReferences(text: string): { label: string; text: string; line: number }[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const label = /^ {0,3}\[([^\]]+)\]:[ \t]*\S/.exec(line)?.[1];
    return label === undefined ? [] : [{ label: toLabel(label), text: line, line: index + 1 }];
  });
}

/** What stands in brackets, some of which are references: a page is read with these, and not with all that the lesson has. */
function listLabels(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(/\[([^[\]]+)(?=\])/g), ([, label = ""]) => toLabel(label)));
}

// CommonMark 0.31 §4.7.
function toLabel(written: string): string {
  return written
    .replace(/[\s>]+/g, " ")
    .trim()
    .toLowerCase()
    .toUpperCase();
}

// Of the styles that were before the Workbench, and of programs that made a page.
const UNSHOWN = ["source", "site", "editor_options", "output", "root", "layout", "permalink"];

/** Makes of the minutes of teaching and exercises those of the lesson, and takes out what only the Workbench needs. */
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
  for (const name of ["teaching", "exercises", ...UNSHOWN]) fields.delete(name);
}
