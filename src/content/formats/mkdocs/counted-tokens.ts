// Counts what a page loses, and reports one line per kind.
import type { StateCore, Token } from "markdown-it";
import { environmentOf } from "../../markdown/markdown-environment.ts";

export interface CountedKind {
  what: string;
  plural: string;
  /** True if readers see something else instead. */
  isKept: boolean;
  describe: (name: string) => string;
}

/** Empties the inline tokens of a type and reports how many there are. Each token's content is a name. */
export function countTokens(state: StateCore, type: string, { describe, ...kind }: CountedKind): void {
  let count = 0;
  let first: { name: string; line: number } | undefined;
  for (const token of state.tokens) {
    const { children } = token;
    for (const [index, child] of children?.entries() ?? []) {
      if (child.type !== type) continue;
      first ??= { name: child.content, line: (token.map?.[0] ?? 0) + 1 + (child.map?.[0] ?? 0) };
      Object.assign(child, { type: "text", content: "", children: null });
      if (!kind.isKept) closeGap(children?.[index - 1], children?.[index + 1]);
      count++;
    }
  }
  if (first === undefined) return;
  const times = count === 1 ? "" : ` (${count} times in this file)`;
  const message = `${describe(first.name)}${times}`;
  environmentOf(state).remarks?.push({ line: first.line, kind: "counted", message, tally: [{ ...kind, count }] });
}

/** Drops the spaces on one side of a gap. */
function closeGap(before: Token | undefined, after: Token | undefined): void {
  const isStart = before?.type !== "text" ? before?.nesting !== -1 : /(?:^|[ \t])$/.test(before.content);
  if (isStart && after?.type === "text") after.content = after.content.trimStart();
  if (after === undefined || after.nesting === -1) {
    if (before?.type === "text") before.content = before.content.trimEnd();
  }
}
