// The Markdown of a site of MkDocs or Zensical: what its configuration switches on.
import type { MarkdownDialect } from "../../markdown/dialects.ts";
import { addAttributeRules } from "../../markdown/rules/attributes.ts";
import { addDefinitionListRule } from "../../markdown/rules/definition-lists.ts";
import { addScriptRule } from "../../markdown/rules/pandoc-scripts.ts";
import { addAbbreviations } from "./abbreviations.ts";
import { addCodeNotes } from "./code-notes.ts";
import { addIndentedBoxes } from "./indented-boxes.ts";
import { addLooseAttributes, addMarkedText } from "./marked-text.ts";
import type { Extensions } from "./mkdocs-extensions.ts";
import { addSlashBlocks } from "./slash-blocks.ts";
import { addTextDetails } from "./text-details.ts";

/** Each asks whether its extension is configured. */
const RULES = [addIndentedBoxes, addSlashBlocks, addMarkedText, addAbbreviations, addCodeNotes, addTextDetails];

/** Makes the dialect of a site of what other sites have, and its extensions. */
export function createMkdocsDialect(base: MarkdownDialect, extensions: Extensions): MarkdownDialect {
  const has = (name: string): boolean => extensions.has(name);
  const { rules = [] } = base;
  const hasAttributes = has("attr_list");
  const addsDefinitions = has("def_list") && !rules.includes(addDefinitionListRule);
  return {
    ...base,
    extensions: new Set(extensions.keys()),
    hasTexMath: base.hasTexMath || has("pymdownx.arithmatex"),
    hasTexEnvironments: has("pymdownx.arithmatex"),
    rules: [
      ...(hasAttributes ? [addAttributeRules] : []),
      ...(has("pymdownx.caret") || has("pymdownx.tilde") ? [addScriptRule] : []),
      ...(addsDefinitions ? [addDefinitionListRule] : []),
      ...rules,
      ...RULES,
      ...(hasAttributes ? [addLooseAttributes] : []),
    ],
  };
}
