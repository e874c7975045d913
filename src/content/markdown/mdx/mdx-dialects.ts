// The dialects with components. Formats and lesson files load them where they have any.
import { MARKDOWN, type MarkdownDialect } from "../dialects.ts";
import { addJsxDisplay } from "../rules/jsx-display.ts";
import { addJsxRules } from "../rules/jsx.ts";
import { ComponentReading } from "./component-reading.ts";

/** Markdown with components, for formats that have them in files that are no MDX. */
export const COMPONENTS: MarkdownDialect = {
  ...MARKDOWN,
  hasHeadingAnchors: true,
  createComponents: (options, textLength) => new ComponentReading(options, textLength),
  rules: [addJsxRules, addJsxDisplay],
};

export const MDX: MarkdownDialect = { ...COMPONENTS, hasIndentedCode: false };
