// What the rules of the parser know of the text that they read.
import { describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";
import type { MarkdownDialect } from "./dialects.ts";
import type { MdxMarks } from "./mdx/mdx-marks.ts";

/** What a text is written in, and how much of it is read. */
export interface MarkdownSyntax {
  dialect: MarkdownDialect;
  limits: SourceLimits;
  /** The language of the course (BCP 47), in which callouts get the titles that authors leave out. Undefined: English. */
  language?: string | undefined;
  /** What stands for components in the text; undefined where it holds none. */
  marks?: MdxMarks | undefined;
}

/** A new one for each parsing, since it counts. */
export type MarkdownEnvironment = MarkdownSyntax & {
  nodes: number;
  /** True where HTML holds Markdown, all but comments and code. */
  readsHtml?: boolean | undefined;
};

/** The environment of a state of the parser. */
export function environmentOf({ env }: { env: unknown }): MarkdownEnvironment {
  return env as MarkdownEnvironment;
}

/** Counts a part of a text. Throws UnreadableText where it has more than it may. */
export function countNode(environment: MarkdownEnvironment): void {
  if (++environment.nodes <= environment.limits.maxNodes) return;
  throw new UnreadableText(describeTooManyNodes(environment.limits, "the Markdown"));
}
