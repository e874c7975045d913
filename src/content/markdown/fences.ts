// Renders the info string of code fences: the language becomes a class, other words become attributes for sites:
// `data-editable=""`, `data-title="main.rs"`.
import type { MarkdownIt, StateCore, Token } from "markdown-it";

/** Real info strings have up to five words. */
const MAX_ATTRIBUTES = 20;
const MAX_NAME = 40;

export function addFenceRule({ core: { ruler }, utils }: MarkdownIt): void {
  ruler.push("fence_attributes", ({ tokens }: StateCore) => {
    for (const token of tokens) if (token.type === "fence") readInfo(token, utils.unescapeAll(token.info).trim());
  });
}

// Alternatives by priority.
const PART = new RegExp(
  [
    // Braces of {.python .numberLines} only delimit; those of {1,3-5} hold lines.
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
  const fence = new FenceInfo(token, info);
  fence.read();
  // These words only mark attributes.
  token.info = "";
}

class FenceInfo {
  readonly #token: Token;
  readonly #info: string;
  #hasLanguage = false;
  #attributes = 0;

  constructor(token: Token, info: string) {
    this.#token = token;
    this.#info = info;
  }

  read(): void {
    let position = 0;
    while (position < this.#info.length) {
      PART.lastIndex = position;
      const groups = PART.exec(this.#info)?.groups;
      const isFull =
        this.#attributes >= MAX_ATTRIBUTES && Object.values(groups ?? {}).some((each) => each !== undefined);
      if (groups === undefined || isFull) return this.#set("more", this.#info.slice(position).trim());
      this.#readPart(groups);
      position = PART.lastIndex;
    }
  }

  #readPart({
    lines,
    pandocClass,
    id,
    key,
    double,
    single,
    braced,
    bare,
    word,
  }: Record<string, string | undefined>): void {
    const named = word ?? pandocClass;
    if (lines !== undefined) this.#set("highlight", lines.trim());
    else if (id !== undefined) this.#token.attrSet("id", id);
    else if (key !== undefined) this.#set(key, double ?? single ?? braced ?? bare ?? "");
    else if (named !== undefined && !this.#hasLanguage && this.#attributes === 0) {
      this.#hasLanguage = true;
      this.#token.attrSet("class", `language-${named}`);
    } else if (named !== undefined) this.#set(named, "");
  }

  // The first attribute of a name wins, as in HTML.
  #set(name: string, value: string): void {
    const attribute = toAttributeName(name);
    this.#attributes++;
    if (attribute === undefined)
      this.#token.attrSet("data-more", `${this.#token.attrGet("data-more") ?? ""} ${name}`.trim());
    else if (this.#token.attrGet(attribute) === null) this.#token.attrSet(attribute, value);
  }
}

/** `startFrom` becomes `data-start-from`; undefined without usable characters. */
function toAttributeName(name: string): string | undefined {
  const words = name
    .slice(0, MAX_NAME)
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, "-")
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "-")
    .replace(/^-|-$/g, "");
  return words === "" ? undefined : `data-${words}`;
}
