// Reads the files of outlines.
import { join } from "node:path/posix";
import type { SourceTree } from "../files/source-tree.ts";
import type { PlacedValue } from "../resolve/placed-value.ts";
import { parseYaml } from "../resolve/yaml-text.ts";
import type { ReportFinding } from "../source.ts";

/** Returns a YAML or JSON file. Undefined if unreadable, which is reported. */
export async function readYaml(
  tree: SourceTree,
  path: string,
  report: ReportFinding,
): Promise<PlacedValue | undefined> {
  const text = await tree.readText(path, report);
  const place = { file: tree.toTypedPath(path), firstLine: 1, limits: tree.limits };
  return text === undefined ? undefined : parseYaml(text, place, report);
}

/** Returns all files below a folder, with relative paths. */
export async function listFilesBelow(tree: SourceTree, folder: string): Promise<Set<string>> {
  const files = new Set<string>();
  const folders = ["."];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const { name, isFolder, isLink } of await tree.list(join(folder, next))) {
      // A linked folder may form a cycle.
      if (!isFolder) files.add(join(next, name));
      else if (!isLink) folders.push(join(next, name));
    }
  }
  return files;
}
