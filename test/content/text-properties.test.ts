// What holds for texts of every dialect: Markdown is CommonMark's, and problems stand where they are.
import { describe, expect } from "bun:test";
import * as fc from "fast-check";
import createMarkdownIt from "markdown-it";
import { toCarpentriesDialect } from "../../src/content/formats/carpentries/carpentries-text.ts";
import { DEFAULT_LIMITS } from "../../src/content/limits.ts";
import { parseMarkdown, renderTokens } from "../../src/content/markdown/create-parser.ts";
import { MARKDOWN, type MarkdownDialect } from "../../src/content/markdown/dialects.ts";
import { ComponentReading } from "../../src/content/markdown/mdx/component-reading.ts";
import { DOC_BUILDER } from "../../src/content/formats/hugging-face/doc-builder.ts";
import { MDX } from "../../src/content/markdown/mdx/mdx-dialects.ts";
import { property } from "../support/property.ts";
import { read, type Files } from "../support/written-folder.ts";

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
      const shown = { keepsVideo: true, framework: undefined, language: undefined };
      const components = new ComponentReading(shown, written.length);
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
    [
      "R Markdown",
      (text) => ({ "01-part/01-a.Rmd": text }),
      "",
      "```{r, a=FALSE}\nb\n\nc\n```¦```{r}\n#| d: e\nf\n```",
    ],
  ];

  for (const [format, toFiles, above, own] of formats) {
    const block = fc.record({
      text: fc.constantFrom(
        ...own.split("¦"),
        "b",
        "- b\n  - c",
        "> b\n> c",
        "```\nb\n\nc\n```",
        "| b |\n|---|\n| c |",
      ),
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
      0.2,
    );
  }
});
