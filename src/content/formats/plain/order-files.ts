// Reads files that order a folder: `order`, `.order`, and MkDocs' `.pages`.
import { basename, extname, join } from "node:path/posix";
import type { SourceEntry, SourceTree } from "../../files/source-tree.ts";
import { isLessonFile } from "../../lesson-files/lesson-names.ts";
import { parseYaml } from "../../resolve/yaml-text.ts";
import { findText, type PlacedValue } from "../../resolve/placed-value.ts";
import { isError, type ReportFinding } from "../../source.ts";

/** Rank of an entry; undefined sorts last. */
export type PlaceOf = (entry: SourceEntry) => number | undefined;

/** Returns the order in a folder's file, if any. */
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

/** The contents of `.pages`: the folder's name, and the order and names of its entries. */
export interface PagesFile {
  title?: string | undefined;
  placeOf?: PlaceOf | undefined;
  titleOf?: (entry: SourceEntry) => string | undefined;
}

/**
 * Reads `.pages`: https://github.com/lukasgeiter/mkdocs-awesome-nav. Faults are warnings, since the pages form a course
 * even without it.
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
  const named = list.flatMap(listNamed);
  const names = named.map(({ name }) => name);
  const titles = new Map(named.map(({ name, title: given }) => [withoutEnding(name), given]));
  const rest = names.findIndex((name) => name.startsWith("..."));
  return { title, placeOf: placeBy(names, rest < 0 ? undefined : rest), titleOf: (entry) => titles.get(keyOf(entry)) };
}

/** `a.md`, or `Title: a.md`; a nested section may list other folders' files. */
function listNamed({ value }: PlacedValue): { name: string; title?: string | undefined }[] {
  if (typeof value === "string") return [{ name: value }];
  if (!(value instanceof Map)) return [];
  return [...value].flatMap(([title, { value: name }]) => (typeof name === "string" ? [{ name, title }] : []));
}

/** Unlisted entries rank at `rest`. */
function placeBy(names: readonly string[], rest?: number): PlaceOf {
  const places = new Map(names.map((name, index) => [withoutEnding(name), index]));
  return (entry) => places.get(keyOf(entry)) ?? rest;
}

function keyOf({ name, isFolder }: SourceEntry): string {
  return isFolder ? name : withoutEnding(name);
}

function withoutEnding(line: string): string {
  const name = basename(line.replace(/\/$/, ""));
  return isLessonFile(name) ? name.slice(0, -extname(name).length) : name;
}
