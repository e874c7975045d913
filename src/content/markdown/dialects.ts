import type { MarkdownIt } from "markdown-it";
import type { ContainerKinds } from "./rules/containers.ts";
import type { HiddenLines } from "./rules/hidden-lines.ts";

/** What a Markdown text may hold beyond CommonMark with tables, HTML, formulas and callouts. */
export interface MarkdownDialect {
  /** `$…$`, `\(…\)` and `\[…\]` are formulas too, which are text elsewhere. */
  hasTexMath: boolean;
  /** With TeX's formulas, `$ a_1 $` is one too. */
  hasSpacedMath?: boolean | undefined;
  /** `\begin{align} … \end{align}` is a formula. */
  hasTexEnvironments?: boolean | undefined;
  /** MDX has no code by indentation: children of a component are often indented. */
  hasIndentedCode: boolean;
  /** `## Decks and cards[[decks]]` names the heading's anchor. */
  hasHeadingAnchors: boolean;
  /** Components such as `<Tip>`, control lines and imports are read. */
  hasComponents: boolean;
  /** ``[`~tea.Pot`]`` refers to a part of a program. */
  hasCodeReferences?: boolean | undefined;
  /** `::: challenge`; undefined where colons are text. */
  containers?: ContainerKinds | undefined;
  /** `{#id .class alt='…'}` behind images, links and parts of a line. */
  hasAttributes?: boolean | undefined;
  /** `m^2^` and `H~2~O`. */
  hasScripts?: boolean | undefined;
  /** An image that has a paragraph to itself is a figure with a caption. */
  hasFigures?: boolean | undefined;
  /** `:   what it means` below a term. */
  hasDefinitionLists?: boolean | undefined;
  /** `--`, `---` and `...` in the text are dashes and an ellipsis. */
  hasSmartDashes?: boolean | undefined;
  /** Between the tags of HTML the format's own tool reads Markdown. */
  hasMarkdownInHtml?: boolean | undefined;
  /** Lines of fenced code that readers do not see; undefined where all are shown. */
  hiddenLines?: HiddenLines | undefined;
  /** The same rules hold in the cells of notebooks. */
  readsCells?: boolean | undefined;
  /** The extensions of Python-Markdown that a site's configuration names; undefined where there are none. */
  extensions?: ReadonlySet<string> | undefined;
  /** Adds the rules that one format alone has; the same function for all of its texts. */
  addRules?: ((parser: MarkdownIt) => void) | undefined;
}

/** The dialects that lessons are written in. An outline says which one its Markdown files are in, a format may know better. */
export const DIALECTS = {
  markdown: { hasTexMath: false, hasIndentedCode: true, hasHeadingAnchors: false, hasComponents: false },
  /** Markdown for the documentation builder that reads `_toctree.yml`. */
  docBuilder: {
    hasTexMath: false,
    hasIndentedCode: true,
    hasHeadingAnchors: true,
    hasComponents: true,
    hasCodeReferences: true,
    hasMarkdownInHtml: true,
  },
  mdx: { hasTexMath: false, hasIndentedCode: false, hasHeadingAnchors: true, hasComponents: true },
} as const satisfies Record<string, MarkdownDialect>;
