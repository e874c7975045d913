// Parses notebook cells separately, so that unclosed markup does not extend beyond its cell.
import { decodeUrl } from "../../html/links.ts";
import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { environmentOf } from "../markdown-environment.ts";
import { takeRule } from "../parser-states.ts";
import { toText } from "../tokens.ts";

/** Part of a notebook: lines of Markdown or code, counted from 0, or HTML in place of a line. */
export type CellPart =
  | { kind: "markdown"; from: number; end: number }
  | { kind: "code"; from: number; end: number; language: string }
  | { kind: "html"; html: string; at: number };

export interface Cells {
  parts: readonly CellPart[];
  /** Attachment URLs by the cell's first line and the attachment's name, such as `12 plan.png`. */
  attachments: ReadonlyMap<string, string>;
}

export function addCellRules({ core: { ruler } }: MarkdownIt): void {
  const readBlocks = takeRule(ruler, "block");
  ruler.at("block", (state) => (environmentOf(state).cells === undefined ? readBlocks(state) : readParts(state)));
  ruler.after("footnotes", "cell_attachments", placeAttachments);
  ruler.push("cell_fragments", placeFragments);
}

function readParts(state: StateCore): void {
  const { parts = [] } = environmentOf(state).cells ?? {};
  const block = new state.md.block.State(state.src, state.md, state.env, state.tokens);
  for (const part of parts) {
    if (part.kind === "markdown") {
      block.lineMax = part.end;
      state.md.block.tokenize(block, part.from, part.end);
      continue;
    }
    const token = block.push(part.kind === "code" ? "fence" : "html_block", "", 0);
    if (part.kind === "code") {
      const content = block.getLines(part.from, part.end, 0, false);
      Object.assign(token, { tag: "code", info: part.language, markup: "```", content: `${content}\n` });
      token.map = [part.from, part.end];
    } else {
      token.content = part.html;
      token.map = [part.at, part.at + 1];
    }
  }
}

const ATTACHED = /(\bsrc\s*=\s*)(?:"(attachment:[^"]*)"|'(attachment:[^']*)'|(attachment:[^\s"'>]+))/gi;

/** Resolves URLs such as `attachment:plan.png` to the attachments of their own cells. */
function placeAttachments(state: StateCore): void {
  const { parts = [], attachments = new Map<string, string>() } = environmentOf(state).cells ?? {};
  const starts = parts
    .filter(({ kind }) => kind === "markdown")
    .map((part) => (part.kind === "markdown" ? part.from : 0));
  let cell = -1;
  const place = (url: string): string | undefined => {
    const [, name] = /^attachment:(.*)$/s.exec(url) ?? [];
    // An attachment missing from the cell is reported as a missing file.
    return name === undefined ? undefined : (attachments.get(`${starts[cell]} ${decodeUrl(name)}`) ?? name);
  };
  const visit = (token: Token): void => {
    for (const name of ["src", "href"]) {
      const url = place(String(token.attrGet(name)));
      if (url !== undefined) token.attrSet(name, url);
    }
    if (token.type === "html_block" || token.type === "html_inline") {
      token.content = token.content.replace(ATTACHED, (whole, before: string, ...urls: (string | undefined)[]) => {
        const placed = place(urls.find((url) => url !== undefined) ?? "");
        return placed === undefined ? whole : `${before}"${placed}"`;
      });
    }
    token.children?.forEach(visit);
  };
  for (const token of state.tokens) {
    while (token.map !== null && (starts[cell + 1] ?? Infinity) <= token.map[0]) cell++;
    visit(token);
  }
}

const HTML_FRAGMENT = /(?<=\bhref\s{0,9}=\s{0,9}["']?)#([^"'\s>]+)/gi;

/** Resolves links such as `#My-Heading!` to the heading's id, since Jupyter's own ids replace only spaces. */
function placeFragments({ tokens }: StateCore): void {
  const ids = new Map<string, string>();
  for (const [index, heading] of tokens.entries()) {
    const id = heading.type === "heading_open" ? heading.attrGet("id") : null;
    const { children } = tokens[index + 1] ?? {};
    if (id !== null) ids.set(toText(children ?? []).replaceAll(" ", "-"), String(id));
  }
  const place = (url: string): string => {
    const id = url.startsWith("#") ? ids.get(decodeUrl(url.slice(1))) : undefined;
    return id === undefined ? url : `#${id}`;
  };
  for (const token of tokens.flatMap((each) => [each, ...(each.children ?? [])])) {
    if (token.type === "link_open") token.attrSet("href", place(String(token.attrGet("href"))));
    else if (token.type.startsWith("html_")) token.content = token.content.replace(HTML_FRAGMENT, place);
  }
}
