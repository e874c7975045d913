import { describe, expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { outlineOf, read, readFolder, testLessons, writeFolder, type Files } from "../support/written-folder.ts";

const CONFIG =
  "carpentry: 'incubator'\ntitle: 'Tea for all'\ncreated: '2019-05-01'\nepisodes:\n- leaves.md\n- 01-water.md\nlearners:\ninstructors:\nprofiles:\n";

const LESSON: Files = {
  "config.yaml": CONFIG,
  "index.md": "---\nsite: sandpaper::sandpaper_site\n---\n\nWelcome.\n",
  "episodes/01-water.md": "---\ntitle: Water\nteaching: 10\nexercises: 5\n---\nHot.\n",
  "episodes/leaves.md": "---\ntitle: 'Leaves'\nteaching: 3\n---\nGreen.\n",
  "learners/setup.md": "---\ntitle: Setup\n---\nA pot.\n",
  "learners/reference.md": "Words.\n",
  "instructors/notes.md": "Slowly.\n",
  "profiles/ann.md": "Ann.\n",
  "README.md": "about the repository",
  "LICENSE.md": "CC",
  "CODE_OF_CONDUCT.md": "Be kind.",
};

describe("a Carpentries lesson", () => {
  test("has the episodes in the order of config.yaml, and only learners' content", async () => {
    const { courses, problems } = await read(LESSON);
    const [course] = courses;
    expect(course).toMatchObject({ name: "Tea for all", createdAt: "2019-05-01T00:00:00.000Z", sourcePath: "." });
    expect(courses.flatMap(outlineOf)).toEqual([
      ["Episodes", "Leaves", "Water"],
      ["For learners", "Introduction", "Reference", "Setup"],
    ]);
    expect(course?.chapters.map(({ sourcePath }) => sourcePath)).toEqual(["episodes", "learners"]);
    expect(course?.chapters[0]?.lessons[1]).toMatchObject({
      sourcePath: "episodes/01-water.md",
      additionalText: "<p>Hot.</p>\n",
      durationMinutes: 15,
    });
    expect(problems).toEqual([
      "instructors: note: is for instructors; --with-instructors includes it",
      "profiles: note: is for instructors; --with-instructors includes it",
    ]);
  });

  test("an unclosed instructor note does not hide other lessons", async () => {
    const text =
      "Green.\n\n- ::: instructor\n  slowly\n- Black.\n\n::: instructor\n\nMind.\n\n::: challenge\n\nPour.\n\n:::\n";
    const { courses, problems } = await read({ "config.yaml": "carpentry: swc\ntitle: T\n", "episodes/a.md": text });
    const html = courses[0]?.chapters[0]?.lessons[0]?.additionalText ?? "";
    for (const word of ["Green.", "Black.", "Mind.", "Pour."]) expect(html).toContain(word);
    expect(html).not.toContain("slowly");
    expect(problems).toContain(
      'episodes/a.md:7: warning: readers see the text below "::: instructor": no ::: line closes the container',
    );
  });

  test("has instructors' content on request", async () => {
    const root = writeFolder({
      ...LESSON,
      "episodes/leaves.md": "Green.\n\n::: instructor\n\n## Mind\n\nthe time\n\n:::\n",
    });
    const { courses, problems } = await readFolder(root, undefined, { withInstructors: true });
    expect(problems).toEqual([]);
    expect(courses.flatMap(outlineOf).slice(2)).toEqual([
      ["For instructors", "Notes"],
      ["Learner profiles", "Ann"],
    ]);
    expect(courses[0]?.chapters[0]?.lessons[0]?.additionalText).toBe(
      '<p>Green.</p>\n<details class="instructor">\n<summary>Mind</summary>\n<p>the time</p>\n</details>\n',
    );
    const { stderr } = await runCommand(["check", root]);
    expect(stderr).toContain("not shown: 2 pages for instructors, 1 note for instructors\n");
    expect((await runCommand(["check", root, "--with-instructors"])).stderr).not.toContain("not shown");
  });

  test("pages missing from config.yaml are one warning; listed pages without a file are errors", async () => {
    const { problems } = await read({
      ...LESSON,
      "config.yaml": "carpentry: lc\ntitle: T\nepisodes: [01-water.md, gone.md, ../../up.md, {a: b}]\n",
    });
    expect(problems.filter((problem) => problem.includes(" error: "))).toEqual([
      'config.yaml:3:25: error: chapter "Episodes" names lesson "gone.md", but there is no file episodes/gone.md',
      'config.yaml:3:34: error: chapter "Episodes" names lesson "../../up.md", which is outside the source folder and is skipped',
      "config.yaml:3:47: error: each listed page must be a file name, such as introduction.md",
    ]);
    const forgotten = await read({
      ...LESSON,
      "config.yaml": "carpentry: lc\ntitle: T\nepisodes: [leaves.md]\n",
      "episodes/fig/notes.md": "x",
    });
    expect(forgotten.problems.at(-1)).toBe(
      "episodes: warning: 2 files are not in config.yaml, so they are not lessons: episodes/01-water.md, episodes/fig/notes.md",
    );
  });

  test("is detected only by a config.yaml with its fields", async () => {
    const { courses } = await read({ ...LESSON, "config.yaml": "title: T\n" });
    expect(courses.flatMap(outlineOf)).toEqual([["Episodes", "Water", "Leaves"]]);
  });
});

/** The HTML of an episode, and what is reported but for what is left out for instructors. */
async function readEpisode(text: string, files: Files = {}, name = "e.md") {
  const { courses, problems } = await read({
    "config.yaml": "carpentry: swc\ntitle: T\n",
    [`episodes/${name}`]: text,
    ...files,
  });
  const lesson = courses[0]?.chapters[0]?.lessons[0];
  return { lesson, html: lesson?.additionalText ?? "", problems };
}

async function htmlOf(text: string, files: Files = {}): Promise<string> {
  const { html, problems } = await readEpisode(text, files);
  expect(problems).toEqual([]);
  return html;
}

describe("Workbench boxes", () => {
  test("nest with any number of colons; solutions and hints are foldable", async () => {
    const html = await htmlOf(`:::::::::::: challenge

## Brew

How long?

:::::: hint
Not long.
::::::::::::::::::::::::::::::::::::::::

::: {.solution #s1}

### The answer is \`3\`

Three.
:::
:::

After.
`);
    expect(html).toBe(`<aside class="callout" data-callout="challenge">
<h2 class="callout-title" id="brew">Brew</h2>
<p>How long?</p>
<details class="hint">
<summary>Hint</summary>
<p>Not long.</p>
</details>
<details class="solution" id="s1">
<summary>The answer is <code>3</code></summary>
<p>Three.</p>
</details>
</aside>
<p>After.</p>
`);
  });

  test("questions, objectives and key points have titles", async () => {
    expect(await htmlOf("::::: questions\n- Why?\n:::::\n\n::: keypoints\n\n## Mine\n\n:::\n")).toMatch(
      /^<aside class="callout" data-callout="questions">\n<p class="callout-title">Questions<\/p>\n<ul>\n<li>Why\?<\/li>\n<\/ul>\n<\/aside>\n<aside class="callout" data-callout="keypoints">\n<h2[^>]*>Mine<\/h2>\n<\/aside>\n$/,
    );
  });

  testLessons(readEpisode, {
    "that are unclosed end with their container, and a surplus end is ignored": [
      "- a\n\n  ::: callout\n\n  b\n\n- c\n\n:::\n\n> ::: x\n> d\n\n::: y\ne\n",
      '<ul>\n<li>\n<p>a</p>\n<aside class="callout" data-callout="note">\n<p class="callout-title">Note</p>\n<p>b</p>\n</aside>\n</li>\n<li>\n<p>c</p>\n</li>\n</ul>\n<blockquote>\n<div class="x">\n<p>d</p>\n</div>\n</blockquote>\n<div class="y">\n<p>e</p>\n</div>\n',
    ],
    "in code are code; a word and more is a title; other colons are text": [
      "```\n::: challenge\n```\n\n    ::: a\n\n`:::`\n\n::: callout Mind the gap :::\n\n:::\n\n:: a\n",
      '<pre><code>::: challenge\n</code></pre>\n<pre><code>::: a\n</code></pre>\n<p><code>:::</code></p>\n<aside class="callout" data-callout="note">\n<p class="callout-title">Mind the gap</p>\n</aside>\n<p>:: a</p>\n',
    ],
    "for instructors are omitted with their content, and counted": [
      "a\n\n::: instructor\n\n::: callout\nsecret\n:::\n\n```\n:::\nsecret\n```\n\nsecret\n:::\n\n[b](gone.md)\n\n::: {.instructor}\nsecret\n:::\n",
      '<p>a</p>\n<p><a href="gone.md" data-unresolved="">b</a></p>\n',
      "episodes/e.md:1: note: notes for instructors are left out; --with-instructors includes them",
      'episodes/e.md:17: warning: link "gone.md" points to a missing file: episodes/gone.md',
    ],
  });
});

describe("in quotations work as in lessons made with Jekyll", () => {
  testLessons(readEpisode, {
    "are callouts, collapsible by the class on the line below, nested too": [
      "> ## Brew\n> How long?\n>\n> > ## Answer\n> > Three.\n> {: .solution}\n{: .challenge #box}\n\n> Mind.\n{: .callout}\n",
      '<aside class="callout" data-callout="challenge" id="box">\n<h2 class="callout-title" id="brew">Brew</h2>\n<p>How long?</p>\n<details class="solution">\n<summary>Answer</summary>\n<p>Three.</p>\n</details>\n</aside>\n' +
        '<aside class="callout" data-callout="note">\n<p class="callout-title">Note</p>\n<p>Mind.</p>\n</aside>\n',
    ],
    "stay quotations with another class, and are omitted if they are for instructors": [
      "> a\n{: .quiet #q}\n\n> b\n{: .instructor}\n\n> c\n\n    {: .callout}\n",
      '<blockquote class="quiet" id="q">\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>c</p>\n</blockquote>\n<pre><code>{: .callout}\n</code></pre>\n',
      "episodes/e.md:1: note: notes for instructors are left out; --with-instructors includes them",
    ],
  });
});

describe("Pandoc's Markdown", () => {
  test("has attributes on images, links and spans", async () => {
    const { html: shown } = await readEpisode(
      '![](https://x.example/a.png){alt=\'The "tea"\n  pot\' width="50%" onerror=alert(1)}\n\n[A *term*]{#term .x} [`c`]{.y} [b](#term){.z target=_blank} `d`{.sh} {x} [e]{not\n',
    );
    expect(shown).toBe(
      '<p><img src="https://x.example/a.png" alt="The &quot;tea&quot; pot" width="50%" loading="lazy"></p>\n' +
        '<p><span id="term" class="x">A <em>term</em></span> <span class="y"><code>c</code></span> ' +
        '<a href="#term" class="z" target="_blank">b</a> <code class="sh">d</code> {x} [e]{not</p>\n',
    );
  });

  test("has figures: the description of an image alone in a paragraph is its caption", async () => {
    const { html: shown } = await readEpisode(
      "![Two *leaves* -- [green](https://x.example/g)](https://x.example/a.png){alt='A pot'}\n\n![A \\*cup*](https://x.example/b.png)\n\n" +
        "In a line ![cup](https://x.example/b.png)\n\n- ![cup](https://x.example/b.png)\n\n![](https://x.example/c.png)\n",
    );
    expect(shown).toBe(
      '<figure><img src="https://x.example/a.png" alt="A pot" loading="lazy"><figcaption>Two <em>leaves</em> – <a href="https://x.example/g">green</a></figcaption></figure>\n' +
        '<figure><img src="https://x.example/b.png" alt="A *cup*" loading="lazy"><figcaption aria-hidden="true">A *cup*</figcaption></figure>\n' +
        '<p>In a line <img src="https://x.example/b.png" alt="cup" loading="lazy"></p>\n<ul>\n<li><img src="https://x.example/b.png" alt="cup" loading="lazy"></li>\n</ul>\n' +
        '<p><img src="https://x.example/c.png" alt="" loading="lazy"></p>\n',
    );
  });

  testLessons(readEpisode, {
    "has dashes and an ellipsis, except in code, formulas and escapes": [
      "pages 3--4 --- *or* more...\n\n`a -- b` \\--a ---- $a---b$ https://tea.example/a--b <i title='--'>\n",
      "<p>pages 3–4 — <em>or</em> more…</p>\n<p><code>a -- b</code> --a ---- " +
        '<span class="math inline">a---b</span> <a href="https://tea.example/a--b">https://tea.example/a--b</a> ' +
        "<i title='--'></p>\n",
    ],
  });

  test("gets the references of links.md and nothing else from it", async () => {
    const { html, problems } = await readEpisode("[Tea][tea] and [pot].", {
      "links.md": "<!-- all -->\n# Links\n[tea]: https://tea.example\n\n[pot]: pot.md\n",
    });
    expect(html).toBe(
      '<p><a href="https://tea.example">Tea</a> and <a href="pot.md" data-unresolved="">pot</a>.</p>\n',
    );
    expect(problems).toEqual(['episodes/e.md:1: warning: link "pot.md" points to a missing file: episodes/pot.md']);
  });

  test("stays text in other courses", async () => {
    const { courses } = await read({ "01-a/01-b.md": "::: note\n\n[a]{#b}\n\nc\n:   d\n" });
    expect(courses[0]?.chapters[0]?.lessons[0]?.additionalText).toBe(
      "<p>::: note</p>\n<p>[a]{#b}</p>\n<p>c\n:   d</p>\n",
    );
  });
});

test("references of links.md match across line breaks and inside other brackets", async () => {
  const html = await htmlOf("[Tea\n  pot], [![a][LEAF]][tea pot]\n\n> [tea\n> pot][]\n", {
    "links.md": "[tea pot]: https://a.example\n[leaf]: https://b.example/l.png\n",
  });
  expect(html.match(/"https:[^"]*"/g)).toEqual([
    '"https://a.example"',
    '"https://a.example"',
    '"https://b.example/l.png"',
    '"https://a.example"',
  ]);
});

test("inline R results are reported at the line of the first", async () => {
  const { problems } = await readEpisode("a\n\n~~~\n`r 1`\n~~~\n\nb `r nrow(x)`\nand `r 2`\n", {}, "01-r.Rmd");
  expect(problems).toEqual([
    "episodes/01-r.Rmd:7: warning: readers see inline R code, `r …`, as written: imports do not run code (2 times in this file)",
  ]);
});

test("superscripts and subscripts are rendered, and inline notes are reported", async () => {
  expect(await htmlOf("H~2~O, m^2^, ~~b~~, ~/a ~b, $x^2^$, [10^-3^](https://a.example)\n")).toBe(
    '<p>H<sub>2</sub>O, m<sup>2</sup>, <s>b</s>, ~/a ~b, <span class="math inline">x^2^</span>, <a href="https://a.example">10<sup>-3</sup></a></p>\n',
  );
  const { problems } = await readEpisode("Tea^[A *good* one].\n");
  expect(problems).toEqual(['episodes/e.md:1: warning: readers see "^[A": a Pandoc note is not supported here']);
});

test("an unclosed code fence reveals no instructor notes", async () => {
  const { html } = await readEpisode("a\n\n    ```\n    b\n\n- ```\n  c\n\n::: instructor\nsecret\n:::\n\ne\n");
  expect(html).not.toContain("secret");
  expect(html).toEndWith("<p>e</p>\n");
});

test("R Markdown is shown with its code and without results", async () => {
  const { html, problems } = await readEpisode(
    'Before.\n\n```{r setup, include=FALSE}\nknitr::x()\n```\n\n```{r, fig.cap="a {b}"}\nplot(x)\n```\n\n```{python}\n#| label: z\nprint(1)\n```\n\n```{r}\n#| echo: false\nsecret()\n```\n\n```r\nplain\n```\n',
    {},
    "01-r.Rmd",
  );
  expect(html).toBe(
    '<p>Before.</p>\n<pre><code class="language-r">plot(x)\n</code></pre>\n<pre><code class="language-python">print(1)\n</code></pre>\n<pre><code class="language-r">plain\n</code></pre>\n',
  );
  expect(problems).toEqual([
    "episodes/01-r.Rmd:1: warning: imports do not run R Markdown: readers see the code of 2 of 4 chunks, without results",
  ]);
});

test("invalid minutes are not a duration", async () => {
  const { courses } = await read({
    "config.yaml": "carpentry: swc\ntitle: T\n",
    "episodes/a.md": "---\nteaching: soon\nexercises: 4\n---\nx",
    "episodes/b.md": "---\nteaching: soon\n---\nx",
  });
  expect(courses[0]?.chapters[0]?.lessons.map((lesson) => lesson.durationMinutes)).toEqual([4, undefined]);
});

test("links and images resolve as in the Workbench, which merges all pages into one folder", async () => {
  const { courses, found, problems } = await read(
    {
      "config.yaml": "carpentry: swc\ntitle: T\n",
      "episodes/a.md":
        "[s](setup.html) [s2](../learners/setup.md) [b](b.html#x) [r](reference.md) [i](index.md) ![f](fig/f.png)\n",
      "episodes/b.md": "# B\n\n## X\n",
      "episodes/fig/f.png": "x",
      "learners/setup.md": "![f](fig/f.png) ![g](episodes/fig/f.png) [data](data/d.zip) [gone](fig/gone.png)\n",
      "learners/reference.md": "x",
      "episodes/data/d.zip": "x",
      "index.md": "x",
    },
    "https://a.example/",
  );
  const html = (chapter: number, lesson: number) =>
    courses[0]?.chapters[chapter]?.lessons[lesson]?.additionalText ?? "";
  const targets = found[0]?.course.chapters[0]?.lessons[0]?.links?.map(
    ({ target }) => `${target.sourcePath}#${target.fragment}`,
  );
  expect(targets).toEqual([
    "learners/setup.md#",
    "learners/setup.md#",
    "episodes/b.md#x",
    "learners/reference.md#",
    "index.md#",
  ]);
  expect(html(0, 0)).toContain('src="https://a.example/episodes/fig/f.png"');
  const setup = courses[0]?.chapters[1]?.lessons.find(({ name }) => name === "Setup")?.additionalText ?? "";
  expect(setup.match(/(?:src|href)="[^"]*"/g)).toEqual([
    'src="https://a.example/episodes/fig/f.png"',
    'src="https://a.example/episodes/fig/f.png"',
    'href="https://a.example/episodes/data/d.zip"',
    'href="https://a.example/learners/fig/gone.png"',
  ]);
  expect(problems).toEqual([
    'learners/setup.md:1: warning: link "fig/gone.png" points to a missing file: learners/fig/gone.png',
  ]);
});

test("boxes without a heading have titles in the lesson's language", async () => {
  const { courses } = await read({
    "config.yaml": "carpentry: swc\ntitle: T\nlang: es\n",
    "episodes/e.md": "::: solution\nx\n:::\n\n::: objectives\ny\n:::\n",
  });
  const html = courses[0]?.chapters[0]?.lessons[0]?.additionalText;
  expect(html).toContain("<summary>Solución</summary>");
  expect(html).toContain('<p class="callout-title">Objetivos</p>');
});

test("the id of a foldable box's heading and escapes in descriptions are not visible", async () => {
  const html = await htmlOf(
    "::: solution\n\n### Windows {#win}\n\nx\n:::\n\n![](https://x.example/a.png){alt='a\\_b'}\n",
  );
  expect(html).toBe(
    '<details class="solution" id="win">\n<summary>Windows</summary>\n<p>x</p>\n</details>\n<p><img src="https://x.example/a.png" alt="a_b" loading="lazy"></p>\n',
  );
});
