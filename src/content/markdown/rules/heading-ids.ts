// Heading ids: the author's, else GitHub's, which links in repositories rely on. Replaces github-slugger 2, whose
// character table is older than JavaScript's and differs from it in 5,663 characters.
import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { toHeadingId } from "../../html/fragments.ts";
import { environmentOf } from "../markdown-environment.ts";
import { toText } from "../tokens.ts";

export function addHeadingIdRules({ core: { ruler }, renderer, utils }: MarkdownIt): void {
  ruler.before("inline", "given_heading_ids", readGivenIds);
  ruler.push("heading_ids", addIds);
  renderer.rules["heading_anchor"] = (tokens, index) => {
    const id = tokens[index]?.attrGet("id") ?? null;
    return id === null ? "" : `<a id="${utils.escapeHtml(String(id))}"></a>\n`;
  };
}

/** Converts a hidden heading to an anchor with the same id. */
export function toAnchor(heading: Token): Token {
  heading.type = "heading_anchor";
  heading.nesting = 0;
  return heading;
}

// `## Decks and cards[[decks]]`, if the dialect allows it. White space is trimmed afterwards, since matching it before
// the brackets would take quadratic time.
const DOUBLE_BRACKETS = /\[\[([^[\]]+)\]\]$/;
// `## Decks and cards {#decks .wide}` or `{: #decks}`.
const ATTRIBUTES = /\{(:?)([^{}]*)\}$/;
const ATTRIBUTE = /^(?:[#.][^\s#.{}"'=]\S*|-|[A-Za-z][\w-]*=\S+)$/;

function readGivenIds(state: StateCore): void {
  const { hasHeadingAnchors } = environmentOf(state).dialect;
  for (const [heading, content] of listHeadings(state.tokens)) {
    const text = content.content.trimEnd();
    const given = (hasHeadingAnchors ? readDoubleBrackets(text) : undefined) ?? readHeadingAttributes(text);
    if (given === undefined) continue;
    if (given.id !== undefined) heading.attrSet("id", given.id);
    // `## Leaves ## {#leaves}`
    content.content = text
      .slice(0, given.start)
      .trimEnd()
      .replace(/[ \t]#{1,6}$/, "")
      .trimEnd();
  }
}

/** The attributes after a heading's text. */
export interface GivenId {
  /** The id; undefined if there are only other attributes. */
  id: string | undefined;
  /** The start of the hidden part of the heading's text. */
  start: number;
}

function readDoubleBrackets(text: string): GivenId | undefined {
  const found = text.endsWith("]]") ? DOUBLE_BRACKETS.exec(text.slice(text.lastIndexOf("[["))) : null;
  return found?.[1] === undefined ? undefined : { id: found[1].trim(), start: text.length - found[0].length };
}

/** Reads a heading's trailing attributes; returns undefined for plain braces, as in `## Call f{x=1}`. */
export function readHeadingAttributes(text: string): GivenId | undefined {
  const start = text.lastIndexOf("{");
  const [, colon, list = ""] = (text.endsWith("}") ? ATTRIBUTES.exec(text.slice(start)) : null) ?? [];
  const words = list.trim().split(/\s+/);
  if (colon === undefined || text[start - 1] === "\\" || !words.every((word) => ATTRIBUTE.test(word))) return undefined;
  const id = words.find((word) => word.startsWith("#"))?.slice(1);
  const isApart = start === 0 || /\s/.test(text.charAt(start - 1));
  const isAttributeList = colon !== "" || words.some((word) => word === "-" || word.startsWith("."));
  return id !== undefined || (isApart && isAttributeList) ? { id, start } : undefined;
}

function addIds({ tokens }: StateCore): void {
  const headings = listHeadings(tokens);
  const takeId = createIds(headings.map(([heading]) => heading.attrGet("id")).filter((id) => id !== null));
  for (const [heading, content] of headings) {
    if (heading.attrGet("id") !== null) continue;
    const id = takeId(toText((content.children ?? []).filter(({ type }) => type !== "image")));
    if (id !== "") heading.attrSet("id", id);
  }
}

function listHeadings(tokens: Token[]): [heading: Token, content: Token][] {
  const headings: [Token, Token][] = [];
  let heading: Token | undefined;
  for (const token of tokens) {
    if (heading !== undefined) headings.push([heading, token]);
    heading = token.type === "heading_open" ? token : undefined;
  }
  return headings;
}

/**
 * Returns a function that creates ids and numbers repeated ones as github-slugger does: `a`, `a-1`, `a-2`. It avoids
 * `given` ids. Text without usable characters gets the ids "", `-1`, `-2`.
 */
function createIds(given: readonly (string | number)[]): (text: string) => string {
  const repeatsOf = new Map(given.map((id) => [String(id), 0]));
  return (text) => {
    const base = toHeadingId(text);
    let id = base;
    let repeats = repeatsOf.get(base);
    // Tries each number once per text, so that numbering takes linear time.
    while (repeats !== undefined && repeatsOf.has(id)) id = `${base}-${++repeats}`;
    if (repeats !== undefined) repeatsOf.set(base, repeats);
    repeatsOf.set(id, 0);
    return id;
  };
}
