// Code is code in every format: what a format carries out in its text stays as it is written where the text is code.
import { describe, expect, test } from "bun:test";
import { read, type Files } from "../support/written-folder.ts";

const LIASCRIPT = "<!--\nauthor: A\nversion: 1\nnarrator: US English Female\n@tea: Sencha\n-->\n\n# T\n\n## L\n\n";

const MKDOCS_EXTENSIONS = [
  "abbr,admonition,attr_list,footnotes,md_in_html,toc",
  ..."blocks.admonition blocks.html caret critic details emoji inlinehilite keys mark progressbar quotes smartsymbols superfences tabbed tilde"
    .split(" ")
    .map((name) => `pymdownx.${name}`),
].join(",");

/** Files with the texts: `to(n)` names the one of this number. */
const files = (texts: string[], to: (name: string) => string, write = (text: string): string => text): Files =>
  Object.fromEntries(texts.map((text, index) => [to(nameOf(index)), write(text)]));
const nameOf = (index: number): string => `p${index + 100}`;
const list = (texts: string[], toItem: (name: string) => string): string =>
  texts.map((_, index) => toItem(nameOf(index))).join("");

/** How a format is recognized, with a lesson of each text, and lines that it carries out. */
const FORMATS: Record<string, { toFiles: (texts: string[]) => Files; samples: string[] }> = {
  "plain folders": {
    toFiles: (texts) => files(texts, (name) => `${name}.md`),
    samples: [
      "{% include x.html %}",
      "{{#if x}}",
      '{{< figure src="a.png" >}}',
      "{{% notice %}}",
      "{% comment %}",
      "{% highlight ruby %}",
    ],
  },
  mdBook: {
    toFiles: (texts) => ({
      "book.toml": "[book]\ntitle = 'T'",
      "src/SUMMARY.md": list(texts, (name) => `- [A](${name}.md)\n`),
      ...files(texts, (name) => `src/${name}.md`),
    }),
    samples: ["{{#if x}}", '<Listing number="1">', "</Listing>"],
  },
  MkDocs: {
    toFiles: (texts) => ({
      "mkdocs.yml": `nav: [${list(texts, (name) => `${name}.md, `)}]\nmarkdown_extensions: [${MKDOCS_EXTENSIONS}]\n`,
      ...files(texts, (name) => `docs/${name}.md`),
    }),
    samples: [
      "!!! note",
      '??? tip "T"',
      '=== "Tab"',
      "/// note",
      "///",
      "==mark== and ^^ins^^",
      "++ctrl+alt+del++",
      "{--del--} {++ins++} {>>why<<}",
      ":smile: :material-check:",
      "*[HTML]: text",
      "[TOC]",
      "x {: .y }",
      "(c) --> 1/2",
      '[=50% "x"]',
      "> [!danger] x",
    ],
  },
  "The Carpentries": {
    toFiles: (texts) => ({
      "config.yaml": "carpentry: swc\ntitle: T\n",
      ...files(texts, (name) => `episodes/${name}.md`),
    }),
    samples: ["::: instructor\nboil\n:::", "::: challenge", ":::"],
  },
  LiaScript: {
    toFiles: (texts) =>
      files(
        texts,
        (name) => `${name}/README.md`,
        (text) => LIASCRIPT + text,
      ),
    samples: [
      "a[[1]]",
      "x = [[1], [2]] + [[(a)|b]]",
      "@tea",
      "{{1}} x",
      "{1}{x}",
      "!?[film](https://a.example/f)",
      "x <script>y()</script>",
    ],
  },
  "_toctree.yml": {
    toFiles: (texts) => ({
      "_toctree.yml": `- title: C\n  sections:\n${list(texts, (name) => `  - local: ${name}\n    title: A\n`)}`,
      ...files(texts, (name) => `${name}.md`),
    }),
    samples: [
      "<Card>x</Card>",
      "<Tip>\nx\n</Tip>",
      "<Youtube id='a'/>",
      "{/* x */}",
      "[[open-in-colab]]",
      "{#if fw === 'pt'}x{/if}",
      '<b className="x" style={{color: "red"}}>y</b>',
      "import a from 'a'",
    ],
  },
  MDX: {
    toFiles: (texts) => files(texts, (name) => `01-part/01-${name}.mdx`),
    samples: ["<Card>x</Card>", "<Tip>\nx\n</Tip>", "{/* x */}", "{#if fw === 'pt'}x{/if}", '<b className="x">y</b>'],
  },
  "Jupyter Book": {
    toFiles: (texts) => ({
      "_toc.yml": `root: a\nchapters:\n${list(texts, (name) => `- file: ${name}\n`)}`,
      "a.md": "x",
      ...files(texts, (name) => `${name}.md`),
    }),
    samples: [":::{note}\nx\n:::", "(label)=", "% x"],
  },
  "R Markdown": {
    toFiles: (texts) => files(texts, (name) => `01-part/01-${name}.Rmd`),
    samples: ["```{r, echo=FALSE}", "{{#if x}}"],
  },
};

const indent = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

/** By the kind of code and its place: the Markdown of code with these lines. */
const PLACES: Record<"fenced" | "indented" | "inline", Record<string, (sample: string) => string>> = {
  fenced: {
    fenced: (sample) => `A\n\n\`\`\`\`\n${sample}\n\`\`\`\`\n\nZ\n`,
    "fenced with tildes, longer": (sample) => `A\n\n~~~~~ md\n~~~\n${sample}\n~~~~~~\n\nZ\n`,
    "fenced directly below a paragraph": (sample) => `A\n~~~~\n${sample}\n~~~~\nZ\n`,
    "in a fence that is never closed": (sample) => `A\n\n~~~~\n\n${sample}\n`,
    "fenced in a list": (sample) => `- A\n\n  ~~~~\n${indent(sample, "  ")}\n  ~~~~\n\nZ\n`,
    "fenced in an ordered list": (sample) => `10. ~~~~\n${indent(sample, "    ")}\n    ~~~~\n\nZ\n`,
    "fenced in a quotation": (sample) => `> ~~~~\n${indent(sample, "> ")}\n> ~~~~\n\nZ\n`,
  },
  indented: {
    indented: (sample) => `A\n\n${indent(sample, "    ")}\n\nZ\n`,
    "indented below other code": (sample) => `A\n\n    y\n\n${indent(sample, "    ")}\n\nZ\n`,
    "indented by a tab": (sample) => `A\n\n${indent(sample, "\t")}\n\nZ\n`,
    "indented further in a list": (sample) => `- A\n\n${indent(sample, "      ")}\n\nZ\n`,
    "indented in an ordered list": (sample) => `1.  A\n\n${indent(sample, "\t    ")}\n\nZ\n`,
    "indented in a quotation": (sample) => `> A\n>\n${indent(sample, ">     ")}\n\nZ\n`,
  },
  inline: {
    inline: (sample) => `A \`${sample}\` Z\n`,
    "inline between two back-ticks": (sample) => `A \`\` b\`c ${sample} \`\` Z\n`,
    "inline over lines": (sample) => `A \`\`\` b\nc ${sample}\nd\`\`\` Z\n`,
    "inline after an escaped back-tick": (sample) => `A \\\`\` ${sample} \` Z\n`,
    "inline in a list": (sample) => `- A\n  - \`${sample}\` Z\n`,
    "inline in a quotation": (sample) => `> A\n> \`${sample}\` Z\n`,
    "inline in a heading": (sample) => `A\n\n> ## B \`${sample}\`\n> Z \` y\n`,
  },
};

/** The text around other text in a format. */
const COMPONENTS: Record<string, [begin: string, end: string]> = {
  mdBook: ['<Listing number="2">', "</Listing>"],
  MkDocs: ["/// html | div", "///"],
  "The Carpentries": ["::: hint", ":::"],
  "_toctree.yml": ["<Tip>", "</Tip>"],
  MDX: ["<Tip>", "</Tip>"],
  "Jupyter Book": ["::::::{tip}", "::::::"],
};

/** The places, and the same in a component where the format has some. */
function listPlaces(
  format: string,
  places: Record<string, (sample: string) => string>,
): [place: string, toMarkdown: (sample: string) => string][] {
  const [begin, end] = COMPONENTS[format] ?? [];
  const entries = Object.entries(places);
  if (begin === undefined || end === undefined) return entries;
  const closed = entries.filter(([place]) => !place.includes("never closed"));
  return [
    ...entries,
    ...closed.map(([place, toMarkdown]): (typeof entries)[number] => [
      `${place}, in a component`,
      (sample) => `${begin}\n\n${toMarkdown(sample)}\n${end}\n`,
    ]),
  ];
}

const CASES = Object.entries(FORMATS).flatMap(([format, { toFiles, samples }]) =>
  samples.map((sample) => {
    const kinds = Object.entries(PLACES).filter(([kind]) => fits(format, sample, kind));
    const places = kinds.flatMap(([, each]) => listPlaces(format, each));
    return { format, sample, places, files: toFiles(places.map(([, toMarkdown]) => toMarkdown(sample))) };
  }),
);

function fits(format: string, sample: string, kind: string): boolean {
  // MDX has no code by indentation, and knitr runs chunks wherever a line looks like one.
  if (kind === "indented") return format !== "MDX" && format !== "R Markdown";
  return kind === "fenced" || !/[\n`]/.test(sample);
}

const CODE = /<code[^>]*>([^<]*)<\/code>/g;
const decode = (html: string): string =>
  html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** The lessons, and the messages but those that only say what readers see. */
async function readLessonsOf(written: Files) {
  const { lessons, problems } = await read(written);
  return { lessons, problems: problems.filter((each) => !/: readers see "/.test(each)) };
}
async function readLessonOf(written: Files) {
  const { additionalText: html = "", quizHtml } = (await readLessonsOf(written)).lessons.at(-1) ?? {};
  return { html, quizHtml };
}
const codeOf = (html: string): string => Array.from(html.matchAll(CODE), ([, text = ""]) => decode(text)).join("\n");

describe("code stays as written", () => {
  test.each(CASES)("$format: $sample", async ({ format, sample, places, files: written }) => {
    const { lessons, problems } = await readLessonsOf(written);
    expect(problems).toEqual([]);
    const found = lessons.slice(format === "Jupyter Book" ? 1 : 0);
    expect(found).toHaveLength(places.length);
    for (const [index, { additionalText, quizHtml, url }] of found.entries()) {
      const lost = sample.split("\n").filter((line) => !codeOf(additionalText).includes(line));
      expect({ place: places[index]?.[0], lost, quizHtml, url }).toMatchObject({ lost: [], quizHtml: "", url: "" });
    }
  });
});

describe("syntax outside code is processed", () => {
  test.each([
    ["plain folders", "A\n    {% include x.html %}\nZ\n", "<p>A</p>\n<p>Z</p>\n"],
    ["plain folders", "- A\n\n    {% include x.html %}\n\n  Z\n", "<ul>\n<li>\n<p>A</p>\n<p>Z</p>\n</li>\n</ul>\n"],
    ["plain folders", "<div>\n    {% include x.html %}\n</div>\n", "<div>\n    \n</div>\n"],
    [
      "plain folders",
      "T\n:   d\n\n    {% include x.html %}\n\n    e\n",
      "<dl>\n<dt>T</dt>\n<dd>\n<p>d</p>\n<p>e</p>\n</dd>\n</dl>\n",
    ],
    ["plain folders", "A ` {% include x.html %}\n\nb ` c\n", "<p>A `</p>\n<p>b ` c</p>\n"],
    ["plain folders", "A\n\n## B ` c\n{% include x.html %} ` c\n", '<p>A</p>\n<h2 id="b--c">B ` c</h2>\n<p>` c</p>\n'],
    ["plain folders", "| a ` | b ` {% include x.html %} |\n|--|--|\n| c | d |\n", undefined],
    ["mdBook", "A\n    {{#if x}}\nZ\n", "<p>A</p>\n<p>Z</p>\n"],
    ["The Carpentries", "A\n\n   ::: instructor\n   b\n   :::\n\nZ\n", "<p>A</p>\n<p>Z</p>\n"],
    [
      "The Carpentries",
      "- A\n\n    ::: instructor\n    b\n    :::\n\nZ\n",
      "<ul>\n<li>\n<p>A</p>\n</li>\n</ul>\n<p>Z</p>\n",
    ],
    [
      "The Carpentries",
      "> A\n>\n> ::: instructor\n> b\n> :::\n\nZ\n",
      "<blockquote>\n<p>A</p>\n</blockquote>\n<p>Z</p>\n",
    ],
    ["The Carpentries", "> A\n>\n> ::: instructor\n> b\n\nZ\n", "<blockquote>\n<p>A</p>\n</blockquote>\n<p>Z</p>\n"],
    ["The Carpentries", "<div>\n::: instructor\nb\n:::\n</div>\n", "<div>\n</div>\n"],
  ])("%s: %j", async (format, markdown, shown) => {
    const { html } = await readLessonOf(FORMATS[format]?.toFiles([markdown]) ?? {});
    expect(html).not.toMatch(/include|instructor|\{\{|>b</);
    if (shown !== undefined)
      expect(html.replace(/>\s*\n(?:\s*\n)*/g, ">\n")).toBe(shown.replace(/>\s*\n(?:\s*\n)*/g, ">\n"));
  });

  test("LiaScript's quizzes, animations and comments, which are often indented", async () => {
    const { html, quizHtml } = await readLessonOf({
      "README.md": `${LIASCRIPT}Which?\n\n    [[X]] green\n    [[ ]] blue\n    [[?]] Look.\n\n        --{{1}}--\nSpoken.\n\n        {{1}}\n******\n\nA\n\n******\n\n\`b[[2]]\` is [[3]].\n`,
    });
    expect(html).toBe(
      '<p>Which?</p>\n<p><span data-question="1"></span></p>\n<p>A</p>\n<p><code>b[[2]]</code> is <span data-question="2">…</span>.</p>\n',
    );
    expect(quizHtml).toContain("<legend><code>b[[2]]</code> is ….</legend>");
  });

  test("indented MDX components, since MDX has no indented code", async () => {
    const { html } = await readLessonOf({ "01-part/01-a.mdx": "A\n\n    <Tip>\n    x\n    </Tip>\n" });
    expect(html).toContain('<aside class="callout" data-callout="tip">');
  });

  const TAGS = '{{< figure src="a.png" >}} {{</* b */>}} {% link a.png %} {% raw %}{{ c }}{% endraw %} z';
  const HUGO = "![](<a.png>) {{< b >}} {% link a.png %} {% raw %}{{ c }}{% endraw %} z";
  const JEKYLL = '{{< figure src="a.png" >}} {{</* b */>}}  {{ c }} z';

  test.each(Object.entries({ ...PLACES.fenced, ...PLACES.indented, ...PLACES.inline }))(
    "%s: a site builder's own tags, and no others",
    async (_place, toMarkdown) => {
      for (const [config, shown] of [
        ["hugo.toml", HUGO],
        ["_config.yml", JEKYLL],
      ] as const) {
        const { html } = await readLessonOf({ [config]: "", "a.md": toMarkdown(TAGS) });
        expect(codeOf(html)).toContain(shown);
      }
    },
  );

  test("a Liquid comment that spans blocks, and raw text", async () => {
    const { html } = await readLessonOf({
      "a.md":
        "a {% comment %} b\n\n~~~\nc\n~~~\n\n{% endcomment %}\n\n{% raw %}\n{% d %}\n\n{% e %}\n{% endraw %}\n\n{% f %} g {% raw %}{% h %}{% endraw %}\n",
    });
    expect(html).toBe("<p>a</p>\n<p>{% d %}</p>\n<p>{% e %}</p>\n<p>g {% h %}</p>\n");
  });

  test("mdBook, Jekyll and Hugo directives in code, as their own programs process them", async () => {
    const included = await readLessonOf({
      "book.toml": "[book]\ntitle = 'T'",
      "src/SUMMARY.md": "- [A](a.md)\n",
      "src/a.md": "~~~\n{{#include b.txt}}\n~~~\n\n    {{#include b.txt}}\n\n`{{#include b.txt}}`\n",
      "src/b.txt": "boil",
    });
    expect(included.html.match(/boil/g)).toHaveLength(3);
    const raw = "{% raw %}{{ a }}{% endraw %}";
    const shown = await readLessonOf({ "a.md": `~~~\n${raw} {{</* b */>}}\n~~~\n\n    ${raw} {{</* b */>}}\n` });
    expect(shown.html).toBe(
      "<pre><code>{{ a }} {{&lt; b &gt;}}\n</code></pre>\n<pre><code>{{ a }} {{&lt; b &gt;}}\n</code></pre>\n",
    );
  });
});

test("HTML code elements and comments are not processed either", async () => {
  const plain = await readLessonOf({ "a.md": "A\n\n<pre>\n{% include x.html %}\n\n{% include y.html %}\n</pre>\n" });
  expect(plain.html).toContain("<pre>\n{% include x.html %}\n\n{% include y.html %}\n</pre>");
  const quizzes = await readLessonOf({ "README.md": `${LIASCRIPT}A\n\n<!--\n[[X]] b\n[[ ]] c\n-->\n\nD\n` });
  expect(quizzes).toMatchObject({ html: "<p>A</p>\n<p>D</p>\n", quizHtml: "" });
});
