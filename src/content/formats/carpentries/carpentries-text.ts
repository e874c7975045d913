// The text of a Carpentries lesson: Pandoc's Markdown, with the references of links.md, and without what is for instructors.
import { join } from "node:path/posix";
import type { SourceTree } from "../../files/source-tree.ts";
import { describeTooLarge } from "../../limits.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import type { Tell } from "../../source.ts";
import { listContainerLines } from "../../markdown/rules/containers.ts";
import { DIALECTS, type MarkdownDialect } from "../../markdown/dialects.ts";
import type { MarkdownSyntax } from "../../markdown/markdown-environment.ts";
import { parseBlocks } from "../../markdown/create-parser.ts";
import { AssembledText, type PrepareText } from "../../markdown/prepared-text.ts";

/** It is read with every page. */
const MAX_LINKS = 65_536;

/** What the Workbench reads, and how its boxes are folded. */
export const CARPENTRIES_DIALECT: MarkdownDialect = {
  ...DIALECTS.markdown,
  hasTexMath: true,
  containers: { details: new Set(["solution", "hint", "spoiler", "instructor"]), hasTitles: true },
  hasAttributes: true,
  hasScripts: true,
  hasFigures: true,
  hasDefinitionLists: true,
  hasSmartDashes: true,
  hasMarkdownInHtml: true,
};

/** Makes what prepares the pages of a lesson in `folder`. */
export async function createCarpentriesText(
  tree: SourceTree,
  folder: string,
  { withInstructors, report }: { withInstructors: boolean; report: Tell },
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
  return async (written, tell) => {
    const file = tree.toTypedPath(written.path);
    const assembled = new AssembledText();
    const syntax = { dialect: CARPENTRIES_DIALECT, limits: tree.limits };
    const { text, dropped } = withInstructors
      ? { text: written.text, dropped: 0 }
      : dropInstructorNotes(written.text, syntax);
    assembled.add(text, file, written.firstLine);
    const labels = links.length === 0 ? new Set<string>() : listLabels(text);
    const used = links.filter(({ label }) => labels.has(label));
    if (used.length > 0) assembled.add("\n\n", file, written.firstLine);
    for (const link of used) assembled.add(`${link.text}\n`, linksFile, link.line);
    if (dropped > 0) {
      const message = "notes for instructors are left out without --with-instructors";
      const tally = [{ what: "note for instructors", plural: "notes for instructors", count: dropped, isKept: false }];
      tell({ kind: "counted", file, message, tally });
    }
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

/** The same lines, but those of notes are empty. */
function dropInstructorNotes(text: string, syntax: MarkdownSyntax): { text: string; dropped: number } {
  if (!text.includes("instructor") || !text.includes(":::")) return { text, dropped: 0 };
  const notes = listContainerLines(parseBlocks(text, syntax), "instructor");
  // As the parser counts lines.
  const lines = text.split(/\r\n?|\n/);
  for (const [start, end] of notes) lines.fill("", start, end);
  return { text: lines.join("\n"), dropped: notes.length };
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
