// GitHub's task lists, `- [ ] boil the water` and `- [x] warm the pot`. Replaces markdown-it-task-lists 2, which takes
// quadratic time.
import type { MarkdownIt, StateCore, Token } from "markdown-it";

const TASK = /^\[([ xX])\](?:[ \t]+|$)/;

export function addTaskRule({ core: { ruler } }: MarkdownIt): void {
  ruler.push("tasks", readTasks);
}

function readTasks(state: StateCore): void {
  const lists: Token[] = [];
  for (const [index, token] of state.tokens.entries()) {
    if (token.type === "bullet_list_open" || token.type === "ordered_list_open") lists.push(token);
    else if (token.type === "bullet_list_close" || token.type === "ordered_list_close") lists.pop();
    else if (token.type === "list_item_open" && readTask(state, index)) {
      token.attrJoin("class", "task");
      const list = lists.at(-1);
      if (list?.attrGet("class") === null) list.attrSet("class", "tasks");
    }
  }
}

/** Converts an item's mark to a check box. Returns false for an item without a mark. */
function readTask({ tokens, Token: TokenClass }: StateCore, index: number): boolean {
  const inline = tokens[index + 1]?.type === "paragraph_open" ? tokens[index + 2] : undefined;
  const [first, next] = inline?.children ?? [];
  const mark = first?.type === "text" ? TASK.exec(first.content) : null;
  // White space or a line end follows a mark; brackets directly before code or emphasis are text.
  if (first === undefined || mark === null || (first.content.length === 3 && next !== undefined)) return false;
  first.content = first.content.slice(mark[0].length);
  const box = new TokenClass("html_inline", "", 0);
  box.content = `<input type="checkbox" disabled${mark[1] === " " ? "" : " checked"}> `;
  inline?.children?.unshift(box);
  return true;
}
