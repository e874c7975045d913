import { describe, expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { outlineOf, outlinesOf, pages, read, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const outlinesIn = async (files: Files) => outlinesOf((await read(files)).courses);
const readAs = (format: string, files: Files) => readFolder(writeFolder(files), undefined, { format });

describe("a plain folder of Markdown is a course", () => {
  test("with folders as chapters and files as lessons, in natural order of names", async () => {
    const { courses, problems } = await read({
      ...pages("guides/step 10.md", "guides/step 9.md", "guides/Zen.mdx", "guides/README.md"),
      "index.md": "---\ntitle: Welcome\n---\nhome",
      "tea.md": "# Tea\n\nGreen.",
      "guides/deep/a.html": "<p>x</p>",
      "guides/empty/picture.png": "",
      "assets/logo.svg": "",
    });
    expect(courses.map(({ sourcePath }) => sourcePath)).toEqual(["."]);
    expect(outlinesOf(courses)).toBe(
      "Introduction > Welcome, Tea; Guides > Introduction, Step 9, Step 10, Zen; Guides: Deep > A",
    );
    expect(courses[0]?.chapters.map(({ sourcePath }) => sourcePath)).toEqual([undefined, "guides", "guides/deep"]);
    expect(problems).toEqual([]);
  });

  test("with one chapter, named after the folder, if it has only files", async () => {
    const { courses } = await read({ "tea-time/b.md": "x", "tea-time/a.md": "x" });
    expect(outlinesOf(courses)).toBe("Tea time > A, B");
  });

  test("whose unread texts are reported, the first of each kind, except repository files", async () => {
    const { courses, problems } = await read({
      ...pages("a.md", "b.htm", "README.rst", "_drafts/e.md"),
      "guides/c.adoc": "x",
      "guides/d.adoc": "x",
      "guides/slides.pdf": "",
    });
    expect(outlinesOf(courses)).toBe("Introduction > A");
    expect(problems).toEqual([
      "b.htm: warning: is not a lesson: change its extension to .html",
      "guides/c.adoc: warning: is AsciiDoc, which is not supported: convert it to HTML (2 such files)",
      ".: warning: 1 file is reserved for a site builder by a leading _, so it is not a lesson: _drafts/e.md",
    ]);
    const numbered = await read({ "01-a.md": "x", "02-b.adoc": "x", "data.adoc": "x" });
    expect(numbered.problems).toEqual(["02-b.adoc: warning: is AsciiDoc, which is not supported: convert it to HTML"]);
  });

  test.each([
    ["weight", "weight: 0", "weight: 7", "weight: 3"],
    ["order", "", "order: 10", "order: 9"],
    ["sidebar_position", "sidebar_position: x", "sidebar_position: 2.5", "sidebar_position: -1"],
    ["nav_order", "", "nav_order: 2", "nav_order: 1"],
  ])("ordered by %s, unspecified entries last", async (_field, none, second, first) => {
    const outlines = await outlinesIn({
      "a.md": `---\n${none}\n---\nx`,
      "b.md": `---\n${second}\n---\nx`,
      "c.md": `---\n${first}\n---\nx`,
      "README.md": "x",
    });
    expect(outlines).toMatch(/ > Introduction, C, B, A$/);
  });

  test("ordered by an order file first, which also orders folders", async () => {
    expect(
      await outlinesIn({
        ...pages("water.md", "extra.md", "art/a.md", "zen/a.md", "zen/b.md"),
        order: "# by hand\nwater\n\nleaves.md\nzen/\n",
        "leaves.md": "---\nweight: 1\n---\nx",
        "zen/.order": "b\na\n",
      }),
    ).toBe("Introduction > Water, Leaves, Extra; Zen > B, A; Art > A");
  });

  test("whose outline is the nav of MkDocs, with sections as chapters", async () => {
    const { courses, problems } = await read({
      ...pages(
        "docs/about.md",
        "docs/leaves/white.md",
        "docs/leaves/black.md",
        "docs/leaves/draft.md",
        "docs/README.md",
      ),
      "mkdocs.yml": `site_name: Tea School
site_description: All of it.
markdown_extensions:
  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji ''}
nav:
  - Home: index.md
  - brew/hot.md
  - Leaves:
      - Green ones: leaves/green.md
      - Rare: [leaves/white.md]
      - leaves/black.md
  - About: about.md
  - Shop: https://tea.example
  - Gone: gone.md
  - Up: ../README.md
  - Again: index.md
`,
      "README.md": "about the repository",
      "docs/index.md": "# Welcome\n\n[green](/leaves/green.md)",
      "docs/brew/hot.md": "# Hot water\n\nx",
      "docs/leaves/green.md": "---\ntitle: Green\nhide: [toc]\n---\nx",
    });
    expect(courses.map(({ name, description, sourcePath }) => [name, description, sourcePath])).toEqual([
      ["Tea School", "All of it.", "docs"],
    ]);
    expect(outlinesOf(courses)).toBe(
      "Introduction > Home, Hot water; Leaves > Green ones; Leaves: Rare > White; Leaves > Black; About > About",
    );
    expect(problems).toEqual([
      'mkdocs.yml:13:5: warning: "https://tea.example" in nav points to another site and is skipped',
      'mkdocs.yml:14:5: warning: nav names "gone.md", but there is no page docs/gone.md',
      'mkdocs.yml:15:5: warning: nav names "../README.md", but there is no page README.md',
      'mkdocs.yml:16:5: warning: "index.md" appears in nav a second time and is skipped',
      "docs: warning: 2 files are not in nav of mkdocs.yml, so they are not lessons: docs/README.md, docs/leaves/draft.md",
    ]);
  });

  test("ordered by its pages if mkdocs.yml is unreadable or has no nav", async () => {
    const broken = await read({ "mkdocs.yml": "nav:\n  - a: b: c\n", "docs/b.md": "x", "docs/a.md": "x" });
    expect(outlinesOf(broken.courses)).toBe("Docs > A, B");
    expect(broken.problems).toEqual([expect.stringContaining("mkdocs.yml:2:8: warning: ")]);
    const named = await read({
      ...pages("pages/a.md", "pages/b.md"),
      "mkdocs.yml": "site_name: Tea\ndocs_dir: pages\n",
    });
    expect(named.courses.map(({ name }) => name)).toEqual(["Tea"]);
    expect(named.problems).toEqual([]);
  });

  test("with folder names from its builder's files", async () => {
    expect(
      await outlinesIn({
        ...pages("one/a.md", "two/b.md"),
        "one/_category_.json": '{"label": "The first", "position": 2}',
        "two/_index.md": '+++\ntitle = "The second"\nweight = 1\n+++\nHello.\n',
        "three/index.md": "---\ntitle: The third\nnav_order: 3\n---\nx",
      }),
    ).toBe("The second > The second, B; The first > A; The third > The third");
  });

  test("whose site fields are dropped, whose dates and names are used, and whose drafts are counted", async () => {
    const { courses, problems } = await read({
      "a.md":
        "---\nid: intro\nslug: /a\nlayout: page\ntags: [x]\nparent: Y\ndate: 2024-05-01 10:00:00 +0200\nlastmod: 2024-06-01\nsidebar_label: S\n---\n# A\n",
      "b/b.md": "---\nid: intro\n---\nx",
      "b/c.md": "---\nid: own\n---\nx",
      "b/d.md": "---\ndraft: true\n---\nx",
      "b/e.md": "---\npublished: false\n---\nx",
      "b/f.md": '+++\ntitle = "F"\ndraft = true\n+++\nx',
    });
    const lessons = courses[0]?.chapters.flatMap((chapter) => chapter.lessons);
    expect(lessons?.map(({ id, name }) => [id, name])).toEqual([
      [undefined, "A"],
      [undefined, "B"],
      ["own", "C"],
    ]);
    expect(lessons?.[0]).toMatchObject({
      createdAt: "2024-05-01T08:00:00.000Z",
      updatedAt: "2024-06-01T00:00:00.000Z",
    });
    expect(problems).toEqual([".: note: 3 drafts are left out"]);
  });

  const about = "has the name of a repository file, so it is not a lesson";

  test("without repository files with well-known names in its root; site files are counted once", async () => {
    const { courses, problems } = await read(
      pages(
        "a.md",
        "LICENSE.md",
        "Contributing.mdx",
        "CODE_OF_CONDUCT.markdown",
        "contributing-to-open-source.md",
        "license-choice.md",
        "security_headers.md",
        "changes.in.water.md",
        "web/security-headers.md",
        "web/authors.md",
        "web/changelog.md",
        "_layouts/default.html",
        "_draft.md",
      ),
    );
    expect(outlinesOf(courses)).toBe(
      "Introduction > A, Changes.in.water, Contributing to open source, License choice, Security headers; Web > Authors, Changelog, Security headers",
    );
    expect(problems).toEqual([
      `CODE_OF_CONDUCT.markdown: warning: ${about}`,
      `Contributing.mdx: warning: ${about}`,
      `LICENSE.md: warning: ${about}`,
      ".: warning: 2 files are reserved for a site builder by a leading _, so they are not lessons: _draft.md, _layouts/default.html",
    ]);
  });

  test("without repository files in the root of the source and of each course", async () => {
    const { courses, problems } = await read(
      pages(
        "LICENSE.md",
        "tea/a/SECURITY.md",
        "tea/LICENSE.md",
        "milk/b/b.md",
        "milk/Authors.md",
        "milk/security.html",
      ),
    );
    expect(courses.map((course) => [course.sourcePath, ...outlineOf(course)])).toEqual([
      ["milk", ["B", "B"]],
      ["tea", ["A", "SECURITY"]],
    ]);
    const files = ["LICENSE.md", "milk/Authors.md", "milk/security.html", "tea/LICENSE.md"];
    expect(problems).toEqual(files.map((file) => `${file}: warning: ${about}`));
  });

  test("whose repository files are all reported on request", async () => {
    const names = ["authors", "changelog", "changes", "citation", "contributing", "copying", "governance", "licence"];
    const files = names.flatMap((name) => [`${name}.md`, `${name}.html`, `${name}.mdx`]);
    const root = writeFolder(Object.fromEntries([...files, "a.md"].map((name) => [name, "x"])));
    const { stdout } = await runCommand(["check", root]);
    for (const name of files) expect(stdout).toContain(`/${name}: warning: has the name of a repository file`);
  });

  test("whose site templates are dropped outside code and reported; standard tags are shown", async () => {
    const { courses, problems } = await read({
      "a.md":
        'a {{< ref "x" >}} b {{% notice tip %}}c{{% /notice %}} {% include d.html %}\n\n{{< figure src="https://x.example/e.png" alt="E" caption="F" >}}\n\n{{< youtube abc_1 >}}\n\n{% highlight ruby %}\nputs {{x}}\n{% endhighlight %}\n\n`{% raw %}`\n\n:::note[Mind]\ng\n:::\n',
    });
    expect(courses[0]?.chapters[0]?.lessons[0]?.additionalText).toBe(
      '<p>a  b c </p>\n<p><img src="https://x.example/e.png" alt="E" loading="lazy"> <em>F</em></p>\n<p><a href="https://www.youtube.com/watch?v=abc_1">https://www.youtube.com/watch?v=abc_1</a></p>\n<pre><code class="language-ruby">puts {{x}}\n</code></pre>\n<p><code>{% raw %}</code></p>\n<aside class="callout" data-callout="note">\n<p class="callout-title">Mind</p>\n<p>g</p>\n</aside>\n'.replace(
        "c </p>",
        "c</p>",
      ),
    );
    expect(problems).toEqual([
      "a.md:1: warning: tag {{<ref>}} is dropped: it needs the site's templates",
      "a.md:1: warning: tag {{<notice>}} is dropped: it needs the site's templates",
      "a.md:1: warning: tag {% include %} is dropped: it needs the site's templates",
    ]);
  });

  test("whose tags keep URLs, titles and code, and hide comments", async () => {
    const { courses, problems } = await read({
      "a.md":
        '[b]({{< ref "b.md#x" >}}) [c]({{% relref "/in/c" %}}) [d]({% link in/c.md %})\n\n{% comment %}not\n{{< this >}}\n{% endcomment %}\n' +
        "{{< figure src='https://x.example/e.png' title='T' caption=`C` >}}\n\n{{< vimeo 12 >}}\n\n" +
        '{{< highlight go "linenos=table" >}}\nf(*a*)\n{{< /highlight >}}\n\n[gone](gone.md)\n',
      "b.md": "## X\n\nx",
      "in/c.md": "x",
    });
    expect(courses[0]?.chapters[0]?.lessons[0]?.additionalText).toBe(
      '<p><a href="b.md#x">b</a> <a href="/in/c">c</a> <a href="/in/c.md">d</a></p>\n' +
        '<p><img src="https://x.example/e.png" alt="C" loading="lazy"> <strong>T</strong> <em>C</em></p>\n<p><a href="https://vimeo.com/12">https://vimeo.com/12</a></p>\n' +
        '<pre><code class="language-go">f(*a*)\n</code></pre>\n<p><a href="gone.md" data-unresolved="">gone</a></p>\n',
    );
    expect(problems).toEqual(['a.md:14: warning: link "gone.md" points to a missing file: gone.md']);
  });

  test("whose raw parts lack an end, shows them as text", async () => {
    const { lessons, problems } = await read({ "_config.yml": "x: y", "a.md": "{% raw %}\n{% raw %}\nx" });
    expect(lessons[0]?.additionalText).toBe("<p>x</p>\n");
    expect(problems).toEqual([]);
  });

  test("whose tags may span lines, and whose escaped tags are shown", async () => {
    const { courses, problems } = await read({
      "a.md":
        'a\n\n{{< figure\n  src="https://x.example/e.png"\n  alt="E"\n>}}\n\n```\n{{</* ref "b" */>}}\n{% raw %}{{ c }}{% endraw %}\n```\n\n{% raw %}\n```\n{% if d %}\n```\n{% endraw %}\n\n[x](gone.md)\n',
    });
    expect(courses[0]?.chapters[0]?.lessons[0]?.additionalText).toBe(
      '<p>a</p>\n<p><img src="https://x.example/e.png" alt="E" loading="lazy"></p>\n<pre><code>{{&lt; ref &quot;b&quot; &gt;}}\n{{ c }}\n</code></pre>\n<pre><code>{% if d %}\n</code></pre>\n<p><a href="gone.md" data-unresolved="">x</a></p>\n',
    );
    expect(problems).toEqual(['a.md:19: warning: link "gone.md" points to a missing file: gone.md']);
  });

  test("with an error for unreadable TOML front matter", async () => {
    const { problems } = await read({ "a.md": "+++\ntitle = \n+++\nx", "b.md": "+++\ntitle = 'B'\n", "c.md": "ok" });
    expect(problems.map((problem) => problem.replace(/(TOML Parse error).*/, "$1"))).toEqual([
      "a.md:1: error: TOML Parse error",
      "b.md:1: error: the front matter that begins here is not closed; end it with a line +++",
    ]);
  });
});

describe("course folders", () => {
  test("are the root if it or its folders contain lessons, or its folders if they contain folders of lessons", async () => {
    const names = async (files: Files) => (await read(files)).courses.map(({ name }) => name);
    expect(
      await names({ "tea/basics/a.md": "x", "tea/more/b.md": "x", "ink/basics/c.md": "x", "README.md": "x" }),
    ).toEqual(["Ink", "Tea"]);
    expect(await names({ "tea/a.md": "x", "ink/basics/c.md": "x" })).toHaveLength(1);
    expect(await names({ "tea/basics/a.md": "x" })).toHaveLength(1);
    expect(
      (
        await readAs("plain", { "tea/course.yaml": "name: All of tea", "tea/a.md": "x", "ink/b/c.md": "x" })
      ).courses.map(({ name }) => name),
    ).toEqual(["Ink", "All of tea"]);
  });

  test.each([
    ["docusaurus.config.js", "docs"],
    ["hugo.yaml", "content"],
    ["mkdocs.yml", "docs"],
  ])("are where the builder with %s keeps its pages", async (sign, folder) => {
    const { courses } = await read({
      ...pages("blog/d.md", "README.md"),
      [sign]: "",
      [`${folder}/a.md`]: "x",
      [`${folder}/b/c.md`]: "x",
    });
    expect(courses.map(({ sourcePath }) => sourcePath)).toEqual([folder]);
    expect(outlinesOf(courses)).toBe("Introduction > A; B > C");
  });

  test("are not found if courses of another kind are deeper, or a README is all there is", async () => {
    for (const files of [
      {
        ...pages("notes.md", "chapters/tea/a.md", "chapters/sound/a.md"),
        "chapters/tea/_toctree.yml": "- title: T\n  sections: [{local: a, title: A}]",
        "chapters/sound/_toctree.yml": "- title: T\n  sections: [{local: a, title: A}]",
      },
      { "README.md": "about", "src/main.c": "" },
    ]) {
      const { courses, problems } = await read(files);
      expect(courses).toEqual([]);
      expect(problems.at(-1)).toStartWith(".: error: contains no course");
    }
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

  test("is an option of the commands; check also has one for the output of problems", async () => {
    const root = writeFolder({ ...both, "b.md": "[x](gone.md)" });
    expect((await runCommand(["check", root, "--format", "mdbook"])).stderr).toContain("in 1 course, 1 lesson");
    const { stdout, stderr } = await runCommand(["check", root, "--format", "mdbook", "--format", "github"]);
    expect(stdout).toContain("::warning file=");
    expect(stderr).toContain("1 lesson");
    expect((await runCommand(["check", root, "--format", "word"])).stderr).toContain(
      "Expected one of text, github, toctree",
    );
  });
});

test("and --dates are refused without a folder", async () => {
  const root = writeFolder({ "a.ndjson": '{"name":"A"}\n' });
  const check = await runCommand(["check", `${root}/a.ndjson`, "--format", "plain"]);
  expect([check.exitCode, check.stderr]).toEqual([2, "lectern: --format plain needs a folder as SOURCE.\n"]);
  const dated = await runCommand(["import", `${root}/a.ndjson`, "--project", "acme", "--dates", "git", "--dry-run"]);
  expect(dated.exitCode).not.toBe(0);
});

describe(".lecternignore", () => {
  test("hides paths as .gitignore does", async () => {
    const { courses, problems } = await read({
      ...pages("a.md", "b.draft.md", "keep.draft.md", "old/c.md", "new/old/d.md"),
      ".lecternignore": "# not these\n*.draft.md\n/old/\n!keep.draft.md\n",
    });
    expect(outlinesOf(courses)).toBe("Introduction > A, Keep.draft; New: Old > D");
    expect(problems).toEqual([]);
  });

  test("with a name in another case, which would hide nothing, is an error", async () => {
    const source = await read({ ...pages("a.md", "b.md"), ".LecternIgnore": "b.md\n" });
    expect(source).toMatchObject({
      courses: [],
      problems: [".LecternIgnore: error: must be named .lecternignore; rename it"],
    });
  });

  test.each(["chapter", "chapter/deep"])("in %s, where it would hide nothing, is an error", async (folder) => {
    const { problems } = await read({
      ...pages("a.md", "b.md", `${folder}/c.md`),
      [`${folder}/.lecternignore`]: "c.md",
    });
    expect(problems).toEqual([
      `${folder}/.lecternignore: error: hides nothing here; move its patterns to .lecternignore in the source's folder`,
    ]);
  });

  test("in the folder of one of several courses is an error of this course", async () => {
    const course = { "course.yaml": "name: A\nchapters: [{name: C, lessons: [a.md]}]", "a.md": "x" };
    const files = Object.entries(course).flatMap(([name, text]) => ["one", "two"].map((at) => [`${at}/${name}`, text]));
    const { courses, problems } = await read({ ...Object.fromEntries(files), "two/.lecternignore": "a.md" });
    expect(courses.map(({ sourcePath }) => sourcePath)).toEqual(["one"]);
    expect(problems).toEqual([
      "two/.lecternignore: error: hides nothing here; move its patterns to .lecternignore in the source's folder",
    ]);
  });

  test("with a NUL in a pattern, which could match nothing, is an error", async () => {
    const { problems } = await read({ ".lecternignore": "old\0/\n", "01-a.md": "x" });
    expect(problems).toEqual(['.lecternignore:1: error: the pattern "old /" contains a NUL character; remove it']);
  });

  test("with patterns that could take hours is an error", async () => {
    const { problems } = await read({
      ".lecternignore": `${"**/a/".repeat(6)}b\n${"*a".repeat(9)}\n${"x\n".repeat(1001)}`,
      "01-a.md": "x",
      [`${"a/".repeat(60)}x.txt`]: "x",
    });
    expect(problems).toEqual([
      '.lecternignore:1: error: the pattern "**/a/**/a/**/a/**/a/**/a/**/a/b" has too many wildcards: use at most 8, of which at most 2 are **',
      '.lecternignore:2: error: the pattern "*a*a*a*a*a*a*a*a*a" has too many wildcards: use at most 8, of which at most 2 are **',
      ".lecternignore:1003: error: an ignore file is limited to 1000 patterns",
    ]);
  });
});
