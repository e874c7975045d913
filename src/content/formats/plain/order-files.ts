// Files that order a folder: `order`, `.order`, and MkDocs' `.pages`.
import { basename, extname, join } from "node:path/posix";
import type { SourceEntry, SourceTree } from "../../files/source-tree.ts";
import { isLessonFile } from "../../lesson-files/lesson-names.ts";
import { parseYaml } from "../../resolve/yaml-text.ts";
import { findText, type PlacedValue } from "../../resolve/placed-value.ts";
import { isError, type ReportFinding } from "../../source.ts";

/** Rank of an entry; undefined sorts last. */
export type PlaceOf = (entry: SourceEntry) => number | undefined;

/** The order in a folder's file, if any. */
export async function readOrderFile(
  tree: SourceTree,
  folder: string,
  report: ReportFinding,
): Promise<PlaceOf | undefined> {
  const path = join(folder, "order");
  const text =
    (await tree.find(path)) === "file"
      ? ((await tree.readText(path, report)) ?? "")
      : await tree.readDotFile(join(folder, ".order"), report);
  const lines = text?.split(/\r?\n/).map((line) => line.trim());
  const names = lines?.filter((line) => line !== "" && !line.startsWith("#"));
  return names && placeBy(names);
}

/** What `.pages` says of a folder: its name, and the order of what is in it. */
export interface PagesFile {
  title?: string | undefined;
  placeOf?: PlaceOf | undefined;
}

/**
 * Reads `.pages`: https://github.com/lukasgeiter/mkdocs-awesome-nav. Faults are warnings, since the pages are a course without
 * it.
 */
export async function readPagesFile(tree: SourceTree, folder: string, report: ReportFinding): Promise<PagesFile> {
  const path = join(folder, ".pages");
  const text = await tree.readDotFile(path, report);
  if (text === undefined) return {};
  const warn: ReportFinding = (finding) => report(isError(finding) ? { ...finding, kind: "ignored-value" } : finding);
  const value = parseYaml(text, { file: tree.toTypedPath(path), firstLine: 1, limits: tree.limits }, warn)?.value;
  if (!(value instanceof Map)) return {};
  const title = findText(value, "title")?.trim();
  const list = (value.get("nav") ?? value.get("arrange"))?.value;
  if (!Array.isArray(list)) return { title };
  const names = list.flatMap(listNames);
  const rest = names.findIndex((name) => name.startsWith("..."));
  return { title, placeOf: placeBy(names, rest < 0 ? undefined : rest) };
}

/** `a.md`, or `Title: a.md`; a nested section may list other folders' files. */
function listNames({ value }: PlacedValue): string[] {
  if (typeof value === "string") return [value];
  if (!(value instanceof Map)) return [];
  return [...value.values()].flatMap(({ value: name }) => (typeof name === "string" ? [name] : []));
}

/** Unlisted entries rank at `rest`. */
function placeBy(names: readonly string[], rest?: number): PlaceOf {
  const places = new Map(names.map((name, index) => [withoutEnding(name), index]));
  return ({ name, isFolder }) => places.get(isFolder ? name : withoutEnding(name)) ?? rest;
}

function withoutEnding(line: string): string {
  const name = basename(line.replace(/\/$/, ""));
  return isLessonFile(name) ? name.slice(0, -extname(name).length) : name;
}
