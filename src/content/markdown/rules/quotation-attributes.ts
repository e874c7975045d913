// kramdown's classes for a quotation, on the line below it: `{: .callout}`. If the first class is a known kind, the
// quotation becomes a container.
import type { MarkdownIt, StateBlock } from "markdown-it";
import { environmentOf, startOfLine } from "../markdown-environment.ts";
import { readAttributes } from "./attributes.ts";
import { isKnownKind, type ContainerOpening } from "./containers.ts";

export function addQuotationAttributeRule({ block: { ruler } }: MarkdownIt): void {
  ruler.before("paragraph", "quotation_attributes", readQuotationAttributes, { alt: ["blockquote"] });
}

function readQuotationAttributes(state: StateBlock, startLine: number, _endLine: number, isSilent: boolean): boolean {
  const { containers } = environmentOf(state).dialect;
  const start = startOfLine(state, startLine);
  if (!state.src.startsWith("{:", start)) return false;
  const line = state.src.slice(start, state.eMarks[startLine]).trimEnd();
  const attributes = readAttributes(line, 0);
  if (attributes?.end !== line.length || attributes.classes.length === 0) return false;
  if (isSilent) return true;
  const closing = state.tokens.at(-1);
  if (closing?.type !== "blockquote_close" || closing.meta !== null || state.isEmpty(startLine - 1)) return false;
  const opening = state.tokens.findLast(({ type, level }) => type === "blockquote_open" && level === closing.level);
  if (opening === undefined) return false;
  const { classes, id } = attributes;
  opening.meta = closing.meta = { opening: { classes, id, title: "" } satisfies ContainerOpening };
  state.line = startLine + 1;
  if (containers !== undefined && isKnownKind(classes[0] ?? "", containers)) {
    [opening.type, closing.type] = ["container_open", "container_close"];
    opening.nesting = closing.nesting = 0;
    return true;
  }
  opening.attrSet("class", classes.join(" "));
  if (id !== undefined) opening.attrSet("id", id);
  return true;
}
