// Texts of any length that could exhaust their reader.
import { openSource } from "../src/cli/write/open-source.ts";
import { checkCatalog } from "../src/publishing/check-catalog.ts";
import { writeFolder } from "../test/support/written-folder.ts";

const fill = (part: string, size: number): string => part.repeat(size / part.length);
const nest = (open: string, close: string, size: number): string =>
  open.repeat(size / open.length) + close.repeat(size / open.length);
const number = (size: number, toPart: (n: number) => string): string => {
  const parts: string[] = [];
  for (let length = 0; length < size; length += parts.at(-1)?.length ?? 1) parts.push(toPart(parts.length));
  return parts.join("");
};
const cartridge = (items: string, resources: string): string =>
  `<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"><organizations><organization>${items}</organization></organizations><resources>${resources}</resources></manifest>`;
const toOutput = (type: string, text: string) => ({
  output_type: "display_data",
  metadata: {},
  data: { [type]: text },
});
const toNotebook = (cell: object): string => {
  const kind = "outputs" in cell ? "code" : "markdown";
  return JSON.stringify({
    nbformat: 4,
    metadata: {},
    cells: [{ cell_type: kind, metadata: {}, source: "x", ...cell }],
  });
};
const lesson = (html: string): string =>
  JSON.stringify({ name: "C", chapters: [{ name: "A", lessons: [{ name: "L", additionalText: html }] }] });

/** Additional files that make a folder a course of the format. */
const BESIDES: Record<string, Record<string, string>> = {
  "src/b.md": { "book.toml": "", "src/SUMMARY.md": "- [B](b.md)\n", "src/c.txt": "c" },
  "episodes/a.md": { "config.yaml": "carpentry: x\n" },
  "episodes/a.Rmd": { "config.yaml": "carpentry: x\n" },
  "docs/m.md": {
    "mkdocs.yml":
      "nav: [m.md]\nmarkdown_extensions: [pymdownx.extra,admonition,pymdownx.details,pymdownx.tabbed,pymdownx.mark,pymdownx.caret,pymdownx.keys,pymdownx.critic,pymdownx.emoji,pymdownx.quotes,pymdownx.progressbar,pymdownx.smartsymbols,pymdownx.inlinehilite,pymdownx.snippets,pymdownx.blocks.html,pymdownx.blocks.tab,pymdownx.blocks.caption]\n",
    "c.txt": "c",
  },
  "notes.md": {},
  "b.md": { "_toc.yml": "root: b\n" },
  "README.fr.md": {
    "course.yaml": "name: A\nlanguages: [fr]\n",
    "README.md": "# A\n",
    "a.md": "a",
    "b.md": "b",
    "a.fr.md": "a",
  },
  "page.html": {
    "imsmanifest.xml": cartridge(
      '<item><item identifierref="r"><title>a</title></item></item>',
      '<resource identifier="r" type="webcontent" href="page.html"><file href="page.html"/></resource>',
    ),
  },
};

export interface LongText {
  what: string;
  file: string;
  /** Repeats text up to about this many characters. */
  toText: (size: number) => string;
}

const LIASCRIPT = "<!-- narrator: a -->\n# a\n\n";
const EDX_PROBLEM = "<course><chapter><problem>";

/** Texts by file and description: a fragment to repeat, or a function that makes text of about the given length. */
const TEXTS: Record<string, Record<string, string | ((size: number) => string)>> = {
  "01-a.html": {
    "relative links on one line": "<img src=x>",
    "scripts on one line": (size) => fill("<a onclick=x>", size * 12),
    "a frame with a repeated attribute": (size) =>
      `<iframe ${fill("srcdoc=x ", size / 2)}sandbox="${fill("a ", size / 2)}">`,
    "shortcode openings": "{{ {% {a- [[a ",
    "trailing line ends and blanks": (size) => `{{#a}}${fill("\n \t", size)}`,
    "text around directives": "<p>{{#a}}",
    "embedded pages": "<embed src=//a.example>",
    "a srcset of commas": (size) => `<img srcset="${fill(",", size)}">`,
    "a srcset that ends with commas": (size) => `<img srcset="a${fill(",", size)}">`,
    "a srcset that ends with blanks": (size) => `<img srcset="a,${fill(" ", size)}">`,
    "a srcset with many images": (size) => `<img srcset="${fill("a.png 1x,", size)}">`,
    "a style with many images": (size) => `<p style="${fill("url(a.png) url('a url( ", size)}">`,
    "a blank attribute": (size) => `<a href=${fill(" ", size)}`,
    "unknown tags": (size) => number(size, (n) => `<a${n}></a${n}><svg>`),
    "link openings": "[a](b ![c](d ",
  },
  "01-a.md": {
    "relative links on one line of a paragraph": (size) => `a ${fill("<img src=x>", size)}`,
    "relative links on one line of an HTML block": "<p><img src=x>",
    "table-like lines that are not a table": (size) => `a\n${fill("--|", size)}x\n${fill("--|\n", size)}`,
    "backticks beside a directive": (size) => `\\{{#a b\n${fill("`a ``", size)}${"`".repeat(size)}`,
    "a heading with many blanks": (size) => `# a${fill(" ", size)}b`,
    "unclosed brackets": (size) => fill("[", size / 4),
    "nested brackets": (size) => fill("[", size / 4) + fill("]", size / 4),
    "unclosed emphasis": "*a **b _c ",
    "unclosed comments": (size) => `a ${fill("<!-- ", size)}`,
    "ever longer runs of backticks": (size) => number(size, (n) => `${"`".repeat(n)}a`),
    headings: "# a[[a]]\n",
    "headings with the same id": (size) => number(size, (n) => `# a\n\n# a-${n}\n\n`),
    "headings with braces": (size) => `# ${fill("{#a ", size)}\n\n# ${fill("{", size)}}`,
    "links to missing ids": "[a](#b)\n",
    footnotes: (size) => number(size, (n) => `a[^${n}]\n\n[^${n}]: b\n\n`),
    "references to one footnote": (size) => `[^a]: - b\n\n${fill("[^a]", size)}`,
    "footnote openings": (size) => `[^a]: b\n\n${fill("[^", size)}\n\n${fill("[^a", size)}]`,
    "footnote labels in brackets": (size) => `[^a]: b\n\n${fill("[[^a]", size / 4)}`,
    "unclosed formulas in code": "$`a `` ",
    "unclosed comments in HTML": "<p>\n<!--\n\n",
    "HTML comments across blank lines": "<p>\n<!--\n\n-->\n\n",
    "comments in one HTML block": (size) => `<p>${fill("<!--\n\n-->", size)}`,
    tasks: "- [ ] a\n",
    addresses: "https://a.b/ ",
    "a URL of dots, labels and brackets": (size) => `https://${fill("a.", size)}${fill("(", size)}${fill(")", size)}`,
    "URL openings": "http://www.http://",
    "unclosed formulas": (size) => `a ${fill("\\\\( ", size)}`,
    "unclosed formulas in a link": (size) => `[${fill("\\\\( ", size)}](b) ${fill("\\\\[", size)}`,
    "formulas closed on another line": (size) => `${fill("\\\\[ a\n", size)}\n\\\\]`,
    "unclosed multi-line formulas": "\\\\[\n\n",
    "formulas with text after the delimiter": (size) => `${fill("\\\\[\n\n", size)}\\\\] a`,
    "formulas in a list, closed below the list": (size) => `- a\n${fill("  \\\\[\n\n", size)}\n\\\\]`,
    dollars: (size) => `a ${fill("$$$ $$ \\$", size)}\n\n${fill("$$\n", size)}`,
    "backslashes before dollars": (size) => `$$ ${"\\".repeat(size)}$$ ${fill("\\$$ ", size)}`,
    "words after a fence": (size) => `~~~${fill(" a=b", size)}\n`,
    "quotes after a fence": (size) => `~~~${fill("a=\" b=' {", size)}\n`,
    callouts: "> [!TIP] a\n\n",
    "tags with Markdown content": "<div markdown=1>\n",
    "a tag with many markdown attributes": (size) => `<div ${fill("markdown ", size)}`,
    "comments in HTML": (size) => `<div>\n${fill("<!--a-->b", size)}`,
    "Unicode blanks in a tag": (size) => `<a b=${fill("\u00a0", size / 4)}`,
    "Unicode blanks in tags": `a <a${" b=c\u00a0d".repeat(32)}\n\n`,
    "host openings beside Chinese text": (size) => fill("www.\u4e2d", size * 2),
    "emphasis beside Chinese text": "中**。",
    "repeated references to a URL": (size) => `[a]: http://${fill("b", size / 2)}\n\n${fill("[a] ", size / 2)}`,
    "repeated references to a script URL": (size) =>
      `[a]: javascript:${fill("b", size / 2)}\n\n${fill("[a] ", size / 2)}`,
    "many fields": (size) => `---\n${number(size, (n) => `f${n}: 1\n`)}---\n`,
    aliases: (size) =>
      `---\n${number(size, (n) => `f${n}: &a${n} [*a${Math.max(0, n - 1)}]\n`)}---\n`.replace("*a0", "x"),
    "lists in a deep YAML list": (size) => `---\na: ${"[".repeat(1000)}${fill("[],", size)}x${"]".repeat(1000)}\n---\n`,
    "unopened brackets in YAML": (size) => `---\na: ${fill("]", size)}\n---\n`,
    "unclosed front matter": (size) => `---\n\n${fill("a\n", size)}`,
    "formulas that begin with a dollar": (size) => `${fill("\\\\[$\n", size)}\\\\]\n`,
    "summaries below many open tags": (size) =>
      number(size * 16, (n) => `<a${n} markdown="1">\n`) + fill("<summary>x</summary>\n", size * 16),
    "a link without text to a long path": (size) => `[](${fill("a", size * 4)}/b)`,
    "quoted code, each followed by text": "> ```\na\n",
    "quoted headings, each followed by text": "> # a\na\n",
  },
  "01-a.Rmd": {
    "a fence with a long mark": (size) => `${fill("`", size * 2)}\u2028b\n`,
    "options of an unclosed chunk": (size) => `\`\`\`{r}\n${fill("#|\u2028", size * 4)}`,
  },
  "01-a.mdx": {
    "HTML that ends at components": (size) => `<Tip>\n${fill("<div>\n</Tip>\n<Tip>\n", size * 4)}`,
    "elements over blank lines": (size) => nest("<foo b={\n\n", "}>\n", size * 2),
    "components over blank lines": (size) => nest("<Foo b={\n\n", "}/> x\n", size * 2),
    "elements that begin in headings": (size) => nest("# <foo b={\n", "}>\n", size * 2),
    "control lines in HTML": (size) => `<div>\n${fill("{:else {\n", size)}${fill("}}\n", size / 3)}`,
    "a quote in an unclosed brace": (size) => `<Tip a=x{" ${fill("{ ", size)}"}>\n\na\n\n</Tip>`,
    "attributes that are dropped": (size) => `a <b ${fill("{a}\n", size)}>`,
    "blanks behind a class": (size) => `<img src="a" class="x"${fill(" ", size * 4)}><img src="b">`,
    "indented headings below text": "a\n    # b\n",
    "text above one indented heading": (size) => `${fill("a\n# b\n", size)}a\n    # b\n`,
    "ever longer runs of backticks, in MDX": (size) => number(size * 8, (n) => `${"`".repeat(n)}a`),
    "unclosed formulas, in MDX": (size) => `${fill("\\\\( ", size)}\n\n${fill("$$ a\n\n", size)}`,
    "unclosed exports": (size) => `a\n\n${fill("export const a = [(\n\n", size)}`,
    "exports with braces": (size) => `a\n\n${fill("export const a = {[{\n\n", size)}`,
    "imports with many words": (size) => `a\n\n${fill("import a b c\n\n", size)}`,
    "MDX elements": "<a className={1} b={c} />",
    "unclosed MDX elements": "<a b={' ",
    "braces in an MDX element": (size) => `<a ${fill("b={{ ", size)}>`,
    "quotes in an MDX element": (size) => `<a ${fill("b=' ", size)}>`,
    "MDX styles": (size) => `<a style={{${number(size, (n) => `a${n}: ${n},\n`)}}} />`,
    "unclosed tags": "<A ",
    "unclosed tags with braces": '<A {" ',
    "unclosed control lines": "{#if ",
    "unclosed control lines with quotes": (size) => `{#if ${fill("`\\", size)}`,
    "unclosed comments, in MDX": "{/*",
    "an unclosed export with braces": (size) => `export const a = ${fill("{", size)}`,
    "unclosed exports with braces": "export const a = {\n",
    "a video without an id": (size) => `<Youtube id=${fill(" ", size * 4)}/>`,
    "nested callouts, in a quotation": (size) => `${fill("> <Tip>\n", size)}\n${fill("</Tip>\n", size)}`,
    "callouts in a list item": (size) => `- a\n${fill("  <Tip>\n", size)}\n${fill("</Tip>\n", size)}`,
    "nested callouts": (size) => `${fill("<Tip>\n", size / 2)}${fill("</Tip>\n", size / 2)}`,
    "closing tags of callouts in a list": (size) => `${fill("<Tip>\n", size / 2)}${fill("- a</Tip>\n", size / 2)}`,
    "closing tags of callouts in a paragraph": (size) => `${fill("<Tip>\n", size / 2)}${fill("a</Tip>\n", size / 2)}`,
    "callouts before text on one line": "<Tip>a ",
    "callouts closed by another tag": "<Tip>\n<Note>\n</Tip>\n",
    "nested branches": (size) => `${fill("{#if a}\n", size / 2)}${fill("{/if}\n", size / 2)}`,
    "tags in the braces of tags": (size) => `${fill("<A {", size / 2)}${fill("}", size / 2)}<`,
    "multi-line tags": "a <b\nc={1}>",
    "unclosed multi-line tags": "a <b\n",
    "tags in HTML": (size) => `<div>\n${fill("<Tip>a</Tip> <b c={1}>", size)}`,
    "callouts on one line": "<Tip></Tip>",
    "branches on one line": (size) => `a ${fill("{#if a}b{:else}c{/if}", size)}`,
    "branches of one condition": (size) => `{#if fw === 'a'}\n${fill("{:else if fw === 'b'}\n", size)}{/if}`,
    choices: (size) => `<Question choices={[${fill('{text:"a"},', size)}]}/>`,
    "nested choices": (size) => `<Question choices={${fill("[", size)}${fill("]", size)}}/>`,
    "a choice of markup": (size) => `<Question choices={[{text: ${fill("<a>{", size)}`,
    "an unclosed choice of markup": (size) => `<Question choices={[{text: ${fill("<a>", size)}}]}/>`,
    "questions below a long heading": (size) =>
      `# ${fill("a", size / 16)}\n${fill("<Question choices={[{text:'a'}]}/>\n", size)}`,
    "questions on one line": "<Question choices={[{text:'a'}]}/>",
    attributes: (size) => `<Tip ${fill("a={b} {c} ", size)}>x</Tip>`,
    "pairs of images": '<img class="dark:hidden" src="https://x.example/a">\n',
    "spaces in an image's tag": (size) => `<img src="https://x.example/a" class="a"${fill(" ", size * 8)}>`,
  },
  "course.yaml": { "many chapters": (size) => `name: A\nchapters:\n${fill("- name: C\n", size)}` },
  "_toctree.yml": {
    sections: (size) => `- title: A\n  sections:\n${fill("  - {title: B, sections: [{local: a}]}\n", size)}`,
  },
  "SUMMARY.md": {
    "a repeated book chapter": "- [A](a.md)\n",
    "nested book chapters": (size) => fill(`- [A](gone.md)\n  - [B](b.md)\n`, size / 2),
    "book parts": "# A\n",
  },
  "README.md": {
    "an unclosed animation": (size) => `${LIASCRIPT}{{${fill("1", size)}`,
    "an unclosed animation of a part": (size) => `${LIASCRIPT}{${fill("1", size)}`,
    "blanks behind a narrator comment": (size) => `${LIASCRIPT}--{{0}}--${fill(" ", size)}x\u2028`,
    "text like HTML": (size) => `${LIASCRIPT}${fill("< a\n***\n", size)}`,
    "HTML in list items": (size) => `${LIASCRIPT}${fill("-\n  <b>\n", size)}`,
    "uses of a long macro": (size) =>
      `<!--\nnarrator: a\n@a: ${fill("x", size)}\n@b:${fill(" ", size)}y\u2028z\n-->\n# a\n\n${fill("@a ", size)}`,
    "LiaScript headings": (size) => `<!-- narrator: a -->\n${fill("# a\n\nb\n\n", size)}`,
    "LiaScript links between lessons": (size) =>
      `${LIASCRIPT}${number(size * 2, (n) => `# b${n}\nx\n`)}${fill("[c](#z)\n", size * 2)}`,
    "LiaScript gaps": (size) => `${LIASCRIPT}${fill("[[b|(c)]] ", size)}`,
    "LiaScript quizzes": (size) => `${LIASCRIPT}${fill("[( )] b\n[[?]] c\n***\n", size)}`,
    "blanks in a LiaScript quiz": (size) => `${LIASCRIPT}[(${fill(" ", size / 4)})]${fill(" ", size / 4)}\u2028b`,
    "unclosed LiaScript rows": (size) => `${LIASCRIPT}${fill(`[(a) (b)]\n[${"( )".repeat(16)}b\n\n`, size)}`,
    "unclosed LiaScript scripts": (size) => `${LIASCRIPT}x ${fill("<script>", size)}`,
    "unclosed LiaScript videos": (size) => `${LIASCRIPT}x ${fill("!?[a](", size)}`,
    "LiaScript braces": (size) => `${LIASCRIPT}x ${fill("{1}{", size)}`,
    "unclosed LiaScript macro calls": (size) => `${LIASCRIPT}x ${fill("@a(", size)}`,
    "unclosed LiaScript brackets": (size) => `${LIASCRIPT}x ${fill("[[", size)}`,
    "LiaScript openings": (size) => `${LIASCRIPT}b ${fill("[[ !?[a]( {1}{ <script> @a( ", size)}`,
    "LiaScript macros": (size) => `<!-- narrator: a\n${fill("@a\n", size)}@b: c\n-->\n# a\n\n${fill("@b ", size)}`,
    "definitions of LiaScript macros": (size) =>
      `<!-- narrator: a\n${number(size, (n) => `@m${n}\nx\n@end\n`)}-->\n# a\n\n@m0\n`,
    "LiaScript blocks": (size) =>
      `<!-- narrator: a\n@m\n${"@n\n".repeat(1000)}-->\n# a\n\nx ${fill("[[a]]\n***\n--{{1}}--\n{{1}}\n***\n", size)}`,
    "a LiaScript matrix": (size) => `${LIASCRIPT}[${fill("[a]", size / 8)}]\n${fill("[( ) (X)]\n", size / 8)}`,
    "a LiaScript macro that repeats its parameter": (size) =>
      `<!-- narrator: a\n@m: ${fill("@0", size)}\n-->\n# a\n\n@m(${fill("b", size)})`,
    "LiaScript macros after a fence": (size) => `${LIASCRIPT}\`\`\` ${fill("@a ", size * 8)}\n`,
    "unclosed comments, in a README": "<!-- narrator: a\n",
  },
  "README.fr.md": {
    "marks in the heading of a translation": (size) => `# ${fill("#", size * 2)}a`,
    "brackets in the heading of a translation": (size) => `# ${fill("[", size * 2)}a`,
    "blanks before the heading of a translation": (size) => `# ${fill(" ", size / 20)}${"a".repeat(1001)}`,
  },
  "src/b.md": {
    "book includes": "{{#include c.txt}}",
    "line includes from an equally long file": "{{#include d.txt:2:3}}\n",
    "includes of missing files": "{{#include d}}",
    "blanks in an mdBook directive": (size) => `{{#include${fill(" ", size * 8)}`,
    "mdBook directive openings": "{{#include c \\{{#a {{#title ",
    "book directives and listings": '{{#a b}} <Listing caption="',
    "book admonitions": "```admonish\n",
    "an admonition with a long name": (size) => `~~~admonish ${fill("a", size * 8)}\u2028\nb\n~~~\n`,
    "unclosed fences in a list": "- ```\n\n{{#a b}}\n",
    "a long attribute of a listing": (size) => `<Listing "${fill("a", size * 4)}">`,
  },
  "episodes/a.md": {
    "unclosed boxes": "::: a\n",
    "boxes directly below HTML": "<div>\n::: a\n",
    "unclosed notes for instructors": "::: instructor\n\n",
    "colons, braces and brackets": (size) => `${fill(":", size)}\n${fill("{", size)}\n${fill("[x]{", size)}`,
    "quotation classes": "> a\n{: .x}\n{: .y}\n",
    "box openings and ends": "- ::: a\n:::\n",
    "unclosed attributes": (size) => fill("[a]{#b .c d='", size / 4),
    definitions: "a\n: b\n\n",
    "definitions with blocks": "a\n: b\n\n    - c\n\n",
  },
  "episodes/a.Rmd": {
    "R Markdown chunks": "```{r}\n#| a\nb\n```\n",
    "an R Markdown chunk with a long language": (size) => `\`\`\`{${fill("a", size * 8)}\nb\n\`\`\`\n`,
  },
  "docs/m.md": {
    "headings without blanks": (size) => `${fill("#a\n", size)}#${fill("#", size)} a\n#a${fill("#", size)}b`,
    "URLs with blanks": (size) => `${fill("[a](b c.", size)}\n\n[a](${fill("b ", size)}`,
    "terms without a definition": (size) => `${fill("a\n", size)}\n${fill("a\n\n", size)}`,
    "tags without blanks": (size) => `<a ${fill('b="c"', size)}\n\n${fill('<a b="', size)}`,
    "braces in cells": (size) => `|a|\n|-|\n${fill("|b {.c|\n", size)}`,
    "MkDocs admonitions": "!!! a\n",
    "nested MkDocs admonitions": (size) => number(size, (n) => `${"    ".repeat(n % 60)}!!! a\n`),
    "MkDocs admonitions and blank lines": (size) =>
      `${number(size / 2, (n) => `${"    ".repeat(n % 40)}!!! a\n`)}${fill("\n", size / 2)}a`,
    "an MkDocs admonition with a long title": (size) => `!!! a${fill(" ", size)}"${fill('" ', size)}x`,
    "MkDocs tabs": '=== "a"\n    b\n',
    "slash blocks": "/// html\n",
    "blanks in a slash block's title": (size) => `///tab|${fill(" ", size)}\u2028b\n\n///\n`,
    "blanks in a slash block's option": (size) => `/// tab | a\n    b:${fill(" ", size)}\u2028c\n\n///\n`,
    "continued metadata above a text": (size) => `a: b\r\n${fill("    :\r\n", size / 300)}c\r\n`,
    "slash blocks and their ends": "/// tab | a\n\n//// html\n\n///\n",
    "nested slash blocks": (size) => fill("/// html\n\n", size) + fill("////\n\n", size),
    "MkDocs captions": "/// caption\n\n///\n",
    "MkDocs marks": "==a ^^b ",
    "MkDocs marks without blanks": "==^^",
    "MkDocs keys": "++a+",
    "MkDocs critic marks": "{++a {>>",
    "nested MkDocs critic marks": (size) => fill("{==a", size) + fill("==}", size),
    "MkDocs emoji": ":smile::a",
    "MkDocs attributes": "a\n{: .b }\n",
    "MkDocs braces": "*a*{ .b ",
    "MkDocs abbreviations": (size) => `${number(size / 2, (n) => `*[a b${n}]: c\n`)}\n${fill("a b ", size / 2)}`,
    "MkDocs progress bars": (size) => fill('[=1% "', size),
    "blanks in an MkDocs progress bar": (size) => `[=1%${fill(" ", size * 3)}a`,
    "MkDocs symbols": "(c)<--1/2-->",
    "MkDocs snippets": '--8<-- "c.txt"\n',
    "missing MkDocs snippets": '--8<-- "d"\n',
    "MkDocs snippet blocks": "--8<--\nd\n",
    "elements below each other": (size) => fill("<div></div>\n", size * 2),
    "elements with comments": "<div>\n<!--\n\n-->\n</div>\n",
    "unclosed elements above API descriptions": (size) => fill("<p>\n::: a\n", size * 2),
    "semicolons before scissors": (size) => `${fill(";", size)} 8<`,
    "a long name in a snippet block": (size) => `--8<--\n${fill(":1,", size * 4)}!\n--8<--`,
    "MkDocs scissors": (size) => `${fill("-", size)}8<${fill("-", size)} "a`,
  },
  "notes.md": {
    "a long shortcode parameter": (size) => `{{< figure ${fill("a", size)} >}}`,
    "a blank shortcode": (size) => `{{<${fill(" ", size)}`,
    shortcodes: "{{< a {{% b {% c ",
  },
  "course.xml": {
    "Open edX blocks": (size) =>
      `<course><chapter><sequential>${fill("<html>a</html>", size)}</sequential></chapter></course>`,
    "Open edX responses": (size) =>
      `${EDX_PROBLEM}${fill("<stringresponse><textline/></stringresponse>", size)}</problem></chapter></course>`,
    "unclosed options": (size) =>
      `${EDX_PROBLEM}${`<optionresponse><optioninput options="${fill("\\'", size / 2)}"/></optionresponse>`.repeat(16)}</problem></chapter></course>`,
    "a long Open edX attribute": (size) =>
      `${EDX_PROBLEM}<optionresponse><optioninput options="${fill("'a',", size)}"/></optionresponse></problem></chapter></course>`,
    "an Open edX range and tolerance": (size) =>
      `${EDX_PROBLEM}<numericalresponse answer="(${fill(",", size * 4)}"><responseparam type="tolerance" default="${fill("0", size * 8)}e"/><textline/></numericalresponse></problem></chapter></course>`,
    entities: (size) => `<course name="${fill("&amp;", size)}"/>`,
    "XML attributes": (size) => `<course ${number(size, (n) => `a${n}="b" `)}/>`,
    "unopened XML tags": (size) => `<course>${fill("</a>", size)}</course>`,
  },
  "imsmanifest.xml": {
    "cartridge items": (size) => cartridge(fill('<item identifierref="r"><title>a</title></item>', size), ""),
    "nested cartridge items": (size) =>
      cartridge(fill(`${"<item><title>a</title>".repeat(100)}${"</item>".repeat(100)}`, size * 4), ""),
    "cartridge resources": (size) =>
      cartridge(
        "",
        number(size, (n) => `<resource identifier="r${n}" type="webcontent" href="a${n}"/>`),
      ),
    "marks in a cartridge's name": (size) =>
      cartridge(
        `<item><item identifierref="${fill("\u0315\u0316", size)}"><title>a</title></item></item>`,
        `<resource identifier="${fill("\u0315\u0316", size)}" type="imswl_a"><webLink><url href="https://a.example"/></webLink></resource>`,
      ),
    "cartridge resources that depend on one with many files": (size) =>
      cartridge(
        "",
        `<resource identifier="m" type="a">${fill('<file href="a.md"/>', size * 4)}</resource>${number(
          size * 4,
          (n) => `<resource identifier="r${n}" type="imsqti_a" href="a.md"><dependency identifierref="m"/></resource>`,
        )}`,
      ),
  },
  "page.html": {
    "unclosed page bodies": (size) => fill("<body<", size * 16),
    "tags in a page": "<a href=x id=y>",
    "attributes of one tag": (size) => `<a ${number(size * 4, (n) => `onb${n} c${n}=d `)}>`,
    "unclosed attribute values": (size) => fill("<a b=", size * 4),
    "link attributes of one tag": (size) => `<img ${fill("src=x ", size * 4)}>`,
    "page comments": (size) => fill("<!-- a -->", size * 4),
    "nested fonts": (size) => fill("<font size=1>", size * 4),
    "nested fonts, in a drawing": (size) => `<svg>${fill("<font size=1><style>", size)}`,
    "braces in a page": (size) => fill("<p>{", size * 4),
  },
  "a.ipynb": {
    "carriage returns in outputs": (size) => toNotebook({ outputs: [toOutput("text/plain", fill("\r", size))] }),
    "line separators in outputs": (size) => toNotebook({ outputs: [toOutput("text/plain", fill("a\u2028", size))] }),
    "cell sources of many strings": (size) => toNotebook({ source: Array.from({ length: size / 4 }, () => "a\n") }),
    "a cell source of many lines": (size) => toNotebook({ source: fill("a\n\n", size) }),
    "tables in outputs": (size) => toNotebook({ outputs: [toOutput("text/html", fill("<table><td>", size))] }),
    "colors in outputs": (size) => toNotebook({ outputs: [toOutput("text/plain", fill("\u001b[0;1m", size))] }),
    "overwritten outputs": (size) => toNotebook({ outputs: [toOutput("text/plain", fill("a\r", size))] }),
    "a long language above many cells": (size) =>
      JSON.stringify({
        nbformat: 4,
        metadata: { language_info: { name: "a".repeat(size * 16) } },
        cells: Array.from({ length: size / 4 }, () => ({ cell_type: "code", metadata: {}, source: "x", outputs: [] })),
      }),
    "attachment names": (size) => toNotebook({ source: fill("![](attachment:a.png)", size) }),
  },
  "b.md": {
    "blanks in an option": (size) => `\`\`\`{note}\n:a:${fill(" ", size)}\u2028b\nx\n\`\`\``,
    "blanks in an option in a block": (size) => `\`\`\`{note}\n---\na:${fill(" ", size)}\u2028b\n---\nx\n\`\`\``,
    "blanks in an admonition's heading": (size) => `\`\`\`{admonition}\n# ${fill(" ", size)}\u2028b\nx\n\`\`\``,
    "a long line number": (size) => `\`\`\`{literalinclude} _toc.yml\n:lines: ${fill("1", size)}x\n\`\`\``,
    "blanks in a line number": (size) => `\`\`\`{literalinclude} _toc.yml\n:lines: 1,${fill(" ", size)}x\n\`\`\``,
    "blanks in a tab's title": (size) => `\`\`\`{code-tab} a${fill(" ", size)}b\u2028c\nx\n\`\`\``,
    "unclosed tags of a cell": (size) => `+++ ${fill('"tags":[', size)}\n\nx`,
    "blanks in a link to a label": (size) => `(x)=\n## X\n\n[%s a${fill(" ", size)}b](#x)`,
    "TeX environments with text behind their end": (size) => `${fill("\\begin{align}\n", size)}\\end{align} x`,
    "a long value of an option": (size) => `\`\`\`{note}\n---\na: x\n${fill("b\n", size * 8)}---\nx\n\`\`\``,
    "unclosed directives": ":::{note}\n",
    "unclosed directives in fences": "```{note}\n",
    "unclosed roles": "{doc}`",
    roles: "{doc}`a <b>`",
    labels: "(a)=\n",
    "references to a label": (size) => `(x)=\n## X\n\n${fill("{ref}`x` ", size)}`,
    "solutions in lists": "- x\n\n  :::{solution}\n",
  },
  "a.ndjson": {
    "a name with combining marks": (size) => JSON.stringify({ name: `a${fill("\u0301\u0316", size / 2)}` }),
    "links in an NDJSON line": (size) => lesson(fill("<img src=x>", size)),
    "duplicate members": (size) => `{"name":"C","a":[${fill('"b",', size)}1],"a":2}`,
    "a text of quotes": (size) => lesson(fill('\\"', size)),
  },
};

export interface Checked {
  courses: number;
  problems: number;
}

/** Every text that was once slow or might be. */
export const LONG_TEXTS: LongText[] = Object.entries(TEXTS).flatMap(([file, texts]) =>
  Object.entries(texts).map(([what, text]) => ({
    what,
    file,
    toText: typeof text === "string" ? (size) => fill(text, size) : text,
  })),
);

/** Checks a course that contains text of this length, like `lectern check`. */
export function checkLongText({ file: name, toText }: LongText, size: number): Promise<Checked> {
  const text = toText(size);
  const file = /\.ya?ml$/.test(name) ? `../${name}` : name;
  // Folders without numbers need an outline.
  const isOutline = /^(?:SUMMARY|README)\.md$|\.xml$/.test(file);
  const besides = BESIDES[file];
  const included = file === "src/b.md" ? { "src/d.txt": text.replaceAll("{{", "") } : {};
  const root = writeFolder(
    besides !== undefined
      ? { ...besides, ...included, [file]: text }
      : isOutline
        ? { "a.md": "x", [file]: text }
        : { "01-part/a.md": "x", [`01-part/${file}`]: text },
  );
  const path = file.endsWith(".ndjson") ? `${root}/01-part/${file}` : root;
  return checkPath(path);
}

/** Checks a path, like `lectern check`. */
export async function checkPath(path: string): Promise<Checked> {
  let problems = 0;
  const { courses } = await checkCatalog({
    project: "check",
    path,
    openSource: (inspection) => openSource(path, { assetBase: undefined, inspection }),
    report: () => problems++,
  });
  return { courses, problems };
}
