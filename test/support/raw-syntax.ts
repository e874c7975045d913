// Finds syntax that readers would see because no rule processed it, independently of the rules.
import { gemoji } from "gemoji";
import { Parser } from "htmlparser2";

/** Their content is literal. */
const VERBATIM = new Set(["code", "pre", "script", "style", "textarea", "kbd", "samp", "title"]);
const MATH = /(?:^|\s)math(?:\s|$)/;
const BLOCKS = new Set("p li td th h1 h2 h3 h4 h5 h6 div aside blockquote summary dt dd figcaption tr br".split(" "));
const EMOJI = new Set(gemoji.flatMap(({ names }) => names));

/** Patterns by name for the text of a block, with the source's lines. */
const SYNTAX: Record<string, RegExp> = {
  heading: /^#{1,6}[ \t]+\S/m,
  "strong or emphasis": /(?<![\w*])\*\*?[^\s*][^*\n]{0,200}\*\*?(?![\w*])|(?<![\w_])__[^\s_][^_\n]{0,200}__(?![\w_])/,
  "struck or marked text": /(?<![\w~])~~[^\s~][^~\n]*~~|(?<!=)==[^\s=][^=\n]*==(?!=)|\^\^[^\s^][^^\n]*\^\^/,
  keys: /\+\+[a-z][\w+ "-]{0,60}\+\+/i,
  "link or image": /!?\[[^\]\n]{0,300}\]\([^)\s]{1,300}\)|!?\[[^\]\n]{1,200}\]\[[^\]\n]{0,100}\]/,
  footnote: /\[\^[^\]\s]+\]/,
  citation: /\[-?@[\w:.-]+\]/,
  task: /^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]/m,
  list: /^[ \t]*[-*+][ \t]+\S.*\n[ \t]*[-*+][ \t]+\S/m,
  fence: /^[ \t]*(?:```|~~~)/m,
  container: /^[ \t]*:{3,}/m,
  "block of PyMdown": /^[ \t]*\/{3,}(?:[ \t]|$)/m,
  "admonition of MkDocs": /^[ \t]*(?:!!!|\?\?\?\+?)[ \t]*["\w]/m,
  "tab of MkDocs": /^[ \t]*===[!+]?[ \t]+"/m,
  snippet: /--8<--/,
  "critic marks": /\{(?:\+\+|--|~~|==|>>)[^\n]{0,200}(?:\+\+|--|~~|==|<<)\}|^\{(?:\+\+|--|~~|==|>>)$/m,
  "role of MyST": /\{[a-z][\w:-]*(?: [^{}\n]*)?\}(?:`|$)/m,
  "option of a directive": /^:[a-z][\w-]*:[ \t]*\S*$/m,
  "target of MyST": /^\([\w:-]+\)=/m,
  "block break": /^(?:\+\+\+|\^\^\^)/m,
  attributes: /\{:?[ \t]*[.#][a-z][\w-]*(?:[ \t][^{}\n]*)?\}/i,
  template: /\{\{|\{%|%\}|\}\}/,
  "directive of reStructuredText": /^[ \t]*\.\.[ \t]+[\w-]+::/m,
  formula: /\$\$|\\\(|\\\[|\\begin\{/,
  table: /^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|/m,
  abbreviation: /^\*\[[^\]\n]+\]:/m,
  comment: /<!--|-->/,
  tag: /<\/?[a-z][\w-]*(?:\s[^<>]*)?>/i,
  "table of contents": /^\[\[?_?TOC_?\]?\]$/im,
  "wiki link": /\[\[[^\]\n]+\]\]/,
  code: /(?<!`)`[^`\n]+`(?!`)/,
  icon: /:(?:material|fontawesome|octicons|simple)-[a-z\d-]+:/i,
};

/** Syntax in the text of HTML, each as `kind: the text around it`. */
export function findRawSyntax(html: string): string[] {
  const found: string[] = [];
  for (const text of listBlocks(html)) {
    for (const [kind, pattern] of Object.entries(SYNTAX)) {
      const [match, index] = [pattern.exec(text)?.[0], pattern.exec(text)?.index ?? 0];
      if (match !== undefined) found.push(`${kind}: ${text.slice(Math.max(0, index - 20), index + 60).trim()}`);
    }
    for (const [written, name = ""] of text.matchAll(/(?<![\w:]):([a-z][\w+-]{1,40}):(?![\w:])/g))
      if (EMOJI.has(name)) found.push(`emoji: ${written}`);
  }
  return found;
}

/** The text of each block, without literal parts. */
function listBlocks(html: string): string[] {
  const blocks: string[] = [];
  let text = "";
  const verbatim: string[] = [];
  const end = (): void => {
    if (text.trim() !== "") blocks.push(text.replace(/^\n+/, ""));
    text = "";
  };
  const parser = new Parser({
    onopentag(name, { class: className = "" }) {
      const isVerbatim = VERBATIM.has(name) || MATH.test(className);
      if (isVerbatim || verbatim.length > 0) verbatim.push(name);
      // Marks on both sides of code are not a pair.
      if (isVerbatim) text += "\uFFFC";
      if (BLOCKS.has(name)) end();
    },
    ontext(part) {
      if (verbatim.length === 0) text += part;
    },
    onclosetag(name) {
      if (verbatim.at(-1) === name) verbatim.pop();
      if (BLOCKS.has(name)) end();
    },
  });
  parser.write(html);
  parser.end();
  end();
  return blocks;
}
