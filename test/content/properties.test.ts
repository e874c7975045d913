// Rules that hold for all inputs, tried with many that chance makes. A failure prints the smallest input that it found; the
// seed in the title repeats it (TEST_SEED), TEST_ROUNDS tries more.
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { listLinks, type RelativeLink } from "../../src/content/html/links.ts";
import { MARKDOWN, type MarkdownDialect } from "../../src/content/markdown/dialects.ts";
import { parseMarkdown, renderTokens } from "../../src/content/markdown/create-parser.ts";
import { renderMarkdown } from "../../src/content/markdown/markdown.ts";
import { inspectBody } from "../../src/content/lesson-files/lesson-body.ts";
import { ComponentReading } from "../../src/content/markdown/mdx/component-reading.ts";
import { MDX } from "../../src/content/markdown/mdx/mdx-dialects.ts";
import { DEFAULT_LIMITS } from "../../src/content/limits.ts";
import { placeLinks } from "../../src/content/resolve/source-links.ts";
import createMarkdownIt from "markdown-it";
import { toCarpentriesDialect } from "../../src/content/formats/carpentries/carpentries-text.ts";
import { DOC_BUILDER } from "../../src/content/formats/hugging-face/doc-builder.ts";
import { read, type Files } from "../support/written-folder.ts";
import { readRandomSettings } from "../support/random.ts";

const { seed, rounds } = readRandomSettings(100);

/** A property test: `check` throws for a counterexample. Slow checks take a share of the usual number of inputs. */
function property<T>(
  name: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => void | Promise<void>,
  share = 1,
): void {
  const checked = fc.asyncProperty(inputs, async (input) => check(input));
  test(`${name}, seed ${seed}`, () => fc.assert(checked, { seed, numRuns: Math.ceil(rounds * share) }));
}

const SHOWS_ALL = { keepsVideo: true, framework: undefined, language: undefined };

/** A text of these pieces, in any order and number: nearly well-formed, which is where parsers go wrong. */
const soup = (pieces: string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 40 })
    .map((all) => all.join(""));

describe("resolving links", () => {
  const base = new URL("https://cdn.example.org/a/b/");
  const html = soup([
    ..."<img src=¦<a href=¦<video poster=¦<p>¦</p>¦<!--¦-->¦<script>¦</script>¦<title>¦\"¦'¦>¦/>¦ ¦\r\n".split("¦"),
    ..."a.png ../b/c.pdf ?q #x https://x.example/ //x.example é 😀".split(" "),
  ]);

  property("leaves every byte but those of relative addresses", html, async (text) => {
    // An entity is another text than its address: these texts have none.
    const plain = text.replaceAll("&", "+");
    let expected = "";
    let copiedTo = 0;
    for (const { value, start, end, tag, nameEnd } of listLinks(plain)) {
      expect(plain.slice(start, end)).toBe(value);
      expect(plain.slice(0, nameEnd).toLowerCase()).toEndWith(`<${tag}`);
      const resolved = URL.parse(value, base.href);
      if (resolved === null) continue;
      expected += plain.slice(copiedTo, start) + escapeHtml(resolved.href);
      copiedTo = end;
    }
    const decide = async ({ url }: RelativeLink) => ({ url: URL.parse(url, base.href)?.href, problem: undefined });
    const { html: resolved } = await placeLinks(plain, listLinks(plain), decide, () => undefined);
    expect(resolved).toBe(expected + plain.slice(copiedTo));
    expect(listLinks(resolved).filter(({ value }) => URL.canParse(value, base.href))).toEqual([]);
  });

  const markdown = soup(
    "[a](¦![b](¦c.md¦ 'it''s'¦)¦<a href='d.md?e&f'>¦<img src=g.png>¦</a>¦<!--¦> ¦\n\n¦`¦&amp;¦\0¦\\¦|¦*".split("¦"),
  );

  // A heading of level 1 gives the lesson its name, and is left out then.
  const withoutTitle = markdown.map((text) => text.replace(/[#=]/g, ""));
  property("of Markdown knows their places in the HTML", withoutTitle, (text) => {
    const syntax = { dialect: MARKDOWN, limits: DEFAULT_LIMITS };
    const body = renderMarkdown(text, syntax);
    const { html: rendered } = body;
    const { links } = inspectBody(body);
    expect(rendered).toBe(renderTokens(parseMarkdown(text, syntax)));
    let end = 0;
    for (const link of links) {
      expect(link.nameEnd).toBeGreaterThan(end);
      expect(rendered.slice(0, link.nameEnd)).toEndWith(`<${link.tag}`);
      ({ end } = link);
      const written = rendered.slice(link.start, end);
      expect(link.written === undefined ? written : written.replaceAll("&amp;", "&")).toBe(link.value);
    }
  });

  const ENTITIES: Record<string, string> = { "&": "&amp;", '"': "&quot;", "'": "&#39;", "<": "&lt;", ">": "&gt;" };
  const escapeHtml = (value: string) => value.replace(/[&"'<>]/g, (letter) => ENTITIES[letter] ?? letter);
});

describe("reading MDX", () => {
  const pieces = [
    ..."<A ¦<B.C>¦</B.C>¦<Tip>¦</Tip>¦<pt>¦</pt>¦<Youtube id='a'/>¦<Question choices={[{text: 'a'}]}/>".split("¦"),
    ...'> ¦- ¦/>¦>¦b={¦{#if a¦{:else}¦{/if}¦{/*¦*/}¦}¦{`¦```\n¦`¦\\¦"¦<!--¦\n¦\r\n'.split("¦"),
    ..."import a from 'b'\n¦export const a = {\n".split("¦"),
  ];
  /** Numbers in between tell where a text has come from. */
  const numbered = (each: string[]) =>
    fc
      .array(fc.constantFrom(...each), { maxLength: 40 })
      .map((all) => all.map((piece, index) => `${piece} n${index}n `).join(""));

  const toHtml = (text: string): string => {
    const components = new ComponentReading(SHOWS_ALL, text.length);
    return renderTokens(parseMarkdown(text, { dialect: MDX, limits: DEFAULT_LIMITS, components }));
  };

  property("ends in the HTML what it begins", numbered(pieces), (text) => {
    const html = toHtml(text);
    expect(html.isWellFormed()).toBe(true);
    const open: string[] = [];
    for (const [, slash, name = ""] of html.matchAll(/<(\/?)(div|span|blockquote|li|ul|p)\b/g)) {
      if (slash === "") open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });

  const tags = "<Tip>¦</Tip>¦<Card>¦</Card>¦<pt>¦</pt>¦{#if a}¦{:else}¦{/if}¦{' '}";
  const markdown = "\n¦\n\n¦- ¦> ¦# ¦  ¦    ¦**¦`¦~~~\n¦| - |\n¦<b>¦\n<div>\n";
  const enclosed = numbered(`${tags}¦${markdown}`.split("¦"));

  property("loses nothing between tags, and keeps its order", enclosed, (text) => {
    const shown = toHtml(text).replace(/<[^<>]*>/g, "");
    expect(shown.match(/n\d+n/g)).toEqual(text.match(/n\d+n/g));
  });
});

describe("text without a dialect's syntax renders as in CommonMark", () => {
  const words = "a|b |*|**|_|`|``|\\|\\*|[c](d)|[|]|<b>|</b>|&amp;".split("|");
  const lines = "\n¦\n\n¦- ¦1. ¦> ¦```\n¦~~~\n¦***\n¦| e | f |\n|:-:|:-:|\n¦<div>\n¦[g]: h\n".split("¦");
  const dialects: [string, MarkdownDialect, string[]][] = [
    ["Markdown", MARKDOWN, ["  ", "    ", "\t", "!"]],
    ["the documentation builder's", DOC_BUILDER, ["  ", "    ", "\t", "!"]],
    ["MDX", MDX, ["!"]],
    ["The Carpentries'", toCarpentriesDialect(false), ["  ", "    ", "\t"]],
  ];
  /** Ids of headings, and words behind a fence. */
  const ADDED = /(?<=<h\d) id="[^"]*"| data-[\w-]+="[^"]*"|(?<=<img [^>]*) loading="lazy"/g;

  for (const [name, dialect, more] of dialects) {
    const plain = createMarkdownIt({ html: true });
    if (!dialect.hasIndentedCode) plain.disable("code");
    const text = fc.array(fc.constantFrom(...words, ...lines, ...more), { maxLength: 40 }).map((all) => all.join(""));
    property(`in ${name}`, text, (written) => {
      const components = new ComponentReading(SHOWS_ALL, written.length);
      const tokens = parseMarkdown(written, { dialect, limits: DEFAULT_LIMITS, components });
      expect(renderTokens(tokens).replace(ADDED, "")).toBe(plain.render(written));
    });
  }
});

describe("problems are reported at their lines, with any blank lines and line ends", () => {
  const LIASCRIPT = "<!--\nauthor: A\nversion: 1\nnarrator: US English Female\n-->\n\n# T\n\n## L\n\n";
  /** How a format is recognized, the text before the lesson in its file, and its own blocks. */
  const formats: [string, (text: string) => Files, above: string, own: string][] = [
    ["plain folders", (text) => ({ "a.md": text }), "", "{{< note >}}\nb\n{{< /note >}}¦{% raw %}\nb\n{% endraw %}"],
    [
      "MDX",
      (text) => ({ "01-part/01-a.mdx": text }),
      "import a from 'b'\n\n",
      "<Tip\n  title='b'\n>\nc\n</Tip>¦{#if a}\n\nb\n\n{/if}¦{/* b\n\nc */}¦<Youtube\n  id='b'\n/>¦" +
        "<i style={{\n  color: 'red',\n}}>\nb</i>",
    ],
    [
      "The Carpentries",
      (text) => ({ "config.yaml": "carpentry: swc\ntitle: T\n", "episodes/a.md": text }),
      "",
      "::: challenge\n\nb\n\n:::¦::: instructor\n\nb\n\nc\n:::¦::: hint\n## B\n:::¦T\n:   b\n\n    c",
    ],
    [
      "LiaScript",
      (text) => ({ "README.md": text }),
      LIASCRIPT,
      "Which?\n\n[[X]] b\n[[ ]] c\n[[?]] d¦    --{{1}}--\nb\nc¦<script>\nb\n\nc\n</script>",
    ],
    [
      "mdBook",
      (text) => ({ "book.toml": "[book]\ntitle = 'T'", "src/SUMMARY.md": "- [A](a.md)\n", "src/a.md": text }),
      "",
      '{{#if b}}\nc¦```admonish tip\nb\n```¦<Listing number="1">\n\n```rust\nb\n```\n\n</Listing>',
    ],
    ["R Markdown", (text) => ({ "01-part/01-a.Rmd": text }), "", "```{r, a=b}\nb\n\nc\n```¦```{r}\n#| d: e\nf\n```"],
  ];

  for (const [format, toFiles, above, own] of formats) {
    const pieces = own.split("¦");
    const block = fc.record({
      text: fc.constantFrom(...pieces, "b", "- b\n  - c", "> b\n> c", "```\nb\n\nc\n```", "| b |\n|---|\n| c |"),
      link: fc.constantFrom("![](gone.png)", "b\n![](gone.png)", "- ![](gone.png)", "> b\n>\n> ![](gone.png)"),
      blankLines: fc.integer({ min: 1, max: 4 }),
    });
    const texts = fc.tuple(fc.array(block, { minLength: 1, maxLength: 6 }), fc.constantFrom("\n", "\r\n"));
    property(
      `in ${format}`,
      texts,
      async ([blocks, lineEnd]) => {
        const lines = above.split("\n").slice(0, -1);
        const expected: number[] = [];
        for (const { text, link, blankLines } of blocks) {
          for (const part of [text, link]) {
            lines.push(...part.split("\n"));
            if (part === link) expected.push(lines.length);
            lines.push(...Array.from({ length: blankLines }, () => ""));
          }
        }
        const { problems } = await read(toFiles(lines.join(lineEnd)));
        const told = problems.filter((problem) => problem.includes(': image "gone.png'));
        expect(told.map((problem) => Number(/:(\d+): /.exec(problem)?.[1]))).toEqual(expected);
      },
      0.3,
    );
  }
});
