// What Markdown becomes: formulas, headings, code blocks, callouts, comments. What docs/content/markdown.md shows of it is
// in docs-content.test.ts.
import { describe, expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { problemsOf, read, readLesson, readOnly, render, type Files } from "../support/written-folder.ts";

/** The HTML of a lesson in a course whose course.yaml holds these lines too. */
async function renderIn(course: string, text: string, more: Files = {}): Promise<string> {
  const { chapters } = await readOnly({
    "course.yaml": `name: C\n${course}\nchapters: [{name: A, lessons: [{file: a, name: L}]}]`,
    "a.md": text,
    ...more,
  });
  return chapters[0]?.lessons[0]?.additionalText ?? "";
}

const inline = (tex: string): string => `<span class="math inline">${tex}</span>`;
const display = (tex: string): string => `<span class="math display">${tex}</span>`;
const block = (tex: string): string => `<div class="math display">${tex}</div>\n`;

describe("a formula", () => {
  const formulas: Record<string, string> = {
    "$$\\mathrm{freq\\_of\\_pair}\\,\\{a\\}$$\n": block("\\mathrm{freq\\_of\\_pair}\\,\\{a\\}"),
    '$$P([``p", ``u"])$$\n': block("P([``p&quot;, ``u&quot;])"),
    "$$ a < b & c $$  \n": block(" a &lt; b &amp; c "),
    "So\n$$\n- a\n+ b\n=\n# c\n\n> d \\\\\n$$\nholds.\n": `<p>So</p>\n${block("\n- a\n+ b\n=\n# c\n\n&gt; d \\\\\n")}<p>holds.</p>\n`,
    "$$a\n- b$$\n": block("a\n- b"),
    "\\\\[\n\\alpha\\_1 * x * y\n\\\\]\n": block("\n\\alpha\\_1 * x * y\n"),
    "- One\n\n  $$\n  x\n    y\n  $$\n- $$z$$\n": `<ul>\n<li>\n<p>One</p>\n${block("\nx\n  y\n")}</li>\n<li>\n${block("z")}</li>\n</ul>\n`,
    "> $$\n> x\n> $$\n": `<blockquote>\n${block("\nx\n")}</blockquote>\n`,
    "A \\\\( q_1*2*3 \\\\), \\\\(p\\\\).\n": `<p>A ${inline(" q_1*2*3 ")}, ${inline("p")}.</p>\n`,
    "A $$x_1$$ b \\\\[*y*\\\\] c\n": `<p>A ${display("x_1")} b ${display("*y*")} c</p>\n`,
    "$$x$$ where *x*\n": `<p>${display("x")} where <em>x</em></p>\n`,
    "A $$x\n= y$$ b\n": `<p>A ${display("x\n= y")} b</p>\n`,
    "| a |\n|---|\n| \\\\( x_1 \\\\) $$*y*$$ |\n": `<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>${inline(" x_1 ")} ${display("*y*")}</td>\n</tr>\n</tbody>\n</table>\n`,
    "**b \\\\( **x** \\\\)**, [l \\\\(]\\\\)](https://x.example)\n": `<p><strong>b ${inline(" **x** ")}</strong>, <a href="https://x.example">l ${inline("]")}</a></p>\n`,
    "$$ \\text{\\$5} \\\\$$\n": block(" \\text{\\$5} \\\\"),
  };
  test.each(Object.entries(formulas))("reaches the reader as written: %j", async (text, html) => {
    expect(await render("1.md", text)).toBe(html);
    expect(await render("1.mdx", text)).toBe(html);
  });

  test.each([
    ["`$$x$$`, \\$$x$$, `\\\\(a\\\\)`\n", "<p><code>$$x$$</code>, $$x$$, <code>\\\\(a\\\\)</code></p>\n"],
    ["```\n$$\nx\n$$\n```\n", "<pre><code>$$\nx\n$$\n</code></pre>\n"],
    ["    $$x$$\n", "<pre><code>$$x$$\n</code></pre>\n"],
    ["Not $$closed *a*\n\nb $$ c\n", "<p>Not $$closed <em>a</em></p>\n<p>b $$ c</p>\n"],
    ["$$\nnot *closed*\n", "<p>$$\nnot <em>closed</em></p>\n"],
    ["- $$\n  a\n\n$$\n", "<ul>\n<li>$$\na</li>\n</ul>\n<p>$$</p>\n"],
    ["A \\\\( b, $$$ c $$$, $$$$\n", "<p>A \\( b, $$$ c $$$, $$$$</p>\n"],
    ["$5 and $6, \\[x\\], \\(y\\)\n", "<p>$5 and $6, [x], (y)</p>\n"],
    ["<p>$$a_b_c$$</p>\n", "<p>$$a_b_c$$</p>\n"],
  ])("is not: %j", async (text, html) => {
    expect(await render("1.md", text)).toBe(html);
  });

  test("may be between single dollars and backslashes if the course sets math: tex", async () => {
    const text = "A $x_1*2*3$, \\(a_b_c\\), from $5 to $10, $ x, \\$y, $z$2.\n\n\\[\n- a\\_b \\\\]\n\\]\n";
    const html = `<p>A ${inline("x_1*2*3")}, ${inline("a_b_c")}, from $5 to $10, $ x, $y, $z$2.</p>\n${block("\n- a\\_b \\\\]\n")}`;
    expect(await renderIn("math: tex", text)).toBe(html);
    const files = { "course.yaml": "name: C\nmath: tex", "01-a/1.mdx": "$a_b_c$" };
    expect((await readOnly(files)).chapters[0]?.lessons[0]?.additionalText).toBe(`<p>${inline("a_b_c")}</p>\n`);
    expect(await problemsOf({ ...files, "course.yaml": "name: C\nmath: on" })).toEqual([
      "course.yaml:2:1: error: math: must be tex or absent; without it, only $$…$$, \\\\(…\\\\) and \\\\[…\\\\] are formulas",
    ]);
  });
});

describe("a heading", () => {
  const idsOf = async (text: string, name = "1.md"): Promise<string[]> =>
    [...(await render(name, text)).matchAll(/<h\d id="([^"]*)"/g)].map(([, id = ""]) => id);

  test("gets GitHub's id", async () => {
    expect(
      await idsOf(
        "## A `b_c` *d*, e & f!\n\n## Größe — ÄÖ\n\n## 概要（その1）\n\n## हिन्दी में\n\nTwo words\n---\n\n## [Link](https://x.example) ![x](https://x.example/x.png)\n\n### 1.2 C++ / C#\n\n> ## In a quotation\n",
      ),
    ).toEqual(["a-b_c-d-e--f", "größe--äö", "概要その1", "हिन्दी-में", "two-words", "link-", "12-c--c", "in-a-quotation"]);
  });

  test("gets a numbered id if its id is taken", async () => {
    expect(await idsOf("## A\n\n## a\n\n## A-1\n\n## A\n\n## 🎉\n\n## ???\n")).toEqual([
      "a",
      "a-1",
      "a-1-1",
      "a-2",
      "-1",
    ]);
    expect(await idsOf("## B\n\n## C {#b}\n\n## B\n")).toEqual(["b-1", "b", "b-2"]);
  });

  test("keeps its author's id and shows no attributes", async () => {
    expect(await render("1.md", "## Decks {#my-decks .wide x=1}\n\n### M {: #m}\n\n#### N {.u}\n")).toBe(
      '<h2 id="my-decks">Decks</h2>\n<h3 id="m">M</h3>\n<h4 id="n">N</h4>\n',
    );
    expect(await idsOf("## M {#mine}\n\n## N[[n-1]]\n\n## K {#key-points}\n", "1.mdx")).toEqual([
      "mine",
      "n-1",
      "key-points",
    ]);
    expect(await render("1.md", "## A {b} and `{#c}`\n\n## {#d} e\n\n<h2 id=own>Own</h2>\n")).toBe(
      '<h2 id="a-b-and-c">A {b} and <code>{#c}</code></h2>\n<h2 id="d-e">{#d} e</h2>\n<h2 id=own>Own</h2>\n',
    );
  });

  test.each([
    ["a.md of plain folders", (text: string): Files => ({ "a.md": text })],
    ["a numbered folder", (text: string): Files => ({ "01-part/1.md": text })],
    ["MDX", (text: string): Files => ({ "01-part/1.mdx": text })],
    ["R Markdown", (text: string): Files => ({ "01-part/1.Rmd": text })],
    ["mdBook", (text: string): Files => ({ "SUMMARY.md": "- [A](a.md)\n", "a.md": text })],
    ["The Carpentries", (text: string): Files => ({ "config.yaml": "carpentry: swc\n", "episodes/a.md": text })],
    ["_toctree.yml", (text: string): Files => ({ "_toctree.yml": "- local: a\n  title: A\n", "a.md": text })],
  ])("keeps braces that are not attributes: %s", async (_format, toFiles) => {
    const { courses } = await read(
      toFiles("x\n\n## Call f{x=1}\n\nSet {a=1}\n---------\n\n### f{.x} ###\n\n### y \\{#z}\n"),
    );
    const html = courses[0]?.chapters[0]?.lessons[0]?.additionalText ?? "";
    const shown = Array.from(html.matchAll(/<h\d[^>]*>(.*?)<\/h\d>/g), ([, text = ""]) => text);
    expect(shown).toEqual(["Call f{x=1}", "Set {a=1}", "f{.x}", "y {#z}"]);
  });

  test("keeps braces in the title of a foldable box", async () => {
    const { courses } = await read({
      "config.yaml": "carpentry: swc\n",
      "episodes/a.md": "::: solution\n\n### Call f{x=1}\n\ny\n:::\n",
    });
    expect(courses[0]?.chapters[0]?.lessons[0]?.additionalText).toContain("<summary>Call f{x=1}</summary>");
  });

  test("that begins a lesson and repeats its name is removed, but its id stays", async () => {
    const htmlOf = async (name: string, text: string) => renderIn("", `---\nname: ${name}\n---\n${text}`);
    const left = '<a id="all-about-tea"></a>\n<p>x</p>\n';
    expect(await htmlOf("all about TEA", "# All *about* Tea\n\nx")).toBe(left);
    expect(await htmlOf("All about tea", "### All about tea\n\nx")).toBe(left);
    expect(await htmlOf("All about tea", "<!-- c -->\n\nAll about tea\n===\n\nx")).toBe(left);
    expect(await render("1.md", "# All about tea\nx")).toBe(left);
    expect(await render("1.mdx", "# All about tea[[all-about-tea]]\n\nx")).toBe(left);
    // Of two headings with one id a link points to the one that readers see.
    expect(await render("1.mdx", "# All about tea[[tea]]\n\n## All about tea[[tea]]\n")).toBe(
      '<h2 id="tea">All about tea</h2>\n',
    );
    const notebooks = '<CourseFloatingBanner notebooks={[{label: "a", value: "https://x.example"}]} />\n\n';
    expect(await render("1.mdx", `${notebooks}# All about tea\n\nx`)).toBe(
      `<ul class="notebooks">\n<li><a href="https://x.example">a</a></li>\n</ul>\n${left}`,
    );
    expect(await render("1.md", "---\ntitle: All about tea\n---\n# All about tea\nx")).toBe(left);
  });

  test("stays if it differs, comes later, contains more than text, or is the whole lesson", async () => {
    const htmlOf = async (text: string) => renderIn("", text);
    expect(await htmlOf("# Other\n\nx")).toBe('<h1 id="other">Other</h1>\n<p>x</p>\n');
    expect(await htmlOf("x\n\n# L")).toBe('<p>x</p>\n<h1 id="l">L</h1>\n');
    expect(await htmlOf("# L")).toBe('<h1 id="l">L</h1>\n');
    expect(await htmlOf("## Other\n\nx")).toBe('<h2 id="other">Other</h2>\n<p>x</p>\n');
    expect(await htmlOf("# [L](https://x.example)\n\nx")).toContain("<h1");
    expect(await render("1.html", "<h1>1</h1>")).toBe("<h1>1</h1>");
  });
});

describe("a link inside a page", () => {
  test("is reported with its line if its id is missing", async () => {
    const text =
      '---\nname: L\n---\n# L\n\n[a](#l) [b](#Über-uns)\n[c](#gone) [t](#top) [e](#)\n\n<p>\n<a href="#raw">x</a> <a href="#lost">x</a></p>\n<i id="raw"></i>\n\n## Über uns\n';
    const end = "points to a missing id";
    expect((await readLesson("1.md", text)).problems).toEqual([
      `01-part/1.md:6: warning: link "#Über-uns" ${end}; did you mean "#über-uns"?`,
      `01-part/1.md:7: warning: link "#gone" ${end}`,
      `01-part/1.md:10: warning: link "#lost" ${end}`,
    ]);
    expect((await readLesson("1.html", "<a href=#a>x</a>\n<a href='#b'>x</a><a name=a>")).problems).toEqual([
      `01-part/1.html:2: warning: link "#b" ${end}`,
    ]);
  });

  test("is reported with its lesson in NDJSON", async () => {
    const additionalText = '<a href="#a">x</a><a href="#b">x</a><p id="b">';
    const line = JSON.stringify({ name: "C", chapters: [{ name: "A", lessons: [{ name: "L", additionalText }] }] });
    const { stdout } = await runCommand(["check", "-"], { stdin: line });
    expect(stdout).toContain('standard input:1: warning: lesson "L": link "#a" points to a missing id');
    expect(stdout).not.toContain('"#b"');
  });

  test("works if the author's text contains the id, percent-encoded or not", async () => {
    await render(
      "1.md",
      "[a](#größe) [b](#gr%C3%B6%C3%9Fe) [c](#x:~:text=y) [d](#n)\n\n## Größe\n\n## X\n\n<a name='n'></a>\n",
    );
  });
});

describe("a code block", () => {
  const attributesOf = async (info: string): Promise<string> =>
    /<code([^>]*)>/.exec(await render("1.md", `~~~${info}\nx\n~~~\n`))?.[1]?.trim() ?? "";

  test("has its language as a class and the rest as data attributes", async () => {
    expect(await attributesOf("rust,editable")).toBe('class="language-rust" data-editable=""');
    expect(await attributesOf("rust, ignore,mdbook-runnable")).toBe(
      'class="language-rust" data-ignore="" data-mdbook-runnable=""',
    );
    expect(await attributesOf(" python out")).toBe('class="language-python" data-out=""');
    expect(await attributesOf("out")).toBe('class="language-out"');
    expect(await attributesOf("c++")).toBe('class="language-c++"');
    expect(await attributesOf("")).toBe("");
    expect(await attributesOf('{.python .numberLines startFrom="3" #code}')).toBe(
      'class="language-python" data-number-lines="" data-start-from="3" id="code"',
    );
    expect(await attributesOf("{r setup, echo=FALSE}")).toBe('class="language-r" data-setup="" data-echo="FALSE"');
    expect(await attributesOf('js {1,3-5} title="a < &quot;b&quot;" showLineNumbers')).toBe(
      'class="language-js" data-highlight="1,3-5" data-title="a &lt; " data-b="" data-show-line-numbers=""',
    );
    expect(await attributesOf("jsx{2} title='x y' live={true}")).toBe(
      'class="language-jsx" data-highlight="2" data-title="x y" data-live="true"',
    );
  });

  test("has only attribute names that HTML allows, each once, up to a limit", async () => {
    expect(await attributesOf("a onclick=x größe=1 b b=2 @eval 名前")).toBe(
      'class="language-a" data-onclick="x" data-gr-e="1" data-b="" data-eval="" data-more="名前"',
    );
    const many = await attributesOf(`a ${Array.from({ length: 30 }, (_, n) => `w${n}`).join(" ")}`);
    expect(many).toContain('data-w19="" data-more="w20 w21');
    expect(many.match(/data-/g)).toHaveLength(21);
  });
});

describe("a callout", () => {
  test("has classes, and the author's title or a default in the course's language", async () => {
    const text = "> [!TIP]\n> Drink *tea*.\n\n> [!WARNING] Very *hot* \\\n> - a\n\n> [!note]- Folded\n";
    const html = (tip: string): string =>
      `<aside class="callout" data-callout="tip">\n<p class="callout-title">${tip}</p>\n<p>Drink <em>tea</em>.</p>\n</aside>\n` +
      '<aside class="callout" data-callout="warning">\n<p class="callout-title">Very <em>hot</em> \\</p>\n<ul>\n<li>a</li>\n</ul>\n</aside>\n' +
      '<aside class="callout" data-callout="note">\n<p class="callout-title">Folded</p>\n</aside>\n';
    expect(await render("1.md", text)).toBe(html("Tip"));
    const inFolder = async (folder: string, written = text) => {
      const toctree = "- title: A\n  sections:\n  - {local: a, title: L}";
      const files = { [`${folder}/_toctree.yml`]: toctree, [`${folder}/a.mdx`]: written };
      return (await readOnly(files)).chapters[0]?.lessons[0]?.additionalText ?? "";
    };
    expect(await inFolder("de")).toBe(html("Tipp"));
    expect(await inFolder("de", "<Warning>\n\nHeiß.\n\n</Warning>\n")).toContain(
      '<p class="callout-title">Warnung</p>',
    );
    expect(await inFolder("zh-CN")).toBe(html("提示"));
    expect(await inFolder("pt_BR")).toBe(html("Dica"));
    expect(await inFolder("cn")).toBe(html("提示"));
    expect(await inFolder("jp")).toBe(html("ヒント"));
    expect(await inFolder("xx")).toBe(html("Tip"));
    expect(await inFolder("constructor")).toBe(html("Tip"));
  });

  test("of an unknown kind is a quotation", async () => {
    expect(await render("1.md", "> [!OTHER] x\n\n> [!TIP]x\n")).toBe(
      "<blockquote>\n<p>[!OTHER] x</p>\n</blockquote>\n<blockquote>\n<p>[!TIP]x</p>\n</blockquote>\n",
    );
  });
});

test("emphasis closes beside text written without blanks", async () => {
  expect(await render("1.md", "これは**重要。**という意味。**（注）**は*「強調」*です。\n")).toBe(
    "<p>これは<strong>重要。</strong>という意味。<strong>（注）</strong>は<em>「強調」</em>です。</p>\n",
  );
  expect(await render("1.md", "a **b.**c\n")).toBe("<p>a **b.**c</p>\n");
});

describe("HTML in Markdown", () => {
  test("loses its comments, except in code", async () => {
    const text =
      "<!-- a -->\n\nb <!-- c --> d\n<!--\n\ne -->\n\n`<!-- f -->`\n\n    <!-- g -->\n\n<div>\n<!-- h\n-->\n<b>i</b><!-- j -->\n</div>\n<script>// <!-- k -->\n</script>\n";
    expect(await render("1.md", text)).toBe(
      "<p>b  d</p>\n<p><code>&lt;!-- f --&gt;</code></p>\n<pre><code>&lt;!-- g --&gt;\n</code></pre>\n" +
        "<div>\n<b>i</b>\n</div>\n<script>// <!-- k -->\n</script>\n",
    );
    expect(await render("1.html", "<!-- a --><p>b</p>")).toBe("<!-- a --><p>b</p>");
    const across = "<div>\n<!-- a\n\nb\n\nc --> <!-- d\n\ne -->\n</div>\nF\n\n*G*\n";
    expect(await render("1.md", across)).toBe("<div>\n</div>\nF\n<p><em>G</em></p>\n");
    expect(await render("1.md", "- <p>\n  <!-- a\n\n  b -->\n  </p>\n\nc -->\n")).toBe(
      "<ul>\n<li>\n<p>\n</p>\n</li>\n</ul>\n<p>c --&gt;</p>\n",
    );
    const { lesson } = await readLesson("1.md", "<p>\n<!-- never\n\nclosed\n");
    expect(lesson?.additionalText).toBe("<p>\n<p>closed</p>\n");
  });

  test("keeps the lines of reported problems", async () => {
    const text = 'x\n\n<div><!-- a\nb --><a href="c.md">\n<!-- d -->\n<!-- e --><a href="f.md"></a></a></div>\n';
    const { problems } = await readLesson("1.md", text);
    expect(
      problems.map((problem) => /md:(\d+): .*link "(.*?)"/.exec(problem)?.slice(1).join(" ")).filter(Boolean),
    ).toEqual(["4 c.md", "6 f.md"]);
  });

  test("contains Markdown if its author says so", async () => {
    const text =
      '<div class="a" markdown="1">\n**b**\n\n- c\n</div>\nd *e*\n\n<section markdown>\n*f*\n</section>\n\n<div markdown="1">*g*</div>\n\n<div markdown="0">\n*h*\n</div>\n\n<span markdown="1">*i*</span> j\n';
    expect(await render("1.md", text)).toBe(
      '<div class="a">\n<p><strong>b</strong></p>\n<ul>\n<li>c</li>\n</ul>\n</div>\n<p>d <em>e</em></p>\n' +
        "<section>\n<p><em>f</em></p>\n</section>\n<div><em>g</em></div>\n<div>\n*h*\n</div>\n<p><span><em>i</em></span> j</p>\n",
    );
    const boxes =
      '<details markdown="1"><summary>*a*</summary>\nb *c*\n</details>\n\n<details markdown>\n<summary class="d">*e*</summary>\n*f*\n</details>\n\n<details>\n<summary>*g*</summary>\n</details>\n';
    expect(await render("1.md", boxes)).toBe(
      "<details>\n<summary><em>a</em></summary>\n<p>b <em>c</em></p>\n</details>\n" +
        '<details>\n<summary class="d"><em>e</em></summary>\n<p><em>f</em></p>\n</details>\n' +
        "<details>\n<summary>*g*</summary>\n</details>\n",
    );
    expect(await render("1.html", '<div markdown="1">*a*</div>')).toBe('<div markdown="1">*a*</div>');
  });
});
