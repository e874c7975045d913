// Converts the info string of code fences: the language becomes a class, and other words become attributes that sites
// can use: `data-editable=""`, `data-title="main.rs"`.
import type { MarkdownIt, StateCore, Token } from "markdown-it";

/** The maximum number of attributes; real info strings have up to five words. */
const MAX_ATTRIBUTES = 20;
const MAX_NAME = 40;

export function addFenceRule({ core: { ruler }, utils }: MarkdownIt): void {
  ruler.push("fence_attributes", ({ tokens }: StateCore) => {
    for (const token of tokens) if (token.type === "fence") readInfo(token, utils.unescapeAll(token.info).trim());
  });
}

// Alternatives in order of priority.
const PART = new RegExp(
  [
    // The braces of {.python .numberLines} are only delimiters; those of {1,3-5} contain line numbers.
    String.raw`\{(?<lines>\d[\d\s,-]*)\}`,
    String.raw`[\s,]+`,
    String.raw`[{}]`,
    String.raw`\.(?<pandocClass>[^\s,{}="']+)`,
    String.raw`#(?<id>[^\s,{}="']+)`,
    String.raw`(?<key>[^\s,{}="']+)=(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|\{(?<braced>[^{}]*)\}|(?<bare>[^\s,{}"']*))`,
    String.raw`(?<word>[^\s,{}="']+)`,
    String.raw`["'=]`,
  ].join("|"),
  "y",
);

function readInfo(token: Token, info: string): void {
  if (info === "") return;
  readParts(token, info);
  // Otherwise the renderer would add a class for the first word.
  token.info = "";
}

function readParts(token: Token, info: string): void {
  let hasLanguage = false;
  let attributes = 0;
  const set = (name: string, value: string): void => {
    attributes++;
    setAttribute(token, name, value);
  };
  for (let position = 0; position < info.length; position = PART.lastIndex) {
    PART.lastIndex = position;
    const groups = PART.exec(info)?.groups;
    const isFull = attributes >= MAX_ATTRIBUTES && Object.values(groups ?? {}).some((each) => each !== undefined);
    if (groups === undefined || isFull) return set("more", info.slice(position).trim());
    const { lines, pandocClass, id, key, double, single, braced, bare, word } = groups;
    const named = word ?? pandocClass;
    if (lines !== undefined) set("highlight", lines.trim());
    else if (id !== undefined) token.attrSet("id", id);
    else if (key !== undefined) set(key, double ?? single ?? braced ?? bare ?? "");
    else if (named !== undefined && !hasLanguage && attributes === 0) {
      hasLanguage = true;
      token.attrSet("class", `language-${named}`);
    } else if (named !== undefined) set(named, "");
  }
}

// Of several attributes with the same name, the first wins, as in HTML.
function setAttribute(token: Token, name: string, value: string): void {
  const attribute = toAttributeName(name);
  if (attribute === undefined) token.attrSet("data-more", `${token.attrGet("data-more") ?? ""} ${name}`.trim());
  else if (token.attrGet(attribute) === null) token.attrSet(attribute, value);
}

/** Converts `startFrom` to `data-start-from`. Returns undefined for a name without usable characters. */
function toAttributeName(name: string): string | undefined {
  const words = name
    .slice(0, MAX_NAME)
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, "-")
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "-")
    .replace(/^-|-$/g, "");
  return words === "" ? undefined : `data-${words}`;
}
