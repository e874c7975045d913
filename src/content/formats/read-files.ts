// Files of a course that outlines are read from.
import { join } from "node:path/posix";
import type { SourceTree } from "../files/source-tree.ts";
import type { PlacedValue } from "../resolve/placed-value.ts";
import { parseYaml } from "../resolve/yaml-text.ts";
import type { Tell } from "../source.ts";

/** A file of YAML, or of JSON, which is YAML. Undefined when it cannot be read; that is reported. */
export async function readYaml(tree: SourceTree, path: string, report: Tell): Promise<PlacedValue | undefined> {
  const text = await tree.readText(path, report);
  const place = { file: tree.toTypedPath(path), firstLine: 1, limits: tree.limits };
  return text === undefined ? undefined : parseYaml(text, place, report);
}

/** The files below a folder, relative to it. */
export async function listFilesBelow(tree: SourceTree, folder: string): Promise<Set<string>> {
  const files = new Set<string>();
  const folders = ["."];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const { name, isFolder, isLink } of await tree.list(join(folder, next))) {
      // A linked folder may lead back here.
      if (!isFolder) files.add(join(next, name));
      else if (!isLink) folders.push(join(next, name));
    }
  }
  return files;
}
