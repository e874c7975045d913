import { describe, expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { callout } from "../support/mkdocs.ts";
import { outlinesOf, pages, read, readFolder, testLessons, testTexts, writeFolder } from "../support/written-folder.ts";

type Files = Parameters<typeof read>[0];
const CONFIG = "carpentry: 'incubator'\ntitle: 'Tea for all'\ncreated: '2019-05-01'\n";

const LESSON: Files = {
  "config.yaml": `${CONFIG}episodes:\n- leaves.md\n- 01-water.md\nlearners:\ninstructors:\nprofiles:\n`,
  "index.md": "---\nsite: sandpaper::sandpaper_site\n---\n\nWelcome.\n",
  "episodes/01-water.md": "---\ntitle: Water\nteaching: 10\nexercises: 5\n---\nHot.\n",
  "episodes/leaves.md":
    "---\ntitle: 'Leaves'\nteaching: 3\n---\nGreen.\n\n::: instructor\n\n## Mind\n\nthe time\n\n:::\n",
  "learners/setup.md": "---\ntitle: Setup\n---\nA pot.\n",
  ...pages("learners/reference.md", "instructors/notes.md", "profiles/ann.md"),
  ...pages("README.md", "LICENSE.md", "CODE_OF_CONDUCT.md"),
};

describe("a Carpentries lesson", () => {
  test("has the episodes in the order of config.yaml, and only learners' content", async () => {
    const { courses, problems } = await read(LESSON);
    const [course] = courses;
    expect(course).toMatchObject({ name: "Tea for all", createdAt: "2019-05-01T00:00:00.000Z", sourcePath: "." });
    expect(outlinesOf(courses)).toBe("Episodes > Leaves, Water; For learners > Introduction, Reference, Setup");
    expect(course?.chapters.map(({ sourcePath }) => sourcePath)).toEqual(["episodes", "learners"]);
    const water = { sourcePath: "episodes/01-water.md", additionalText: "<p>Hot.</p>\n", durationMinutes: 15 };
    expect(course?.chapters[0]?.lessons[1]).toMatchObject(water);
    expect(problems).toEqual([
      "instructors: note: is for instructors; --with-instructors includes it",
      "profiles: note: is for instructors; --with-instructors includes it",
      "episodes/leaves.md:5: note: notes for instructors are left out; --with-instructors includes them",
    ]);
  });

  test("has instructors' content on request", async () => {
    const root = writeFolder(LESSON);
    const { courses, lessons, problems } = await readFolder(root, undefined, { withInstructors: true });
    expect([problems, outlinesOf(courses)]).toEqual([
      [],
      expect.stringMatching(/; For instructors > Notes; Learner profiles > Ann$/),
    ]);
    expect(lessons[0]?.additionalText).toBe(
      '<p>Green.</p>\n<details class="instructor">\n<summary>Mind</summary>\n<p>the time</p>\n</details>\n',
    );
    const { stderr } = await runCommand(["check", root]);
    expect(stderr).toContain("not shown: 2 pages for instructors, 1 note for instructors\n");
  });

  test("pages missing from config.yaml are one warning; listed pages without a file are errors", async () => {
    const config = "carpentry: lc\ntitle: T\nepisodes: [01-water.md, gone.md, ../../up.md, {a: b}]\n";
    const { problems } = await read({ ...LESSON, "config.yaml": config });
    expect(problems.filter((problem) => problem.includes(" error: "))).toEqual([
      'config.yaml:3:25: error: chapter "Episodes" names lesson "gone.md", but there is no file episodes/gone.md',
      'config.yaml:3:34: error: chapter "Episodes" names lesson "../../up.md", which is outside the source folder and is skipped',
      "config.yaml:3:47: error: each listed page must be a file name, such as introduction.md",
    ]);
    const forgotten = await read({ ...LESSON, "config.yaml": "carpentry: lc\ntitle: T\nepisodes: [leaves.md]\n" });
    expect(forgotten.problems).toContain(
      "episodes: warning: 1 file is not in config.yaml, so it is not a lesson: episodes/01-water.md",
    );
  });
});

/** The only episode, and what is reported. */
async function readEpisode(text: string, files: Files = {}, name = "e.md") {
  const config = { "config.yaml": "carpentry: swc\ntitle: T\n" };
  const { lessons, problems } = await read({ ...config, [`episodes/${name}`]: text, ...files });
  return { lesson: lessons[0], html: lessons[0]?.additionalText ?? "", problems };
}

async function htmlOf(text: string, files: Files = {}): Promise<string> {
  const { html, problems } = await readEpisode(text, files);
  expect(problems).toEqual([]);
  return html;
}

const LEFT_OUT = "episodes/e.md:1: note: notes for instructors are left out; --with-instructors includes them";
const details = (kind: string, title: string, text: string, id = ""): string =>
  `<details class="${kind}"${id}>\n<summary>${title}</summary>\n${text}</details>\n`;

describe("Workbench boxes", () => {
  testTexts("nest with any number of colons, and fold", htmlOf, {
    ":::::::: challenge\n\n## Brew\n\n:::::: hint\nNo.\n:::::::::\n\n::: {.solution #s1}\n\n### It is `3`\n\nx\n:::\n:::\n\ny\n":
      `<aside class="callout" data-callout="challenge">\n<h2 class="callout-title" id="brew">Brew</h2>\n` +
      `${details("hint", "Hint", "<p>No.</p>\n")}${details("solution", "It is <code>3</code>", "<p>x</p>\n", ' id="s1"')}</aside>\n<p>y</p>\n`,
    "::::: questions\n- Why?\n:::::\n\n::: keypoints\n\n## Mine\n\n:::\n":
      callout("questions", "Questions", "<ul>\n<li>Why?</li>\n</ul>\n") +
      '<aside class="callout" data-callout="keypoints">\n<h2 class="callout-title" id="mine">Mine</h2>\n</aside>\n',
    "::: solution\n\n### Windows {#win}\n\nx\n:::\n": details("solution", "Windows", "<p>x</p>\n", ' id="win"'),
    "::: callout Mind the gap :::\n\n:::\n\n:: a\n": `${callout("note", "Mind the gap", "")}<p>:: a</p>\n`,
  });

  testLessons(readEpisode, {
    "for instructors that are not closed hide nothing below their list or the next box": [
      "Green.\n\n- ::: instructor\n  slowly\n- Black.\n\n::: instructor\n\nMind.\n\n::: challenge\n\nPour.\n\n:::\n",
      "<p>Green.</p>\n<ul>\n<li></li>\n<li>Black.</li>\n</ul>\n" +
        details(
          "instructor",
          "Instructor Note",
          '<p>Mind.</p>\n<aside class="callout" data-callout="challenge">\n<p>Pour.</p>\n</aside>\n',
        ),
      LEFT_OUT,
      'episodes/e.md:7: warning: readers see the text below "::: instructor": no ::: line closes the container',
    ],
    "in quotations have the class on the line below, as in lessons made with Jekyll": [
      "> ## Brew\n> How long?\n>\n> > ## Answer\n> > Three.\n> {: .solution}\n{: .challenge #box}\n\n> Mind.\n{: .callout}\n",
      '<aside class="callout" data-callout="challenge" id="box">\n<h2 class="callout-title" id="brew">Brew</h2>\n<p>How long?</p>\n' +
        `${details("solution", "Answer", "<p>Three.</p>\n")}</aside>\n${callout("note", "Note", "<p>Mind.</p>\n")}`,
    ],
    "in quotations stay quotations with another class, and are omitted if they are for instructors": [
      "> a\n{: .quiet #q}\n\n> b\n{: .instructor}\n\n> c\n\n    {: .callout}\n",
      '<blockquote class="quiet" id="q">\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>c</p>\n</blockquote>\n<pre><code>{: .callout}\n</code></pre>\n',
      LEFT_OUT,
    ],
  });
});

describe("Pandoc's Markdown", () => {
  const img = (name: string, alt: string): string =>
    `<img src="https://x.example/${name}.png" alt="${alt}" loading="lazy">`;

  testTexts("has", async (text) => (await readEpisode(text)).html, {
    "[A *term*]{#term .x} [`c`]{.y} [b](#term){.z target=_blank} `d`{.sh} {x} [e]{not\n":
      '<p><span id="term" class="x">A <em>term</em></span> <span class="y"><code>c</code></span> ' +
      '<a href="#term" class="z" target="_blank">b</a> <code class="sh">d</code> {x} [e]{not</p>\n',
    "![Two *leaves* -- [green](https://x.example/g)](https://x.example/a.png){alt='A pot'}\n": `<figure>${img("a", "A pot")}<figcaption>Two <em>leaves</em> – <a href="https://x.example/g">green</a></figcaption></figure>\n`,
    "![A \\*cup*](https://x.example/b.png)\n": `<figure>${img("b", "A *cup*")}<figcaption aria-hidden="true">A *cup*</figcaption></figure>\n`,
  });

  test("gets the references of links.md and nothing else from it, across line breaks and in brackets", async () => {
    const links =
      "<!-- all -->\n# Links\n[tea pot]: https://a.example\n[leaf]: https://b.example/l.png\n[gone]: pot.md\n";
    const text = "[Tea\n  pot], [![a][LEAF]][tea pot]\n\n> [tea\n> pot][] [gone]\n\nTea^[A *good* one].\n";
    const { html, problems } = await readEpisode(text, { "links.md": links });
    expect(html.match(/(?<=(?:href|src)=")[^"]*/g)?.join(" ")).toBe(
      "https://a.example https://a.example https://b.example/l.png https://a.example pot.md",
    );
    expect(html).not.toContain("Links");
    expect(problems).toEqual([
      'episodes/e.md:5: warning: link "pot.md" points to a missing file: episodes/pot.md',
      'episodes/e.md:7: warning: readers see "^[A": a Pandoc note is not supported here',
    ]);
  });
});

test("R Markdown is shown with its code and without results, which inline code has at its line", async () => {
  const chunks =
    '```{r setup, include=FALSE}\nknitr::x()\n```\n\n```{r, fig.cap="a {b}"}\nplot(x)\n```\n\n```{python}\n#| label: z\nprint(1)\n```\n\n' +
    "```{r}\n#| echo: false\nsecret()\n```\n\n```r\nplain\n```\n";
  const { html, problems } = await readEpisode(
    `~~~\n\`r 1\`\n~~~\n\nb \`r n(x)\`\nand \`r 2\`\n\n${chunks}`,
    {},
    "01-r.Rmd",
  );
  expect(html.match(/<pre>.*\n(?=<\/code>)/g)).toEqual([
    "<pre><code>`r 1`\n",
    '<pre><code class="language-r">plot(x)\n',
    '<pre><code class="language-python">print(1)\n',
    '<pre><code class="language-r">plain\n',
  ]);
  expect(problems).toEqual([
    "episodes/01-r.Rmd:1: warning: imports do not run R Markdown: readers see the code of 2 of 4 chunks, without results",
    "episodes/01-r.Rmd:5: warning: readers see inline R code, `r …`, as written: imports do not run code (2 times in this file)",
  ]);
});

test("R Markdown hides code by default where it says so, and always learnr's answers", async () => {
  const chunk = (label: string, code: string): string => `\`\`\`{r ${label}}\n${code}\n\`\`\`\n\n`;
  const answers =
    chunk("a-solution", "secret") + chunk("a-check, x=1", "secret") + chunk("quiz", 'answer("secret", correct = TRUE)');
  const setup = chunk("setup, include=FALSE", "knitr::opts_chunk$set(fig.width = c(1), echo = FALSE)");
  const code = chunk("b", "b()") + chunk("c, exercise=TRUE", "c()") + chunk("d", "#| echo: true\nd()");
  const { html } = await readEpisode(answers + code + setup + code, {}, "01-r.Rmd");
  expect(html.match(/secret|\w\(\)/g)).toEqual(["b()", "c()", "d()", "c()", "d()"]);
});

test("links and images resolve as in the Workbench, which merges all pages into one folder", async () => {
  const links =
    "[s](setup.html) [s2](../learners/setup.md) [b](b.html#x) [r](reference.md) [i](index.md) ![f](fig/f.png)";
  const files = {
    "config.yaml": "carpentry: swc\ntitle: T\n",
    "episodes/a.md": links,
    "episodes/b.md": "# B\n\n## X\n",
    "learners/setup.md": "![f](fig/f.png) ![g](episodes/fig/f.png) [data](data/d.zip) [gone](fig/gone.png)\n",
    ...pages("episodes/fig/f.png", "learners/reference.md", "episodes/data/d.zip", "index.md"),
  };
  const { lessons, found, problems } = await read(files, "https://a.example/");
  const targets = found[0]?.course.chapters[0]?.lessons[0]?.links?.map(({ target }) => target) ?? [];
  expect(targets.map(({ sourcePath, fragment }) => `${sourcePath}#${fragment}`).join(" ")).toBe(
    "learners/setup.md# learners/setup.md# episodes/b.md#x learners/reference.md# index.md#",
  );
  expect(lessons[0]?.additionalText).toContain('src="https://a.example/episodes/fig/f.png"');
  const setup = lessons.find(({ name }) => name === "Setup")?.additionalText;
  expect(setup?.match(/(?<="https:\/\/a\.example\/)[^"]*(?=")/g)?.join(" ")).toBe(
    "episodes/fig/f.png episodes/fig/f.png episodes/data/d.zip learners/fig/gone.png",
  );
  expect(problems).toEqual([
    'learners/setup.md:1: warning: link "fig/gone.png" points to a missing file: learners/fig/gone.png',
  ]);
});
