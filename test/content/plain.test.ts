import { describe, expect, test } from "bun:test";
import { outlinesOf, pages, read, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const readAs = (format: string, files: Files) => readFolder(writeFolder(files), undefined, { format });
const REPOSITORY_FILE = "has the name of a repository file, so it is not a lesson";
const ADOC = "is AsciiDoc, which is not supported: convert it to HTML";

/** Pages with such fields in front of them, by name. */
const withFields = (fields: Record<string, string>): Files =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, `---\n${field}\n---\nx`]));
const NAV = `site_name: Tea School
site_description: All of it.
markdown_extensions: [pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji ''}]
nav:
  - Home: index.md
  - brew/hot.md
  - Leaves: [Green ones: leaves/green.md, Rare: [leaves/white.md], leaves/black.md]
  - https://tea.example
  - Gone: gone.md
  - Up: ../README.md
  - Again: index.md
`;
const REPOSITORY = "LICENSE authors changelog changes citation code_of_conduct copying governance security".split(" ");
const BESIDE = ["LICENSE.md", "milk/Authors.md", ...REPOSITORY.map((name) => `tea/${name}.html`)];

/** By the names of tests: the files of a source, the outlines of its courses, and all that is reported of it. */
function testOutlines(tests: Record<string, [files: Files, outlines: string, ...problems: string[]]>): void {
  test.each(Object.entries(tests))("%s", async (_name, [files, outlines, ...reported]) => {
    const { courses, problems } = await read(files);
    expect({ outlines: outlinesOf(courses), problems }).toEqual({ outlines, problems: reported });
  });
}

describe("a plain folder of Markdown is a course", () => {
  testOutlines({
    "in natural order of names": [
      {
        ...pages("guides/step 10.md", "guides/step 9.md", "guides/Zen.mdx", "guides/README.md", "guides/deep/a.html"),
        ...pages("guides/empty/picture.png", "assets/logo.svg"),
        "index.md": "---\ntitle: Welcome\n---\nhome",
        "tea.md": "# Tea\n\nGreen.",
      },
      "Introduction > Welcome, Tea; Guides > Introduction, Step 9, Step 10, Zen; Guides: Deep > A",
    ],
    "with one chapter if it has only files": [pages("tea-time/b.md", "tea-time/a.md"), "Tea time > A, B"],
    "whose unread texts are reported, the first of each kind, except repository files": [
      pages("a.md", "b.htm", "README.rst", "_drafts/e.md", "guides/c.adoc", "guides/d.adoc", "guides/slides.pdf"),
      "Introduction > A",
      "b.htm: warning: is not a lesson: change its extension to .html",
      `guides/c.adoc: warning: ${ADOC} (2 such files)`,
      ".: warning: 1 file is reserved for a site builder by a leading _, so it is not a lesson: _drafts/e.md",
    ],
    "without repository files in its root, by their exact names": [
      pages("authors.html", "security.html", "contributing-to-open-source.md", "security-headers.md", "web/authors.md"),
      "Introduction > Contributing to open source, Security headers; Web > Authors",
      ...["authors", "security"].map((name) => `${name}.html: warning: ${REPOSITORY_FILE}`),
    ],
    "ordered by weight, sidebar_position, order or nav_order, unspecified entries last": [
      {
        ...withFields({ "v/a.md": "weight: 0", "v/b.md": "weight: 7", "v/c.md": "weight: 3" }),
        ...withFields({ "w/b.md": "sidebar_position: 2.5", "w/c.md": "sidebar_position: -1", "w/a.md": "order: x" }),
        ...withFields({ "x/b.md": "order: 10", "x/c.md": "order: 9" }),
        ...withFields({ "y/b.md": "nav_order: 2", "y/c.md": "nav_order: 1" }),
      },
      "V > C, B, A; W > C, B, A; X > C, B; Y > C, B",
    ],
    "ordered by an order file first, which also orders folders": [
      {
        ...pages("water.md", "extra.md", "art/a.md", "zen/a.md", "zen/b.md"),
        order: "# by hand\nwater\n\nleaves.md\nzen/\n",
        "leaves.md": "---\nweight: 1\n---\nx",
        "zen/.order": "b\na\n",
      },
      "Introduction > Water, Leaves, Extra; Zen > B, A; Art > A",
    ],
    "whose outline is the nav of MkDocs, with sections as chapters": [
      {
        ...pages("docs/leaves/green.md", "docs/leaves/white.md", "docs/leaves/black.md", "docs/leaves/draft.md"),
        ...pages("docs/README.md", "docs/index.md", "docs/brew/hot.md", "README.md"),
        "mkdocs.yml": NAV,
      },
      "Introduction > Home, Hot; Leaves > Green ones; Leaves: Rare > White; Leaves > Black",
      'mkdocs.yml:8:5: warning: "https://tea.example" in nav points to another site and is skipped',
      'mkdocs.yml:9:5: warning: nav names "gone.md", but there is no page docs/gone.md',
      'mkdocs.yml:10:5: warning: nav names "../README.md", but there is no page README.md',
      'mkdocs.yml:11:5: warning: "index.md" appears in nav a second time and is skipped',
      "docs: warning: 2 files are not in nav of mkdocs.yml, so they are not lessons: docs/README.md, docs/leaves/draft.md",
    ],
    "with folder names from its builder's files": [
      {
        ...pages("one/a.md", "two/b.md"),
        "one/_category_.json": '{"label": "The first", "position": 2}',
        "two/_index.md": '+++\ntitle = "The second"\nweight = 1\n+++\nHello.\n',
        "three/index.md": "---\ntitle: The third\nnav_order: 3\n---\nx",
      },
      "The second > The second, B; The first > A; The third > The third",
    ],
    "without repository files in the root of the source and of each course": [
      pages(...BESIDE, "tea/a/SECURITY.md", "milk/b/b.md"),
      "B > B; A > SECURITY",
      ...BESIDE.map((file) => `${file}: warning: ${REPOSITORY_FILE}`),
    ],
  });

  test("whose site fields are dropped, whose dates and names are used, and whose drafts are counted", async () => {
    const fields = "slug: /a\nlayout: page\ntags: [x]\nparent: Y\ndate: 2024-05-01 10:00:00 +0200\nlastmod: 2024-06-01";
    const { lessons, problems } = await read({
      ...withFields({ "a.md": `id: intro\n${fields}\nsidebar_label: S`, "b/b.md": "id: intro", "b/c.md": "id: own" }),
      ...withFields({ "b/d.md": "draft: true", "b/e.md": "published: false" }),
      "b/f.md": '+++\ntitle = "F"\ndraft = true\n+++\nx',
    });
    expect(lessons).toMatchObject([
      { name: "A", createdAt: "2024-05-01T08:00:00.000Z", updatedAt: "2024-06-01T00:00:00.000Z" },
      { name: "B" },
      { name: "C", id: "own" },
    ]);
    expect(lessons.slice(0, 2).map(({ id }) => id)).toEqual([undefined, undefined]);
    expect(problems).toEqual([".: note: 3 drafts are left out"]);
  });

  test("whose site templates are dropped outside code and reported; standard tags are shown", async () => {
    const { lessons, problems } = await read({
      "a.md": `a {{< ref "x" >}} b {{% notice tip %}}c{{% /notice %}} {% include d.html %}

{{< figure
  src='https://x.example/e.png' title='T' caption=\`C\`
>}}

{{< youtube abc_1 >}} {{< vimeo 12 >}} [b]({{< ref "b.md#x" >}}) [c]({{% relref "/in/c" %}}) [d]({% link in/c.md %})

{% comment %}not\n{{< this >}}\n{% endcomment %}
{% highlight ruby %}\nputs {{x}}\n{% endhighlight %}

{{< highlight go "linenos=table" >}}\nf(*a*)\n{{< /highlight >}}

\`{% raw %}\`

:::note[Mind]\ng\n:::

[gone](gone.md)
`,
      "b.md": "## X\n\nx",
      "in/c.md": "x",
    });
    expect(lessons[0]?.additionalText).toBe(`<p>a  b c</p>
<p><img src="https://x.example/e.png" alt="C" loading="lazy"> <strong>T</strong> <em>C</em></p>
<p><a href="https://www.youtube.com/watch?v=abc_1">https://www.youtube.com/watch?v=abc_1</a> <a href="https://vimeo.com/12">https://vimeo.com/12</a> <a href="b.md#x">b</a> <a href="/in/c">c</a> <a href="/in/c.md">d</a></p>
<pre><code class="language-ruby">puts {{x}}\n</code></pre>
<pre><code class="language-go">f(*a*)\n</code></pre>
<p><code>{% raw %}</code></p>
<aside class="callout" data-callout="note">\n<p class="callout-title">Mind</p>\n<p>g</p>\n</aside>
<p><a href="gone.md" data-unresolved="">gone</a></p>\n`);
    const DROPPED = "is dropped: it needs the site's templates";
    expect(problems).toEqual([
      `a.md:1: warning: tag {{<ref>}} ${DROPPED}`,
      `a.md:1: warning: tag {{<notice>}} ${DROPPED}`,
      `a.md:1: warning: tag {% include %} ${DROPPED}`,
      'a.md:26: warning: link "gone.md" points to a missing file: gone.md',
    ]);
  });

  test.each([
    [
      "hugo.toml",
      "{{% comment %}}\nsecret\n\n{{< ref >}}\n{{% /comment %}}\n\nb {{< comment >}}secret{{< /comment >}}c",
    ],
    ["_config.yml", "{::comment}\nsecret\n\nd\n{:/comment}\n\nb {% comment %}secret{% endcomment %}c"],
  ])("whose comments are left out in a site with %s", async (config, text) => {
    const page = `${text}\n\n[gone](gone.md)\n\n~~~\n{::comment}\n{:/comment}\n~~~\n`;
    const { lessons, problems } = await read({ [config]: "", "content/a.md": page });
    expect(lessons[0]?.additionalText).toBe(
      `<p>b c</p>\n<p><a href="gone.md" data-unresolved="">gone</a></p>\n<pre><code>{::comment}\n{:/comment}\n</code></pre>\n`,
    );
    expect(problems).toEqual(['content/a.md:9: warning: link "gone.md" points to a missing file: content/gone.md']);
  });

  test("whose links resolve from the page's URL in a Hugo site, else from its file", async () => {
    const { found, problems } = await read({
      "hugo.toml": "",
      "content/a/b.md": "[c](../c/) [e](e.md) [d](../../d)",
      "content/a/c/index.md": "[b](../b/) [d](../../d)",
      "content/a/e.md": "x",
      "content/d.md": "[b](../a/b/)",
    });
    expect(problems).toEqual([]);
    const links = found[0]?.course.chapters.flatMap(({ lessons }) => lessons.flatMap((lesson) => lesson.links ?? []));
    const files = ["a/b.md", "a/c/index.md", "a/e.md", "d.md", "a/b.md", "d.md"].map((file) => `content/${file}`);
    expect(links?.map(({ target }) => target.sourcePath)).toEqual(files);
  });

  test("whose tags are shown if they are in raw code", async () => {
    const { lessons, problems } = await read({ "a.md": "{% raw %}\n```\n{% if d %}\n```\n{% endraw %}\n\nx\n" });
    expect([lessons[0]?.additionalText, problems]).toEqual(["<pre><code>{% if d %}\n</code></pre>\n<p>x</p>\n", []]);
  });

  test("with an error for unreadable TOML front matter", async () => {
    const { problems } = await read({ "a.md": "+++\ntitle = \n+++\nx", "b.md": "+++\ntitle = 'B'\n", "c.md": "ok" });
    expect(problems).toEqual([
      expect.stringContaining("a.md:1: error: TOML Parse error"),
      "b.md:1: error: the front matter that begins here is not closed; end it with a line +++",
    ]);
  });
});

describe("course folders", () => {
  test.each<[places: string[], files: Files]>([
    [["ink", "tea"], { "tea/course.yaml": "name: All of tea", ...pages("tea/a.md", "ink/b/c.md") }],
    [["."], pages("one/a.md", "ink/basics/c.md")],
  ])("are %j: the root, or its folders if they contain folders of lessons", async (places, files) => {
    expect((await readAs("plain", files)).courses.map(({ sourcePath }) => sourcePath)).toEqual(places);
  });

  test("are where the site's builder keeps its pages", async () => {
    const { courses } = await read(pages("blog/d.md", "README.md", "docs/a.md", "docs/b/c.md", "docusaurus.config.js"));
    expect(courses.map(({ sourcePath }) => sourcePath)).toEqual(["docs"]);
    expect(outlinesOf(courses)).toBe("Introduction > A; B > C");
  });
});

describe("--format", () => {
  const both: Files = { "SUMMARY.md": "- [B](b.md)\n", "b.md": "x", "01-a.md": "x" };

  test("accepts folders of that format, and otherwise describes what such a folder has", async () => {
    const { courses } = await readAs("mdbook", { "x/SUMMARY.md": "- [B](b.md)\n", "x/b.md": "x", "y/01-a.md": "x" });
    expect(courses.map(({ sourcePath }) => sourcePath)).toEqual(["x"]);
    expect((await readAs("carpentries", both)).problems).toEqual([
      ".: error: contains no course of the format carpentries: a folder of this format contains a Carpentries config.yaml",
    ]);
  });
});

describe(".lecternignore", () => {
  testOutlines({
    "hides paths as .gitignore does": [
      {
        ...pages("a.md", "b.draft.md", "keep.draft.md", "old/c.md", "new/old/d.md"),
        ".lecternignore": "# not these\n*.draft.md\n/old/\n!keep.draft.md\n",
      },
      "Introduction > A, Keep.draft; New: Old > D",
    ],
  });

  const MOVE = "error: hides nothing here; move its patterns to .lecternignore in the source's folder";
  const [DEEP, WIDE, PATTERN] = [`${"**/a/".repeat(6)}b`, "*a".repeat(9), "error: the pattern"];
  const WILD = "has too many wildcards: use at most 8, of which at most 2 are **";
  test.each<[what: string, file: string, text: string, problems: string[]]>([
    ["another name", ".LecternIgnore", "b.md\n", ["error: must be named .lecternignore; rename it"]],
    ["a place where it would hide nothing", "chapter/.lecternignore", "c.md", [MOVE]],
    [
      "patterns that could take hours",
      ".lecternignore",
      `${DEEP}\n${WIDE}\n${"x\n".repeat(1001)}`,
      [
        `1: ${PATTERN} "${DEEP}" ${WILD}`,
        `2: ${PATTERN} "${WIDE}" ${WILD}`,
        "1003: error: an ignore file is limited to 1000 patterns",
      ],
    ],
  ])("with %s is an error", async (_, file, text, expected) => {
    const deep = [`${"a/".repeat(60)}x.txt`, "chapter/c.md", "chapter/deep/c.md"];
    const { problems } = await read({ ...pages("01-a.md", "02-b.md", ...deep), [file]: text });
    expect(problems).toEqual(expected.map((problem) => `${file}:${/^\d/.test(problem) ? "" : " "}${problem}`));
  });
});
