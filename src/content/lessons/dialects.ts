/** What a Markdown text may hold beyond CommonMark with tables, HTML and alerts. */
export interface MarkdownDialect {
  /** MDX has no code by indentation: children of a component are often indented. */
  hasIndentedCode: boolean;
  /** `## Decks and cards[[decks]]` names the heading's anchor. */
  hasHeadingAnchors: boolean;
  /** Components such as `<Tip>`, control lines and imports are read. */
  hasComponents: boolean;
}

/** The dialects that lessons are written in. An outline says which one its Markdown files are in, a format may know better. */
export const DIALECTS = {
  markdown: { hasIndentedCode: true, hasHeadingAnchors: false, hasComponents: false },
  /** Markdown for the documentation builder that reads `_toctree.yml`. */
  docBuilder: { hasIndentedCode: true, hasHeadingAnchors: true, hasComponents: true },
  mdx: { hasIndentedCode: false, hasHeadingAnchors: true, hasComponents: true },
} as const satisfies Record<string, MarkdownDialect>;
