// Where the configuration of a site of MkDocs or Zensical lies, without reading it.
import { dirname, join } from "node:path/posix";
import type { SourceTree } from "../files/source-tree.ts";

/** Their names; the first that a folder has counts. */
const NAMES = ["mkdocs.yml", "mkdocs.yaml", "zensical.toml", "zensical.yml", "zensical.yaml"];

/** The configuration in a folder, or in the nearest around it that has one. */
export async function findSiteConfiguration(tree: SourceTree, folder: string): Promise<string | undefined> {
  for (let around = folder; ; around = dirname(around)) {
    for (const path of NAMES.map((name) => join(around, name))) if ((await tree.find(path)) === "file") return path;
    if (around === "." || around === dirname(around)) return undefined;
  }
}
