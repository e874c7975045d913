// A site of MkDocs or Zensical around a folder. What reads one is loaded where there is a configuration.
import { dirname, join } from "node:path/posix";
import type { SourceTree } from "../files/source-tree.ts";
import { MARKDOWN } from "../markdown/dialects.ts";
import type { Tell } from "../source.ts";
import type { Outline } from "./format.ts";
import type { MkdocsSite } from "./mkdocs/mkdocs-nav.ts";

/** Its configurations; the first that a folder has counts. */
const NAMES = ["mkdocs.yml", "mkdocs.yaml", "zensical.toml", "zensical.yml", "zensical.yaml"];

/**
 * Reads the configuration in or above a folder, where that holds its pages. Undefined where there is none that can be read; what is
 * wrong in it is a warning: without it the pages are a course, too.
 */
export async function readMkdocsSite(tree: SourceTree, folder: string, report: Tell): Promise<MkdocsSite | undefined> {
  for (let around = folder; ; around = dirname(around)) {
    for (const path of NAMES.map((name) => join(around, name))) {
      if ((await tree.find(path)) !== "file") continue;
      const { readSite } = await import("./mkdocs/mkdocs-nav.ts");
      return readSite(tree, { path, pagesIn: folder }, report);
    }
    if (around === "." || around === dirname(around)) return undefined;
  }
}

/** What the pages in a folder are written in: what their site configures; plain Markdown where they are in none. */
export async function readSiteMarkdown(
  tree: SourceTree,
  folder: string,
): Promise<Pick<Outline, "dialect" | "prepare">> {
  const site = await readMkdocsSite(tree, folder, () => undefined);
  return site?.describeText(MARKDOWN) ?? { dialect: MARKDOWN };
}
