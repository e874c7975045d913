import type { MarkdownIt } from "markdown-it";
import type { ContainerKinds } from "./rules/containers.ts";
import type { ComponentOptions, ComponentReading } from "./mdx/component-reading.ts";
import type { HiddenLines } from "./rules/hidden-lines.ts";

/** Adds a syntax to a parser. Use the same function for all texts, since parsers are cached by it. */
export type AddRules = (parser: MarkdownIt) => void;

/** Extensions beyond CommonMark with tables, HTML, formulas and callouts. */
export interface MarkdownDialect {
  /** Parses `$…$`, `\(…\)` and `\[…\]` as formulas. */
  hasTexMath: boolean;
  /** With hasTexMath, also parses `$ a_1 $`. */
  hasSpacedMath?: boolean | undefined;
  /** Parses `\begin{align} … \end{align}` as a formula. */
  hasTexEnvironments?: boolean | undefined;
  /** MDX has no indented code: children of components are often indented. */
  hasIndentedCode: boolean;
  /** Lets `## Decks and cards[[decks]]` set the heading's id. */
  hasHeadingAnchors: boolean;
  /** Creates the component reading of one parse, for tags such as `<Tip>`; undefined leaves them as text. */
  createComponents?: ((options: ComponentOptions, textLength: number) => ComponentReading) | undefined;
  /** How `::: challenge` renders, with the container rules. */
  containers?: ContainerKinds | undefined;
  /** Parses Markdown between HTML tags. */
  hasMarkdownInHtml?: boolean | undefined;
  /** Hidden lines of fenced code, with their rule. */
  hiddenLines?: HiddenLines | undefined;
  /** Applies the rules to notebook cells too. */
  readsCells?: boolean | undefined;
  /** Links such as `#water` point to labels on all pages. */
  hasLabels?: boolean | undefined;
  /** Python-Markdown extensions of the site, if configured. */
  extensions?: ReadonlySet<string> | undefined;
  /** The site turns `tea.md` into `tea/index.html`, where relative URLs may start. */
  hasPageFolders?: boolean | undefined;
  /** Rules of additional syntax, in order. */
  rules?: readonly AddRules[] | undefined;
}

export const MARKDOWN: MarkdownDialect = { hasTexMath: false, hasIndentedCode: true, hasHeadingAnchors: false };
