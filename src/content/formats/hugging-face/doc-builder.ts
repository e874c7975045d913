import type { MarkdownDialect } from "../../markdown/dialects.ts";
import { COMPONENTS } from "../../markdown/mdx/mdx-dialects.ts";
import { addCodeReferenceRule } from "./code-references.ts";

/** Markdown of the documentation builder that reads `_toctree.yml`. */
export const DOC_BUILDER: MarkdownDialect = {
  ...COMPONENTS,
  hasMarkdownInHtml: true,
  rules: [addCodeReferenceRule, ...(COMPONENTS.rules ?? [])],
};
