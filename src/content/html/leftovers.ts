// Finds syntax, such as shortcodes, that another site builder would have expanded.
import { cutText } from "../quote.ts";
import type { HtmlTag } from "./read-html.ts";
import { UnknownElements, type UnknownElement } from "./unknown-elements.ts";
import { TextReader, type TextPiece } from "./visit-text.ts";

/** One kind of unsupported syntax in HTML. */
export interface Leftover {
  message: string;
  /** The offset of the first use. */
  offset: number;
}

interface Syntax {
  what: string;
  /** Must match in linear time, since lessons can be long. */
  pattern: RegExp;
  advice?: string;
  /** Matches text that is meant for readers and therefore not reported. */
  isRight?: RegExp;
}

/** Matches internal slots of objects, such as `[[Prototype]]`, which consoles and the ECMAScript specification show. */
const INTERNAL_SLOT =
  /^\[\[(?:Prototype|Extensible|(?:Get|Set)PrototypeOf|IsExtensible|PreventExtensions|GetOwnProperty|DefineOwnProperty|HasProperty|Get|Set|Delete|OwnPropertyKeys|Call|Construct|Environment|Scopes?|HomeObject|Class|PrimitiveValue|Promise(?:State|Result|Value|Status)|Value|Writable|Enumerable|Configurable|Target|Handler|Bound\w+|FunctionLocation|Entries|ThisMode|FormalParameters|Code|Realm)\]\]$/;

const SYNTAXES: readonly Syntax[] = [
  { what: "an mdBook or Handlebars directive", pattern: /\{\{\s*#\s*[a-z_]+/gi },
  { what: "a Hugo shortcode", pattern: /\{\{(?:[<%]|&lt;|$)/g },
  { what: "a LiaScript animation", pattern: /\{\{\d+(?:-\d+)?\}\}/g },
  { what: "a template placeholder", pattern: /\{\{-?\s*[$\w]+(?:\.\w|\s*\||\s+-?\}\})/g },
  { what: "a Liquid or Jinja tag", pattern: /(?<!\{)\{%-?\s*[a-z]+/gi },
  {
    what: "a Svelte or MDX control line",
    pattern: /(?<!\{)\{[#:/@](?:if|else|each|key|await|then|catch|html|const|snippet|render)\b/g,
  },
  {
    what: "an MDX expression",
    pattern: /(?<![{$])\{\s*(?:[\w$]{1,80}(?:\.[\w$]{1,80}){0,5}\.map\(|(?:props|frontMatter|frontmatter)\.[\w$])/g,
  },
  {
    what: "an MDX import",
    pattern: /^\s*import[ \t]+[\w$*{][^\n]{0,300}[ \t]from[ \t]+(?:["'“‘]|&quot;|&#39;)/g,
    advice: "give MDX files the extension .mdx",
  },
  { what: "an MDX comment", pattern: /\{\s*\/\*/g },
  {
    what: "a Pandoc or kramdown attribute list",
    pattern:
      /(?<!\{)\{(?!#(?:if|each|key|await|snippet)\b|:(?:else|then|catch)\b)[ \t]{0,2}(?::\s*[.#a-z]|[.#][a-z][\w-]*[\s}]|(?:alt|width|height|class|id|style|target|rel|align|title|loading|lang)=|[a-z][\w-]*=(?:["'‘“]|&quot;))/gi,
  },
  { what: "a container", pattern: /(?:^|\n)[ \t]*:{3,}(?=[ \t]*(?:[\w{[\n]|$))/g },
  { what: "an MkDocs admonition", pattern: /(?:^|\n)[ \t]*(?:!!!|\?\?\?\+?)[ \t]+[a-z]/gi },
  {
    what: "a PyMdown block",
    pattern:
      /(?:^|\n)[ \t]*\/{3}[ \t]+(?:admonition|details|tab|html|caption|figure-caption|table-caption|define|note|attention|caution|danger|error|tip|hint|warning)(?=[ \t]*(?:\||\n|$))/g,
  },
  { what: "an MkDocs tab", pattern: /(?:^|\n)[ \t]*===[!+]?[ \t]+(?:["“]|&quot;)/g },
  { what: "an MkDocs icon", pattern: /:(?:material|fontawesome|octicons|simple)-[a-z\d-]{1,80}:/gi },
  { what: "an MkDocs snippet", pattern: /--8(?:<|&lt;)--/g },
  {
    what: "a Python-Markdown include",
    pattern: /\{!(?:>|&gt;)?[ \t]*[\w.~/][^!{}\n]{0,300}\.\w[^!{}\n]{0,100}![^{}\n]{0,100}\}/g,
  },
  { what: "a FastAPI include", pattern: /\{\*[ \t]+[\w.~/][^*{}\n]{0,300}\*\}/g },
  {
    what: "a Zensical directive",
    pattern:
      /@var\{[a-z_]\w{0,80}\}|(?:^|\n)[ \t]*@(?:(?:el)?if[ \t]+(?:not[ \t]+)?\(?[a-z_]\w{0,80}[ \t]*=|use[ \t]{1,8}(?:["“]|&quot;)?[\w./ -]{1,200}\.md\b)/gi,
  },
  { what: "a reStructuredText directive", pattern: /(?:^|\n)[ \t]*\.\.[ \t]+[a-z][\w-]*::/gi },
  { what: "a LiaScript quiz", pattern: /(?:^|\n)[ \t]*\[(?:\[[ x?!_]{0,20}\]|\([ x]?\))\]/gi },
  { what: "a table of contents", pattern: /(?:^|\n)[ \t]*\[(?:toc|\[_?toc_?\])\]/gi },
  { what: "a wiki link", pattern: /!?\[\[(?!_?toc_?\])[a-z](?!\]\])[^[\]\n,{}]{1,200}\]\]/gi, isRight: INTERNAL_SLOT },
  { what: "a Pandoc note", pattern: /\^\[[a-z][^[\]\n]{0,200}? /gi },
  { what: "a footnote without text", pattern: /\[\^(?:\d{1,4}|[a-z][a-z\d_]{3}[\w-]{0,40})\]/gi },
  {
    what: "an image",
    pattern: /!\[[^[\]\n]{0,300}\]\(/g,
    advice: "write spaces in its URL as %20, and set a size with <img width>",
  },
  {
    what: "a link",
    pattern:
      /(?<![!\w)\]])\[[^[\]\n]{1,300}\]\((?:$|[^()\s]{1,200} [^()\n]{1,200}\)|\.{0,2}\/|\{\{|\{%|[^()\n]{0,300}\.(?:mdx?|html?|pdf|png|jpe?g|gif|svg|ipynb|py|zip)\b)/gi,
    advice: "write spaces in its URL as %20",
  },
  { what: "a highlight", pattern: /(?<![=\w!])==(?=[^\s=])[^=\n]{0,200}[^\s=]==(?![=\w])/g, advice: "write <mark>" },
  {
    what: "a heading",
    pattern: /(?:^|\n)[ \t]{0,3}#{1,6}[ \t]+(?=\S)/g,
    advice: "inside HTML, leave an empty line above the heading",
  },
  {
    what: "a grid table",
    pattern: /(?:^|\n)[ \t]*\+(?:[-=]{3,100}\+){1,100}[ \t]*(?=\n|$)/g,
    advice: "write a table with | and -",
  },
  {
    what: "a table",
    pattern: /(?:^|\n)[ \t]*(?:\|[ \t]*)?:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+(?:\|[ \t]*)?(?=\n|$)/g,
    advice: "the header row above must follow an empty line and have as many cells as this line",
  },
  { what: "a callout marker", pattern: /^\s?\[![a-z]{3,20}\]/gi },
];

/** An mdBook directive in a code block, which includes code from another file. */
const INCLUDED_CODE: Syntax = {
  what: "code that mdBook includes",
  pattern: /(?:^|\n)[ \t]*\{\{\s*#(?:include|rustdoc_include|playground|playpen)\b/g,
};
/** A role such as `{ref}` directly before its text, which is in a code span. */
const ROLE: Syntax = { what: "a MyST role", pattern: /\{[a-z][a-z:-]{1,30}\}$/g };
/** Hugo's TOML front matter at the start of the text. */
const TOML_FRONT_MATTER = /^\s*(?:<p>)?\+\+\+\s/;

/** Pairs of brackets. The first match wins, so longer opening brackets precede their prefixes. */
const BRACKETS = [
  ["==", "=="],
  ["{{", "}}"],
  ["{", "}"],
  ["![[", "]]"],
  ["[[", "]]"],
  ["[", "]"],
] as const;

// Quickly finds where notation might begin: most text contains none.
const MAY_HOLD_NOTATION =
  /[{[](?!\s*\d)|:::|\/\/\/[ \t]|!!!|\?\?\?|==|\+[-=]|8(?:<|&lt;)-|\.\.[ \t]+[a-z]|\+\+\+|--:?[ \t]*\||:(?:material|fontawesome|octicons|simple)-|import[ \t]|# |@(?:var|if|elif|use)\b/gi;

/** Collects unknown elements and visible syntax of other programs, with one finding for each kind. */
export class LeftoverReader {
  readonly #html: string;
  readonly #text: TextReader;
  readonly #unknown: UnknownElements;
  readonly #found = new Map<Syntax, { offset: number; count: number }>();
  #nextNotation = -1;

  constructor(html: string) {
    this.#html = html;
    this.#text = new TextReader((piece) => this.#addPiece(piece));
    this.#unknown = new UnknownElements(html);
  }

  openTag(tag: HtmlTag): void {
    this.#text.open(tag);
    this.#unknown.openTag(tag);
  }

  closeTag(name: string): void {
    this.#text.close(name);
    this.#unknown.closeTag(name);
  }

  addText(start: number, end: number): void {
    this.#text.addText(start, end);
  }

  /** Returns all findings in order of first use. Call this once, at the end. */
  finish(): Leftover[] {
    this.#text.flush("");
    const leftovers = [...this.#found].map((found) => this.#describe(...found));
    if (TOML_FRONT_MATTER.test(this.#html)) {
      const message = "readers see the front matter between the +++ lines: move it to the start of the file";
      leftovers.unshift({ message, offset: 0 });
    }
    return [...leftovers, ...this.#unknown.list().map(describeUnknown)].sort((a, b) => a.offset - b.offset);
  }

  #addPiece({ start, end, code, nextTag }: TextPiece): void {
    if (this.#nextNotation < start) this.#nextNotation = this.#findNotation(start);
    if (this.#nextNotation >= end) return;
    const text = this.#html.slice(start, end);
    if (code === "block") this.#search(INCLUDED_CODE, text, start);
    if (code !== undefined) return;
    for (const syntax of SYNTAXES) this.#search(syntax, text, start);
    if (nextTag === "code") this.#search(ROLE, text, start);
  }

  #findNotation(start: number): number {
    MAY_HOLD_NOTATION.lastIndex = start;
    return MAY_HOLD_NOTATION.exec(this.#html)?.index ?? Infinity;
  }

  #search(syntax: Syntax, text: string, start: number): void {
    for (const match of text.matchAll(syntax.pattern)) {
      if (syntax.isRight?.test(match[0].trim()) === true) continue;
      const known = this.#found.get(syntax);
      if (known !== undefined) known.count++;
      else this.#found.set(syntax, { offset: start + match.index + countBlanks(match[0]), count: 1 });
    }
  }

  #describe({ what, advice }: Syntax, { offset, count }: { offset: number; count: number }): Leftover {
    const written = cutText(readWritten(this.#html, offset), 80);
    const times = `${advice === undefined ? "" : `: ${advice}`}${describeCount(count)}`;
    return { message: `readers see "${written}": ${what} is not supported here${times}`, offset };
  }
}

function describeUnknown({ written, offset, count }: UnknownElement): Leftover {
  const advice = "HTML has no such element. Put it in backticks, or write &lt; for <";
  return { message: `readers do not see "${cutText(written, 80)}>": ${advice}${describeCount(count)}`, offset };
}

function describeCount(count: number): string {
  return count === 1 ? "" : ` (${count.toLocaleString("en-US")} times in this lesson)`;
}

function countBlanks(text: string): number {
  return text.length - text.trimStart().length;
}

/**
 * Returns the syntax as written, up to its closing bracket, the next tag or the end of the line, whichever comes first.
 */
function readWritten(html: string, offset: number): string {
  const [text = ""] = html.slice(offset, offset + 200).split("\n", 1);
  const isLink = /^!?\[[^[\]]*\]\(/.test(text);
  const [open = "", close = "\n"] = isLink ? ["", ")"] : (BRACKETS.find(([each]) => text.startsWith(each)) ?? []);
  const closed = text.indexOf(close, open.length);
  const tag = text.search(/<\/?[a-z]/i);
  const end = closed === -1 ? text.length : closed + close.length;
  const length = tag === -1 ? end : Math.min(tag, end);
  return text
    .slice(0, length)
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .trim();
}
