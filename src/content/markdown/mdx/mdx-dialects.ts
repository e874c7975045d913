// Dialects with components, loaded on demand.
import { MARKDOWN, type MarkdownDialect } from "../dialects.ts";
import { addJsxDisplay } from "../rules/jsx-display.ts";
import { addJsxRules } from "../rules/jsx.ts";
import { ComponentReading } from "./component-reading.ts";

/** Markdown with components, for formats that use them outside MDX files. */
export const COMPONENTS: MarkdownDialect = {
  ...MARKDOWN,
  hasHeadingAnchors: true,
  createComponents: (options, textLength) => new ComponentReading(options, textLength),
  rules: [addJsxRules, addJsxDisplay],
};

export const MDX: MarkdownDialect = { ...COMPONENTS, hasIndentedCode: false };
