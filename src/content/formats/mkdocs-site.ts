// Reads the MkDocs or Zensical site around a folder. Loads the code for sites only if there is a configuration.
import { dirname, join } from "node:path/posix";
import type { SourceTree } from "../files/source-tree.ts";
import { MARKDOWN } from "../markdown/dialects.ts";
import type { ReportFinding } from "../source.ts";
import type { Outline } from "./format.ts";
import type { MkdocsSite } from "./mkdocs/mkdocs-nav.ts";

/** The possible names of the configuration, by priority. */
const NAMES = ["mkdocs.yml", "mkdocs.yaml", "zensical.toml", "zensical.yml", "zensical.yaml"];

/**
 * Reads the site whose pages are in a folder, from a configuration in or above that folder. Returns undefined if the
 * configuration is missing or unreadable. An unreadable one is an error, since it can exclude pages; other faults are
 * warnings.
 */
export async function readMkdocsSite(
  tree: SourceTree,
  folder: string,
  report: ReportFinding,
): Promise<MkdocsSite | undefined> {
  for (let around = folder; ; around = dirname(around)) {
    for (const path of NAMES.map((name) => join(around, name))) {
      if ((await tree.find(path)) !== "file") continue;
      const { readSite } = await import("./mkdocs/mkdocs-nav.ts");
      return readSite(tree, { path, pagesIn: folder }, report);
    }
    if (around === "." || around === dirname(around)) return undefined;
  }
}

/** Returns the Markdown dialect of a folder's pages: their site's, or plain Markdown. */
export async function readSiteMarkdown(
  tree: SourceTree,
  folder: string,
): Promise<Pick<Outline, "dialect" | "prepare">> {
  const site = await readMkdocsSite(tree, folder, () => undefined);
  return site?.describeText(MARKDOWN) ?? { dialect: MARKDOWN };
}
