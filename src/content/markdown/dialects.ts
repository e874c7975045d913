import type { MarkdownIt } from "markdown-it";
import type { ContainerKinds } from "./rules/containers.ts";
import type { ComponentOptions, ComponentReading } from "./mdx/component-reading.ts";
import type { HiddenLines } from "./rules/hidden-lines.ts";

/** Adds a syntax to a parser; the same function for all texts. */
export type AddRules = (parser: MarkdownIt) => void;

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
  /** Finds out of components such as `<Tip>`, for each parsing anew; undefined where they are text. */
  createComponents?: ((options: ComponentOptions, textLength: number) => ComponentReading) | undefined;
  /** What `::: challenge` becomes, where the rules of containers are among `rules`. */
  containers?: ContainerKinds | undefined;
  /** Between the tags of HTML the format's own tool reads Markdown. */
  hasMarkdownInHtml?: boolean | undefined;
  /** Lines of fenced code that readers do not see, where the rule of these is among `rules`. */
  hiddenLines?: HiddenLines | undefined;
  /** The same rules hold in the cells of notebooks. */
  readsCells?: boolean | undefined;
  /** The extensions of Python-Markdown that a site's configuration names; undefined where there are none. */
  extensions?: ReadonlySet<string> | undefined;
  /** Each adds the rules of one syntax to a parser, in this order; none where absent. */
  rules?: readonly AddRules[] | undefined;
}

/** Markdown without more. */
export const MARKDOWN: MarkdownDialect = { hasTexMath: false, hasIndentedCode: true, hasHeadingAnchors: false };
