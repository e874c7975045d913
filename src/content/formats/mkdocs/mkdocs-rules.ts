// Creates the Markdown dialect of an MkDocs or Zensical site from the site's configured extensions.
import type { MarkdownDialect } from "../../markdown/dialects.ts";
import { addElementAttributes } from "../../markdown/rules/attributes.ts";
import { addDefinitionListRule } from "../../markdown/rules/definition-lists.ts";
import { addScriptRule, addSmartDashRule } from "../../markdown/rules/pandoc-scripts.ts";
import { addAbbreviations } from "./abbreviations.ts";
import { addCodeNotes } from "./code-notes.ts";
import { addEmoji } from "./emoji.ts";
import { addFenceTitles } from "./fence-titles.ts";
import { addIndentedBoxes } from "./indented-boxes.ts";
import { addKeys } from "./keys.ts";
import { addLenientText } from "./lenient-text.ts";
import { addLooseAttributes, addMarkedText } from "./marked-text.ts";
import type { Extensions } from "./mkdocs-extensions.ts";
import { addApi } from "./mkdocstrings.ts";
import { addQuizzes } from "./quizzes.ts";
import { addSlashBlocks } from "./slash-blocks.ts";
import { addTextDetails } from "./text-details.ts";
import { addThemeParts } from "./theme-parts.ts";

/** Each rule checks whether its extension is on. */
const RULES = [
  addApi,
  addIndentedBoxes,
  addSlashBlocks,
  addMarkedText,
  addKeys,
  addEmoji,
  addLenientText,
  addAbbreviations,
  addCodeNotes,
  addTextDetails,
  addFenceTitles,
  addThemeParts,
  addQuizzes,
];

/** Extends a dialect with a site's extensions. */
export function createMkdocsDialect(
  base: MarkdownDialect,
  extensions: Extensions,
  hasPageFolders: boolean,
): MarkdownDialect {
  const has = (name: string): boolean => extensions.has(name);
  const { rules = [] } = base;
  const hasAttributes = has("attr_list");
  const addsDefinitions = has("def_list") && !rules.includes(addDefinitionListRule);
  return {
    ...base,
    extensions: new Set(extensions.keys()),
    hasPageFolders,
    hasTexMath: base.hasTexMath || has("pymdownx.arithmatex"),
    hasTexEnvironments: has("pymdownx.arithmatex"),
    rules: [
      ...(hasAttributes ? [addElementAttributes] : []),
      ...(has("pymdownx.caret") || has("pymdownx.tilde") ? [addScriptRule] : []),
      ...(addsDefinitions ? [addDefinitionListRule] : []),
      ...(has("smarty") ? [addSmartDashRule] : []),
      ...rules,
      ...RULES,
      ...(hasAttributes ? [addLooseAttributes] : []),
    ],
  };
}
