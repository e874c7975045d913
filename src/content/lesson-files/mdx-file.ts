import { MDX } from "../markdown/mdx/mdx-dialects.ts";
import type { BodyOptions, LessonBody } from "./lesson-body.ts";
import { renderMarkdownBody } from "./markdown-file.ts";

/** Renders MDX in its own dialect. Throws UnreadableText beyond a limit. */
export function renderMdxBody(body: string, options: BodyOptions): LessonBody {
  const { hasTexMath, createComponents, rules } = options.dialect;
  const dialect = { ...MDX, hasTexMath, rules: createComponents === undefined ? MDX.rules : rules };
  return renderMarkdownBody(body, { ...options, dialect });
}
