// Texts that somebody made to hurt who reads them, each as long as it is asked for.
import { openSource } from "../src/cli/open-source.ts";
import { checkCatalog } from "../src/publishing/check-catalog.ts";
import { writeFolder } from "./written-folder.ts";

const fill = (part: string, size: number): string => part.repeat(size / part.length);
const number = (size: number, toPart: (n: number) => string): string => {
  const parts: string[] = [];
  for (let length = 0; length < size; length += parts.at(-1)?.length ?? 1) parts.push(toPart(parts.length));
  return parts.join("");
};
const cartridge = (items: string, resources: string): string =>
  `<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"><organizations><organization>${items}</organization></organizations><resources>${resources}</resources></manifest>`;
const lesson = (html: string): string =>
  JSON.stringify({ name: "C", chapters: [{ name: "A", lessons: [{ name: "L", additionalText: html }] }] });

/** What makes courses of other formats of these files. */
const BESIDES: Record<string, Record<string, string>> = {
  "src/b.md": { "book.toml": "", "src/SUMMARY.md": "- [B](b.md)\n", "src/c.txt": "c" },
  "episodes/a.md": { "config.yaml": "carpentry: x\n" },
  "episodes/a.Rmd": { "config.yaml": "carpentry: x\n" },
  "notes.md": {},
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
  /** The text, of about so many characters. */
  toText: (size: number) => string;
}

const TEXTS: [what: string, file: string, toText: (size: number) => string][] = [
  ["relative links on one line", "01-a.html", (size) => fill("<img src=x>", size)],
  ["relative links on one line of a paragraph", "01-a.md", (size) => `a ${fill("<img src=x>", size)}`],
  ["relative links on one line of an HTML block", "01-a.md", (size) => fill("<p><img src=x>", size)],
  ["scripts on one line", "01-a.html", (size) => fill("<a onclick=x>", size * 12)],
  [
    "a frame with the same attribute again and again",
    "01-a.html",
    (size) => `<iframe ${fill("srcdoc=x ", size / 2)}sandbox="${fill("a ", size / 2)}">`,
  ],
  ["openings of shortcodes", "01-a.html", (size) => fill("{{ {% {a- [[a ", size)],
  [
    "lines of hyphens and strokes that are no table",
    "01-a.md",
    (size) => `a\n${fill("--|", size)}x\n${fill("--|\n", size)}`,
  ],
  ["line ends and blanks that nothing follows", "01-a.html", (size) => `{{#a}}${fill("\n \t", size)}`],
  ["pieces of text with a directive", "01-a.html", (size) => fill("<p>{{#a}}", size)],
  ["backticks beside a directive", "01-a.md", (size) => `\\{{#a b\n${fill("`a ``", size)}${"`".repeat(size)}`],
  ["embedded pages", "01-a.html", (size) => fill("<embed src=//a.example>", size)],
  ["a heading with many blanks", "01-a.md", (size) => `# a${fill(" ", size)}b`],
  ["a srcset of commas", "01-a.html", (size) => `<img srcset="${fill(",", size)}">`],
  ["a srcset that ends with commas", "01-a.html", (size) => `<img srcset="a${fill(",", size)}">`],
  ["a srcset that ends with blanks", "01-a.html", (size) => `<img srcset="a,${fill(" ", size)}">`],
  ["a srcset of images", "01-a.html", (size) => `<img srcset="${fill("a.png 1x,", size)}">`],
  ["a style of images", "01-a.html", (size) => `<p style="${fill("url(a.png) url('a url( ", size)}">`],
  ["an attribute of blanks", "01-a.html", (size) => `<a href=${fill(" ", size)}`],
  ["brackets that are not closed", "01-a.md", (size) => fill("[", size / 4)],
  ["brackets in brackets", "01-a.md", (size) => fill("[", size / 4) + fill("]", size / 4)],
  ["emphasis that is not closed", "01-a.md", (size) => fill("*a **b _c ", size)],
  ["comments that are not closed", "01-a.md", (size) => `a ${fill("<!-- ", size)}`],
  ["runs of backticks, each longer", "01-a.md", (size) => number(size, (n) => `${"`".repeat(n)}a`)],
  ["runs of backticks, each longer, in MDX", "01-a.mdx", (size) => number(size * 8, (n) => `${"`".repeat(n)}a`)],
  ["headings", "01-a.md", (size) => fill("# a[[a]]\n", size)],
  ["headings with the same id", "01-a.md", (size) => number(size, (n) => `# a\n\n# a-${n}\n\n`)],
  ["headings with braces", "01-a.md", (size) => `# ${fill("{#a ", size)}\n\n# ${fill("{", size)}}`],
  ["links to places that are not there", "01-a.md", (size) => fill("[a](#b)\n", size)],
  ["footnotes", "01-a.md", (size) => number(size, (n) => `a[^${n}]\n\n[^${n}]: b\n\n`)],
  ["references to one footnote", "01-a.md", (size) => `[^a]: - b\n\n${fill("[^a]", size)}`],
  ["openings of footnotes", "01-a.md", (size) => `[^a]: b\n\n${fill("[^", size)}\n\n${fill("[^a", size)}]`],
  ["labels of footnotes in brackets", "01-a.md", (size) => `[^a]: b\n\n${fill("[[^a]", size / 4)}`],
  ["formulas in code that are not closed", "01-a.md", (size) => fill("$`a `` ", size)],
  ["comments in HTML that are not closed", "01-a.md", (size) => fill("<p>\n<!--\n\n", size)],
  ["comments in HTML over blank lines", "01-a.md", (size) => fill("<p>\n<!--\n\n-->\n\n", size)],
  ["comments in one piece of HTML", "01-a.md", (size) => `<p>${fill("<!--\n\n-->", size)}`],
  ["tags that no browser knows", "01-a.html", (size) => number(size, (n) => `<a${n}></a${n}><svg>`)],
  ["texts that begin as links", "01-a.html", (size) => fill("[a](b ![c](d ", size)],
  ["exports that are not closed", "01-a.mdx", (size) => `a\n\n${fill("export const a = [(\n\n", size)}`],
  ["exports with braces", "01-a.mdx", (size) => `a\n\n${fill("export const a = {[{\n\n", size)}`],
  ["imports of many words", "01-a.mdx", (size) => `a\n\n${fill("import a b c\n\n", size)}`],
  ["elements of MDX", "01-a.mdx", (size) => fill("<a className={1} b={c} />", size)],
  ["elements of MDX that are not closed", "01-a.mdx", (size) => fill("<a b={' ", size)],
  ["braces in an element of MDX", "01-a.mdx", (size) => `<a ${fill("b={{ ", size)}>`],
  ["quotes in an element of MDX", "01-a.mdx", (size) => `<a ${fill("b=' ", size)}>`],
  ["styles of MDX", "01-a.mdx", (size) => `<a style={{${number(size, (n) => `a${n}: ${n},\n`)}}} />`],
  ["tasks", "01-a.md", (size) => fill("- [ ] a\n", size)],
  ["addresses", "01-a.md", (size) => fill("https://a.b/ ", size)],
  [
    "an address of dots, labels and brackets",
    "01-a.md",
    (size) => `https://${fill("a.", size)}${fill("(", size)}${fill(")", size)}`,
  ],
  ["beginnings of addresses", "01-a.md", (size) => fill("http://www.http://", size)],
  ["formulas that are not closed", "01-a.md", (size) => `a ${fill("\\\\( ", size)}`],
  [
    "formulas that are not closed in a link",
    "01-a.md",
    (size) => `[${fill("\\\\( ", size)}](b) ${fill("\\\\[", size)}`,
  ],
  ["formulas that another line closes", "01-a.md", (size) => `${fill("\\\\[ a\n", size)}\n\\\\]`],
  ["formulas of many lines that are not closed", "01-a.md", (size) => fill("\\\\[\n\n", size)],
  ["formulas that text follows", "01-a.md", (size) => `${fill("\\\\[\n\n", size)}\\\\] a`],
  ["formulas in a list that are closed behind it", "01-a.md", (size) => `- a\n${fill("  \\\\[\n\n", size)}\n\\\\]`],
  ["dollars", "01-a.md", (size) => `a ${fill("$$$ $$ \\$", size)}\n\n${fill("$$\n", size)}`],
  ["backslashes before dollars", "01-a.md", (size) => `$$ ${"\\".repeat(size)}$$ ${fill("\\$$ ", size)}`],
  ["words behind a fence", "01-a.md", (size) => `~~~${fill(" a=b", size)}\n`],
  ["quotes behind a fence", "01-a.md", (size) => `~~~${fill("a=\" b=' {", size)}\n`],
  ["callouts", "01-a.md", (size) => fill("> [!TIP] a\n\n", size)],
  ["tags that hold Markdown", "01-a.md", (size) => fill("<div markdown=1>\n", size)],
  ["a tag of words that hold Markdown", "01-a.md", (size) => `<div ${fill("markdown ", size)}`],
  ["comments in HTML", "01-a.md", (size) => `<div>\n${fill("<!--a-->b", size)}`],
  ["blanks of other kinds in a tag", "01-a.md", (size) => `<a b=${fill("\u00a0", size / 4)}`],
  ["blanks of other kinds in tags", "01-a.md", (size) => fill(`a <a${" b=c\u00a0d".repeat(32)}\n\n`, size)],
  ["beginnings of hosts beside Chinese", "01-a.md", (size) => fill("www.\u4e2d", size * 2)],
  ["emphasis beside Chinese", "01-a.md", (size) => fill("中**。", size)],
  [
    "addresses that are used again and again",
    "01-a.md",
    (size) => `[a]: http://${fill("b", size / 2)}\n\n${fill("[a] ", size / 2)}`,
  ],
  [
    "scripts as addresses that are used again and again",
    "01-a.md",
    (size) => `[a]: javascript:${fill("b", size / 2)}\n\n${fill("[a] ", size / 2)}`,
  ],
  ["tags that are not closed", "01-a.mdx", (size) => fill("<A ", size)],
  ["tags with braces that are not closed", "01-a.mdx", (size) => fill('<A {" ', size)],
  ["control lines that are not closed", "01-a.mdx", (size) => fill("{#if ", size)],
  ["control lines with quotes that are not closed", "01-a.mdx", (size) => `{#if ${fill("`\\", size)}`],
  ["comments that are not closed, in MDX", "01-a.mdx", (size) => fill("{/*", size)],
  ["an export with braces that are not closed", "01-a.mdx", (size) => `export const a = ${fill("{", size)}`],
  ["exports with braces that are not closed", "01-a.mdx", (size) => fill("export const a = {\n", size)],
  ["a video without an id", "01-a.mdx", (size) => `<Youtube id=${fill(" ", size * 4)}/>`],
  [
    "callouts in one another, in a quotation",
    "01-a.mdx",
    (size) => `${fill("> <Tip>\n", size)}\n${fill("</Tip>\n", size)}`,
  ],
  ["callouts in a list item", "01-a.mdx", (size) => `- a\n${fill("  <Tip>\n", size)}\n${fill("</Tip>\n", size)}`],
  ["callouts in one another", "01-a.mdx", (size) => `${fill("<Tip>\n", size / 2)}${fill("</Tip>\n", size / 2)}`],
  ["ends of callouts in a list", "01-a.mdx", (size) => `${fill("<Tip>\n", size / 2)}${fill("- a</Tip>\n", size / 2)}`],
  [
    "ends of callouts in a paragraph",
    "01-a.mdx",
    (size) => `${fill("<Tip>\n", size / 2)}${fill("a</Tip>\n", size / 2)}`,
  ],
  ["callouts before text on one line", "01-a.mdx", (size) => fill("<Tip>a ", size)],
  ["callouts that another closes", "01-a.mdx", (size) => fill("<Tip>\n<Note>\n</Tip>\n", size)],
  ["branches in one another", "01-a.mdx", (size) => `${fill("{#if a}\n", size / 2)}${fill("{/if}\n", size / 2)}`],
  ["tags in the braces of tags", "01-a.mdx", (size) => `${fill("<A {", size / 2)}${fill("}", size / 2)}<`],
  ["tags over lines", "01-a.mdx", (size) => fill("a <b\nc={1}>", size)],
  ["tags over lines that are not closed", "01-a.mdx", (size) => fill("a <b\n", size)],
  ["tags in HTML", "01-a.mdx", (size) => `<div>\n${fill("<Tip>a</Tip> <b c={1}>", size)}`],
  ["callouts on one line", "01-a.mdx", (size) => fill("<Tip></Tip>", size)],
  ["branches on one line", "01-a.mdx", (size) => `a ${fill("{#if a}b{:else}c{/if}", size)}`],
  [
    "branches of one condition",
    "01-a.mdx",
    (size) => `{#if fw === 'a'}\n${fill("{:else if fw === 'b'}\n", size)}{/if}`,
  ],
  ["choices", "01-a.mdx", (size) => `<Question choices={[${fill('{text:"a"},', size)}]}/>`],
  ["choices in one another", "01-a.mdx", (size) => `<Question choices={${fill("[", size)}${fill("]", size)}}/>`],
  ["a choice of markup", "01-a.mdx", (size) => `<Question choices={[{text: ${fill("<a>{", size)}`],
  [
    "a choice of markup that is not closed",
    "01-a.mdx",
    (size) => `<Question choices={[{text: ${fill("<a>", size)}}]}/>`,
  ],
  [
    "questions below a long heading",
    "01-a.mdx",
    (size) => `# ${fill("a", size / 16)}\n${fill("<Question choices={[{text:'a'}]}/>\n", size)}`,
  ],
  ["questions on one line", "01-a.mdx", (size) => fill("<Question choices={[{text:'a'}]}/>", size)],
  ["attributes", "01-a.mdx", (size) => `<Tip ${fill("a={b} {c} ", size)}>x</Tip>`],
  ["twins of images", "01-a.mdx", (size) => fill('<img class="dark:hidden" src="https://x.example/a">\n', size)],
  ["many fields", "01-a.md", (size) => `---\n${number(size, (n) => `f${n}: 1\n`)}---\n`],
  [
    "aliases",
    "01-a.md",
    (size) => `---\n${number(size, (n) => `f${n}: &a${n} [*a${Math.max(0, n - 1)}]\n`)}---\n`.replace("*a0", "x"),
  ],
  [
    "lists in a deep list of YAML",
    "01-a.md",
    (size) => `---\na: ${"[".repeat(1000)}${fill("[],", size)}x${"]".repeat(1000)}\n---\n`,
  ],
  ["brackets in YAML that are not opened", "01-a.md", (size) => `---\na: ${fill("]", size)}\n---\n`],
  ["many chapters", "course.yaml", (size) => `name: A\nchapters:\n${fill("- name: C\n", size)}`],
  [
    "sections",
    "_toctree.yml",
    (size) => `- title: A\n  sections:\n${fill("  - {title: B, sections: [{local: a}]}\n", size)}`,
  ],
  ["the same chapter of a book", "SUMMARY.md", (size) => fill("- [A](a.md)\n", size)],
  ["chapters of a book in one another", "SUMMARY.md", (size) => fill(`- [A](gone.md)\n  - [B](b.md)\n`, size / 2)],
  ["parts of a book", "SUMMARY.md", (size) => fill("# A\n", size)],
  ["headings of LiaScript", "README.md", (size) => `<!-- narrator: a -->\n${fill("# a\n\nb\n\n", size)}`],
  ["gaps of LiaScript", "README.md", (size) => `<!-- narrator: a -->\n# a\n\n${fill("[[b|(c)]] ", size)}`],
  [
    "quizzes of LiaScript",
    "README.md",
    (size) => `<!-- narrator: a -->\n# a\n\n${fill("[( )] b\n[[?]] c\n***\n", size)}`,
  ],
  [
    "blanks in a quiz of LiaScript",
    "README.md",
    (size) => `<!-- narrator: a -->\n# a\n\n[(${fill(" ", size / 4)})]${fill(" ", size / 4)}\u2028b`,
  ],
  [
    "rows of LiaScript that are not closed",
    "README.md",
    (size) => `<!-- narrator: a -->\n# a\n\n${fill(`[(a) (b)]\n[${"( )".repeat(16)}b\n\n`, size)}`,
  ],
  [
    "openings of LiaScript",
    "README.md",
    (size) => `<!-- narrator: a -->\n# a\n\nb ${fill("[[ !?[a]( {1}{ <script> @a( ", size)}`,
  ],
  [
    "macros of LiaScript",
    "README.md",
    (size) => `<!-- narrator: a\n${fill("@a\n", size)}@b: c\n-->\n# a\n\n${fill("@b ", size)}`,
  ],
  [
    "blocks of LiaScript",
    "README.md",
    (size) =>
      `<!-- narrator: a\n@m\n${"@n\n".repeat(1000)}-->\n# a\n\nx ${fill("[[a]]\n***\n--{{1}}--\n{{1}}\n***\n", size)}`,
  ],
  [
    "a matrix of LiaScript",
    "README.md",
    (size) => `<!-- narrator: a -->\n# a\n\n[${fill("[a]", size / 8)}]\n${fill("[( ) (X)]\n", size / 8)}`,
  ],
  [
    "a macro of LiaScript that repeats what it is given",
    "README.md",
    (size) => `<!-- narrator: a\n@m: ${fill("@0", size)}\n-->\n# a\n\n@m(${fill("b", size)})`,
  ],
  [
    "macros of LiaScript behind a fence",
    "README.md",
    (size) => `<!-- narrator: a -->\n# a\n\n\`\`\` ${fill("@a ", size * 8)}\n`,
  ],
  ["includes of a book", "src/b.md", (size) => fill("{{#include c.txt}}", size)],
  ["includes of lines of a file as long as the text", "src/b.md", (size) => fill("{{#include d.txt:2:3}}\n", size)],
  ["includes of files that are not there", "src/b.md", (size) => fill("{{#include d}}", size)],
  ["blanks in a book's directive", "src/b.md", (size) => `{{#include${fill(" ", size * 8)}`],
  ["openings of a book's directives", "src/b.md", (size) => fill("{{#include c \\{{#a {{#title ", size)],
  ["directives and listings of a book", "src/b.md", (size) => fill('{{#a b}} <Listing caption="', size)],
  ["admonitions of a book", "src/b.md", (size) => fill("```admonish\n", size)],
  ["an admonition of a long name", "src/b.md", (size) => `~~~admonish ${fill("a", size * 8)}\u2028\nb\n~~~\n`],
  ["quotations of code, and text behind each", "01-a.md", (size) => fill("> ```\na\n", size)],
  ["quotations of headings, and text behind each", "01-a.md", (size) => fill("> # a\na\n", size)],
  ["fences in a list that are not closed", "src/b.md", (size) => fill("- ```\n\n{{#a b}}\n", size)],
  ["boxes that are not closed", "episodes/a.md", (size) => fill("::: a\n", size)],
  ["notes for instructors that are not closed", "episodes/a.md", (size) => fill("::: instructor\n\n", size)],
  ["boxes and ends", "episodes/a.md", (size) => fill("- ::: a\n:::\n", size)],
  ["attributes that are not closed", "episodes/a.md", (size) => fill("[a]{#b .c d='", size / 4)],
  ["definitions", "episodes/a.md", (size) => fill("a\n: b\n\n", size)],
  ["definitions with blocks", "episodes/a.md", (size) => fill("a\n: b\n\n    - c\n\n", size)],
  ["chunks of R Markdown", "episodes/a.Rmd", (size) => fill("```{r}\n#| a\nb\n```\n", size)],
  [
    "a chunk of R Markdown of a long language",
    "episodes/a.Rmd",
    (size) => `\`\`\`{${fill("a", size * 8)}\nb\n\`\`\`\n`,
  ],
  ["a parameter of a shortcode", "notes.md", (size) => `{{< figure ${fill("a", size)} >}}`],
  ["a shortcode of blanks", "notes.md", (size) => `{{<${fill(" ", size)}`],
  ["shortcodes", "notes.md", (size) => fill("{{< a {{% b {% c ", size)],
  ["comments that are not closed, in a README", "README.md", (size) => fill("<!-- narrator: a\n", size)],
  [
    "blocks of Open edX",
    "course.xml",
    (size) => `<course><chapter><sequential>${fill("<html>a</html>", size)}</sequential></chapter></course>`,
  ],
  [
    "responses of Open edX",
    "course.xml",
    (size) =>
      `<course><chapter><problem>${fill("<stringresponse><textline/></stringresponse>", size)}</problem></chapter></course>`,
  ],
  [
    "an attribute of Open edX",
    "course.xml",
    (size) =>
      `<course><chapter><problem><optionresponse><optioninput options="${fill("'a',", size)}"/></optionresponse></problem></chapter></course>`,
  ],
  [
    "a range and a tolerance of Open edX",
    "course.xml",
    (size) =>
      `<course><chapter><problem><numericalresponse answer="(${fill(",", size * 4)}"><responseparam type="tolerance" default="${fill("0", size * 8)}e"/><textline/></numericalresponse></problem></chapter></course>`,
  ],
  ["entities", "course.xml", (size) => `<course name="${fill("&amp;", size)}"/>`],
  ["attributes of XML", "course.xml", (size) => `<course ${number(size, (n) => `a${n}="b" `)}/>`],
  ["tags of XML that are not opened", "course.xml", (size) => `<course>${fill("</a>", size)}</course>`],
  [
    "items of a cartridge",
    "imsmanifest.xml",
    (size) => cartridge(fill('<item identifierref="r"><title>a</title></item>', size), ""),
  ],
  [
    "items of a cartridge in one another",
    "imsmanifest.xml",
    (size) => cartridge(fill(`${"<item><title>a</title>".repeat(100)}${"</item>".repeat(100)}`, size * 4), ""),
  ],
  [
    "resources of a cartridge",
    "imsmanifest.xml",
    (size) =>
      cartridge(
        "",
        number(size, (n) => `<resource identifier="r${n}" type="webcontent" href="a${n}"/>`),
      ),
  ],
  [
    "resources of a cartridge that depend on one with many files",
    "imsmanifest.xml",
    (size) =>
      cartridge(
        "",
        `<resource identifier="m" type="a">${fill('<file href="a.md"/>', size * 4)}</resource>${number(
          size * 4,
          (n) => `<resource identifier="r${n}" type="imsqti_a" href="a.md"><dependency identifierref="m"/></resource>`,
        )}`,
      ),
  ],
  ["bodies of a page that are not closed", "page.html", (size) => fill("<body<", size * 16)],
  ["a name with marks", "a.ndjson", (size) => JSON.stringify({ name: `a${fill("\u0301\u0316", size / 2)}` })],
  ["links in a line of NDJSON", "a.ndjson", (size) => lesson(fill("<img src=x>", size))],
  ["members that are given twice", "a.ndjson", (size) => `{"name":"C","a":[${fill('"b",', size)}1],"a":2}`],
  ["text of quotes", "a.ndjson", (size) => lesson(fill('\\"', size))],
];

export interface Checked {
  courses: number;
  problems: number;
}

/** Every text that was ever slow, or could be. */
export const LONG_TEXTS: LongText[] = TEXTS.map(([what, file, toText]) => ({ what, file, toText }));

/** Checks a course with a text of this size, as `lectern check` does. */
export function checkLongText({ file: name, toText }: LongText, size: number): Promise<Checked> {
  const text = toText(size);
  const file = /\.ya?ml$/.test(name) ? `../${name}` : name;
  // An outline of its own is looked for where there are no numbers.
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

/** Checks what stands at a path, as `lectern check` does. */
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
