// Code is code in every format: what a format carries out in its text stays as it is written where the text is code.
import { expect, test } from "bun:test";
import { read, testTexts, type Files } from "../support/written-folder.ts";

const LIASCRIPT = "<!--\nauthor: A\nversion: 1\nnarrator: US English Female\n@tea: Sencha\n-->\n\n# T\n\n## L\n\n";

/** Samples are between the bars. */
const MDX = `<Card>x</Card>¦<Tip>\nx\n</Tip>¦{/* x */}¦{#if fw === 'pt'}x{/if}¦<b className="x">y</b>`;

const PYMDOWN =
  ",blocks.admonition,blocks.html,caret,critic,details,emoji,inlinehilite,keys,mark,progressbar,quotes,smartsymbols,superfences,tabbed,tilde";
const MKDOCS_EXTENSIONS = `abbr,admonition,attr_list,footnotes,md_in_html,toc${PYMDOWN.replaceAll(",", ",pymdownx.")}`;

/** How a format is recognized: the path of each text, and an outline that lists each; and lines that it carries out. */
interface Format {
  path: string;
  outline?: [path: string, head: string, item: string];
  samples: string;
}
const FORMATS: Record<string, Format> = {
  "plain folders": {
    path: "NAME.md",
    samples: `{% include x.html %}¦{{#if x}}¦{{< figure src="a.png" >}}¦{{% notice %}}¦{% comment %}`,
  },
  mdBook: {
    path: "src/NAME.md",
    outline: ["src/SUMMARY.md", "", "- [A](NAME.md)\n"],
    samples: `{{#if x}}¦<Listing number="1">¦</Listing>`,
  },
  MkDocs: {
    path: "docs/NAME.md",
    outline: ["mkdocs.yml", `markdown_extensions: [${MKDOCS_EXTENSIONS}]\nnav:\n`, "- NAME.md\n"],
    samples:
      `!!! note¦??? tip "T"¦=== "Tab"¦/// note¦///¦==mark== and ^^ins^^¦++ctrl+alt+del++¦{--del--} {++ins++} {>>why<<}` +
      `¦:smile: :material-check:¦*[HTML]: text¦[TOC]¦x {: .y }¦(c) --> 1/2¦[=50% "x"]¦> [!danger] x`,
  },
  "The Carpentries": {
    path: "episodes/NAME.md",
    outline: ["config.yaml", "carpentry: swc\n", ""],
    samples: "::: instructor\nboil\n:::¦::: challenge¦:::",
  },
  LiaScript: {
    path: "NAME/README.md",
    samples:
      "a[[1]]¦x = [[1], [2]] + [[(a)|b]]¦@tea¦{{1}} x¦{1}{x}¦!?[film](https://a.example/f)¦x <script>y()</script>",
  },
  "_toctree.yml": {
    path: "NAME.md",
    outline: ["_toctree.yml", "- title: C\n  sections:\n", "  - local: NAME\n    title: A\n"],
    samples: `${MDX}¦<Youtube id='a'/>¦[[open-in-colab]]¦<b style={{color: "red"}}>y</b>¦import a from 'a'`,
  },
  MDX: { path: "01-part/01-NAME.mdx", samples: MDX },
  "Jupyter Book": {
    path: "NAME.md",
    outline: ["_toc.yml", "root: p100\nchapters:\n", "- file: NAME\n"],
    samples: ":::{note}\nx\n:::¦(label)=¦% x",
  },
  "R Markdown": { path: "01-part/01-NAME.Rmd", samples: "```{r, echo=FALSE}¦{{#if x}}" },
};

/** Files of a format with these texts, whose names are p100 and so on. */
function toFiles(format: string, texts: string[]): Files {
  const { path = "", outline } = FORMATS[format] ?? {};
  const front = format === "LiaScript" ? LIASCRIPT : "";
  const files = texts.map((text, index) => [path.replace("NAME", `p${index + 100}`), front + text]);
  if (outline === undefined) return Object.fromEntries(files) as Files;
  const [file, head, item] = outline;
  const items = texts.map((_, index) => item.replace("NAME", `p${index + 100}`)).join("");
  // The root of a book is not in its list.
  return { ...Object.fromEntries(files), [file]: head + items.replace("- file: p100\n", "") } as Files;
}

const indent = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

/** By the kind of code and its place: the Markdown of code with these lines. */
type Place = (sample: string) => string;
const PLACES: Record<"fenced" | "indented" | "inline", Record<string, Place>> = {
  fenced: {
    fenced: (sample) => `A\n\n\`\`\`\`\n${sample}\n\`\`\`\`\n\nZ\n`,
    "in a fence that is never closed": (sample) => `A\n\n~~~~\n\n${sample}\n`,
    "fenced in a list": (sample) => `- A\n\n  ~~~~\n${indent(sample, "  ")}\n  ~~~~\n\nZ\n`,
    "fenced in a quotation": (sample) => `> ~~~~\n${indent(sample, "> ")}\n> ~~~~\n\nZ\n`,
  },
  indented: {
    indented: (sample) => `A\n\n${indent(sample, "    ")}\n\nZ\n`,
    "indented further in a list": (sample) => `- A\n\n${indent(sample, "      ")}\n\nZ\n`,
    "indented in a quotation": (sample) => `> A\n>\n${indent(sample, ">     ")}\n\nZ\n`,
  },
  inline: {
    inline: (sample) => `A \`${sample}\` Z\n`,
    "inline between two back-ticks": (sample) => `A \`\` b\`c ${sample} \`\` Z\n`,
    "inline over lines": (sample) => `A \`\`\` b\nc ${sample}\nd\`\`\` Z\n`,
    "inline in a quotation": (sample) => `> A\n> \`${sample}\` Z\n`,
    "inline in a heading": (sample) => `A\n\n> ## B \`${sample}\`\n> Z \` y\n`,
  },
};

const CASES = Object.entries(FORMATS).flatMap(([format, { samples }]) =>
  samples.split("¦").map((sample) => {
    const kinds = Object.entries(PLACES).filter(([kind]) => fits(format, sample, kind));
    const places = kinds.flatMap(([, each]) => Object.entries(each));
    const texts = places.map(([, toMarkdown]) => toMarkdown(sample));
    return { format, sample, places, files: toFiles(format, texts) };
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

async function readLessonOf(written: Files) {
  const { additionalText: html = "", quizHtml } = (await read(written)).lessons.at(-1) ?? {};
  return { html, quizHtml };
}
const codeOf = (html: string): string => Array.from(html.matchAll(CODE), ([, text = ""]) => decode(text)).join("\n");

test.each(CASES)("code stays as written: $format: $sample", async ({ sample, places, files: written }) => {
  const { lessons, problems } = await read(written);
  expect(problems.filter((each) => !/: readers see "/.test(each))).toEqual([]);
  expect(lessons).toHaveLength(places.length);
  for (const [index, { additionalText, quizHtml, url }] of lessons.entries()) {
    const lost = sample.split("\n").filter((line) => !codeOf(additionalText).includes(line));
    expect({ place: places[index]?.[0], lost, quizHtml, url }).toMatchObject({ lost: [], quizHtml: "", url: "" });
  }
});

const withoutBlank = (html: string): string => html.replace(/>\s*\n(?:\s*\n)*/g, ">\n");
const htmlIn = (format: string) => async (markdown: string) =>
  withoutBlank((await readLessonOf(toFiles(format, [markdown]))).html);

testTexts("syntax outside code: plain folders", htmlIn("plain folders"), {
  "A\n    {% include x.html %}\nZ\n": "<p>A</p>\n<p>Z</p>\n",
  "- A\n\n    {% include x.html %}\n\n  Z\n": "<ul>\n<li>\n<p>A</p>\n<p>Z</p>\n</li>\n</ul>\n",
  "<div>\n    {% include x.html %}\n</div>\n": "<div>\n</div>\n",
});

testTexts("syntax outside code: The Carpentries", htmlIn("The Carpentries"), {
  "> A\n>\n> ::: instructor\n> b\n\nZ\n": "<blockquote>\n<p>A</p>\n</blockquote>\n<p>Z</p>\n",
});

test("syntax outside code: in code of a Hugo site, Hugo's tags and no others", async () => {
  const tags = '{{< figure src="a.png" >}} {{</* b */>}} {% link a.png %} z';
  for (const toMarkdown of Object.values({ ...PLACES.fenced, ...PLACES.indented, ...PLACES.inline })) {
    const { html } = await readLessonOf({ "hugo.toml": "", "a.md": toMarkdown(tags) });
    expect(codeOf(html)).toContain("![](<a.png>) {{< b >}} {% link a.png %} z");
  }
});

const RAW = "{% raw %}{{ a }}{% endraw %} {{</* b */>}}";
const RAW_CODE = "<pre><code>{{ a }} {{&lt; b &gt;}}\n</code></pre>\n";
testTexts("syntax outside code: Liquid", htmlIn("plain folders"), {
  "a {% comment %} b\n\n~~~\nc\n~~~\n\n{% endcomment %}\n\n{% raw %}\n{% d %}\n\n{% e %}\n{% endraw %}\n\n{% f %} g {% raw %}{% h %}{% endraw %}\n":
    "<p>a</p>\n<p>{% d %}</p>\n<p>{% e %}</p>\n<p>g {% h %}</p>\n",
  [`~~~\n${RAW}\n~~~\n\n    ${RAW}\n`]: RAW_CODE + RAW_CODE,
});

test("syntax outside code: mdBook's includes in code", async () => {
  const text = "~~~\n{{#include b.txt}}\n~~~\n\n    {{#include b.txt}}\n\n`{{#include b.txt}}`\n";
  const { html } = await readLessonOf({ "SUMMARY.md": "- [A](a.md)\n", "a.md": text, "b.txt": "boil" });
  expect(html.match(/boil/g)).toHaveLength(3);
});
