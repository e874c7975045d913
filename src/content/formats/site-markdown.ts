// The Markdown of a site of MkDocs whose pages another format puts in order, such as that of numbers.
import type { SourceTree } from "../files/source-tree.ts";
import { DIALECTS } from "../markdown/dialects.ts";
import type { Outline } from "./format.ts";
import { createMkdocsDialect } from "./mkdocs/mkdocs-dialect.ts";
import { readMkdocsSite } from "./mkdocs/mkdocs-nav.ts";
import { addMkdocsRules } from "./mkdocs/mkdocs-rules.ts";
import { createSnippetText } from "./mkdocs/mkdocs-snippets.ts";

/** What the pages in a folder are written in: what their site configures; plain Markdown where they are in none. */
export async function readSiteMarkdown(
  tree: SourceTree,
  folder: string,
): Promise<Pick<Outline, "dialect" | "prepare">> {
  const site = await readMkdocsSite(tree, folder, () => undefined);
  if (site === undefined) return { dialect: DIALECTS.markdown };
  const base = { ...DIALECTS.markdown, hasDefinitionLists: site.extensions.has("def_list") };
  return {
    dialect: createMkdocsDialect(base, site.extensions, addMkdocsRules),
    prepare: createSnippetText(tree, site),
  };
}
