import type { MarkdownIt } from "markdown-it";
import type { ContainerKinds } from "./rules/containers.ts";
import type { ComponentOptions, ComponentReading } from "./mdx/component-reading.ts";
import type { HiddenLines } from "./rules/hidden-lines.ts";

/** Adds rules to a parser. Pass the same function for all texts, since it identifies a cached parser. */
export type AddRules = (parser: MarkdownIt) => void;

/** The syntax of a text, beyond CommonMark with tables, HTML, `$$` formulas and callouts. */
export interface MarkdownDialect {
  /** Parses `$…$`, `\(…\)` and `\[…\]` as formulas. */
  hasTexMath: boolean;
  /** If `hasTexMath` is true, also parses `$ a_1 $`. */
  hasSpacedMath?: boolean | undefined;
  /** Parses `\begin{align} … \end{align}` as a formula. */
  hasTexEnvironments?: boolean | undefined;
  /** False for MDX, where children of components are often indented. */
  hasIndentedCode: boolean;
  /** Lets `## Decks and cards[[decks]]` set the heading's id. */
  hasHeadingAnchors: boolean;
  /** Creates the collector of components, such as `<Tip>`, for one parse; undefined leaves their tags as text. */
  createComponents?: ((options: ComponentOptions, textLength: number) => ComponentReading) | undefined;
  /** How containers such as `::: challenge` are rendered; requires `addContainerRules`. */
  containers?: ContainerKinds | undefined;
  /** Parses Markdown between HTML tags. */
  hasMarkdownInHtml?: boolean | undefined;
  /** Which lines of fenced code are hidden; requires `addHiddenLineRule`. */
  hiddenLines?: HiddenLines | undefined;
  /** Applies the dialect's rules to notebook cells, too. */
  readsCells?: boolean | undefined;
  /** True if links such as `#water` can point to labels on any page. */
  hasLabels?: boolean | undefined;
  /** The Python-Markdown extensions that the site enables; undefined for other sites. */
  extensions?: ReadonlySet<string> | undefined;
  /** True if the site turns `tea.md` into `tea/index.html`, so that relative URLs can start in the folder `tea`. */
  hasPageFolders?: boolean | undefined;
  /** The functions that add the rules of further syntax, in order. */
  rules?: readonly AddRules[] | undefined;
}

export const MARKDOWN: MarkdownDialect = { hasTexMath: false, hasIndentedCode: true, hasHeadingAnchors: false };
