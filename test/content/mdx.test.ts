// Components as the courses and documentation of Hugging Face have them, and what readers get of them.
import { describe, expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { outlineOf, read, readFolder, readLesson, readOnly, render, writeFolder } from "../support/written-folder.ts";

/** The quiz of a lesson that must be without any problem. */
async function quizOf(text: string): Promise<string> {
  const { lesson, problems } = await readLesson("1.mdx", text);
  expect(problems).toEqual([]);
  return lesson?.quizHtml ?? "";
}

describe("questions", () => {
  const TEXT = `# Quiz[[quiz]]

### 1. What is \`tea\`?[[one]]

Look at this:

\`\`\`py
tea()
\`\`\`

<Question
	choices={[
		{
			text: "A <code>leaf</code> & \\"more\\"",
			explain: 'It\\'s *not*.', // a note
		},
		{
			"text": \`Water with __init__ and \\\`a_b\\\`\`,
			explain: "One " +
				"two",
			correct: true,
		},
		{ text: <>A <b className="x">cup</b>{" & a pot"}</>, explain: "" },
	]}
/>

### 2. Which?

<Question choices={[{ text: "a", correct: true }, { text: "b", correct: false }, { text: "c", correct: true }]}></Question>

And this?

<Question choices={[{ text: "![d](d.png)" }]} />
`;

  test("become a quiz form without a script, with the heading and text above each question", async () => {
    const { lesson, problems } = await readLesson("1.mdx", TEXT, {
      besides: ["d.png"],
      assetBase: "https://x.example/",
    });
    expect(problems).toEqual([]);
    expect(lesson?.quizHtml).toBe(`<form class="quiz" method="dialog">
<fieldset data-question="1">
<legend>1. What is <code>tea</code>?</legend>
<p>Look at this:</p>
<pre><code class="language-py">tea()
</code></pre>
<div class="choice"><label><input type="radio" name="question-1" value="1" data-correct="false"> A <code>leaf</code> &amp; &quot;more&quot;</label>
<details><summary>Explanation</summary>It's <em>not</em>.</details></div>
<div class="choice"><label><input type="radio" name="question-1" value="2" data-correct="true"> Water with <strong>init</strong> and <code>a_b</code></label>
<details><summary>Explanation</summary>One two</details></div>
<div class="choice"><label><input type="radio" name="question-1" value="3" data-correct="false"> A <b class="x">cup</b> &amp; a pot</label></div>
</fieldset>
<fieldset data-question="2">
<legend>2. Which?</legend>
<div class="choice"><label><input type="checkbox" name="question-2" value="1" data-correct="true"> a</label></div>
<div class="choice"><label><input type="checkbox" name="question-2" value="2" data-correct="false"> b</label></div>
<div class="choice"><label><input type="checkbox" name="question-2" value="3" data-correct="true"> c</label></div>
</fieldset>
<fieldset data-question="3">
<legend>2. Which?</legend>
<p>And this?</p>
<div class="choice"><label><input type="checkbox" name="question-3" value="1" data-correct="false"> <img src="https://x.example/01-part/d.png" alt="d" loading="lazy"></label></div>
</fieldset>
</form>
`);
    expect(lesson?.additionalText.match(/<div data-question="\d"><\/div>/g)).toEqual([
      '<div data-question="1"></div>',
      '<div data-question="2"></div>',
      '<div data-question="3"></div>',
    ]);
  });

  test("become forms in the text if the author sets a quiz", async () => {
    const text = `---\nquizHtml: <b>?</b>\n---\nOne\n<Question choices={[{text: "a", correct: true}]} />\nTwo\n`;
    expect(await readLesson("1.mdx", text)).toMatchObject({
      lesson: {
        quizHtml: "<b>?</b>",
        additionalText:
          '<p>One</p>\n<form class="quiz" method="dialog">\n<fieldset data-question="1">\n<legend>1</legend>\n' +
          '<div class="choice"><label><input type="radio" name="question-1" value="1" data-correct="true"> a</label></div>\n' +
          "</fieldset>\n</form>\n<p>Two</p>\n",
      },
      problems: [],
    });
  });

  test("are numbered without a heading above them, and do not repeat long text", async () => {
    const long = `${"word ".repeat(500)}\n\nThe last sentence.\n\n`;
    expect(await quizOf(`${long}<Question choices={[{text: "a"}]} />`)).toContain(
      "<legend>1</legend>\n<p>The last sentence.</p>\n<div",
    );
    expect(
      await quizOf(`${long}- ${long.trim().replaceAll("\n\n", " ")}\n\n<Question choices={[{text: "a"}]} />`),
    ).toContain("<legend>1</legend>\n<div");
    // Half of a piece of HTML would break the form.
    expect(await quizOf(`# A\n\n<details>\n\nb\n\n<Question choices={[{text: "a"}]} />\n\n</details>\n`)).toContain(
      "<legend>A</legend>\n<p>b</p>\n<div",
    );
  });

  test("report their links at the line of the first question", async () => {
    const { problems } = await readLesson("1.mdx", `a\n\n<Question choices={[{text: "![b](b.png)"}]} />`, {
      besides: ["b.png"],
    });
    expect(problems).toEqual([
      '01-part/1.mdx:3: warning: quizHtml: image "b.png" is relative, and without --public-url or --asset-base readers cannot load it',
    ]);
  });

  test("with computed values are reported with their line", async () => {
    const text = `a\n\n<Question\n  choices={[\n    { text: "a" },\n    { text: \`b \${c}\` },\n  ]}\n/>\n\n<Question choices={all} />\n\n<Question />\n\n<Question choices={[{ explain: "a" }]} />\n`;
    const { lesson, problems } = await readLesson("1.mdx", text);
    expect(lesson?.quizHtml).toBe("");
    expect(problems).toEqual([
      "01-part/1.mdx:3: warning: component <Question> (its choices are invalid: templates with values are not supported, line 6) is dropped",
      "01-part/1.mdx:10: warning: component <Question> (its choices are invalid: expected a string, number, list or object, line 10) is dropped",
      "01-part/1.mdx:12: warning: component <Question> (it has no choices) is dropped",
      "01-part/1.mdx:14: warning: component <Question> (choice 1 has no text) is dropped",
    ]);
  });

  const listNames = (write: (name: string) => string) => Array.from({ length: 2e4 }, (_, at) => write(`a${at}`));
  test.each([
    ["many names", `() => {let ${listNames((name) => name).join()}, a0}`, "expected a string, number, list or object"],
    ["many labels", `() => {${listNames((name) => `${name}:`).join("")};}`, "the value is too large"],
    ["a long regular expression", `/${listNames((name) => `(?<${name}>)`).join("")}/`, "the value is too large"],
  ])("with %s in a value are reported", async (_, choices, problem) => {
    const { problems } = await readLesson("1.mdx", `a\n\n<Question choices={${choices}} />\n`);
    expect(problems).toEqual([
      `01-part/1.mdx:3: warning: component <Question> (its choices are invalid: ${problem}, line 3) is dropped`,
    ]);
  });

  test("larger than the lesson limit are an error", async () => {
    const folder = writeFolder({
      "01-a.mdx": `# ${"a".repeat(60_000)}\n\n${'<Question choices={[{text: "a"}]} />\n'.repeat(30)}`,
    });
    const { stdout } = await runCommand(["check", folder, "--max-lesson-size", "1"]);
    expect(stdout).toContain("the limit for a lesson's questions is 1 MiB (--max-lesson-size)");
  });

  test("are counted with their conditions before they are rendered", async () => {
    const questions = '<Question choices={[{text: "a"}]} />\n\n'.repeat(30);
    // Rendered, each `&` takes five characters, so the third question is already beyond the limit, at 1.5 MiB.
    const folder = writeFolder({
      "01-a.mdx": `{#if ${"&".repeat(100_000)}}\n\n{#if b}\n\n${questions}{/if}\n\n{/if}\n`,
    });
    const { stdout } = await runCommand(["check", folder, "--max-lesson-size", "1"]);
    expect(stdout).toContain("too large: 1.1 MiB; the limit for a lesson's questions is 1 MiB (--max-lesson-size)");
  });
});

test("a branch ends the HTML in it, and the text after it is Markdown", async () => {
  const text = "{#if a}\n<div>\n*b*\n</div>\n{:else}\n*c*\n<div>\nd\n</div>\n{/if}\n\n*e*\n";
  expect(await render("1.mdx", text)).toBe(
    '<div data-if="a">\n<div>\n*b*\n</div>\n</div>\n<div data-if="!(a)">\n<p><em>c</em></p>\n<div>\nd\n</div>\n</div>\n<p><em>e</em></p>\n',
  );
});

test("a quiz made from the text contains nothing else that the author wrote", async () => {
  const root = writeFolder({
    "01-a.mdx": 'a\n\n<Youtube id="b" />\n\n<Question choices={[{text: "c", correct: true}]} />\n',
  });
  const readWith = async (answers: "none" | "all") => {
    const { found } = await readFolder(root, undefined, { answers });
    return found[0]?.course.chapters[0]?.lessons[0];
  };
  const [without, withAnswers] = [await readWith("none"), await readWith("all")];
  expect(without?.quizHtml).not.toBe(withAnswers?.quizHtml);
  expect(without?.writtenDigest).toBe(withAnswers?.writtenDigest);
});

describe("branches", () => {
  const TEXT = `<FrameworkSwitchCourse {fw} />

{#if fw === 'pt'}
- PyTorch
  <Youtube id="p"/>
{:else}

**TensorFlow**

<Youtube id="t"/>
<Question choices={[{ text: "a" }]} />

{/if}

Call {#if fw === 'pt'}\`train\`{:else if fw === 'tf'}\`fit\`{:else}nothing{/if} now.
`;

  test("are all kept by default, each in an element with its condition, with or without blank lines", async () => {
    const { lesson, problems } = await readLesson("1.mdx", `---\nurl: https://x.example\n---\n${TEXT}`);
    expect(lesson?.additionalText.replace(/<iframe[^]*?<\/iframe>/g, (tag) => /embed\/(\w)/.exec(tag)?.[1] ?? "")).toBe(
      `<div data-if="fw === 'pt'">
<ul>
<li>PyTorchp
</li>
</ul>
</div>
<div data-if="fw !== 'pt'">
<p><strong>TensorFlow</strong></p>
t
<div data-question="1"></div>
</div>
<p>Call <span data-if="fw === 'pt'"><code>train</code></span><span data-if="fw === 'tf'"><code>fit</code></span><span data-if="fw !== 'pt' &amp;&amp; fw !== 'tf'">nothing</span> now.</p>
`,
    );
    expect(lesson?.quizHtml).toContain(`<fieldset data-question="1" data-if="fw !== 'pt'">`);
    expect(problems).toEqual([
      "01-part/1.mdx:6: warning: readers see every branch of {#if fw === 'pt'} (2 times in this file); --fw NAME keeps only the branches of one framework",
    ]);
  });

  test("are filtered for one framework by --fw, and keep their lines", async () => {
    const forReaders = async (framework: string) => await readLesson("1.mdx", TEXT, { framework });
    expect(await forReaders("pt")).toMatchObject({
      lesson: {
        url: "https://www.youtube.com/watch?v=p",
        quizHtml: "",
        additionalText: "<ul>\n<li>PyTorch</li>\n</ul>\n<p>Call <code>train</code> now.</p>\n",
      },
      problems: [],
    });
    const { lesson, problems } = await forReaders("tf");
    expect(lesson).toMatchObject({ url: "https://www.youtube.com/watch?v=t" });
    expect(lesson?.additionalText).toContain("<p>Call <code>fit</code> now.</p>");
    expect(problems).toEqual([]);
    const late = await readLesson("1.mdx", `${TEXT}\n![](late.png)`, { framework: "pt", besides: ["late.png"] });
    expect(late.problems[0]).toStartWith("01-part/1.mdx:17: ");
  });

  test("on other conditions are kept even with --fw", async () => {
    const text = "{#if a > 1 && !b}\nOne\n{:else}\nTwo\n{/if}\n";
    expect((await readLesson("1.mdx", text, { framework: "pt" })).lesson?.additionalText).toBe(
      `<div data-if="a &gt; 1 &amp;&amp; !b">\n<p>One</p>\n</div>\n<div data-if="!(a &gt; 1 &amp;&amp; !b)">\n<p>Two</p>\n</div>\n`,
    );
  });

  test("of the documentation builder's elements are reported the same way", async () => {
    const text = "<frameworkcontent>\n<pt>\nOne\n</pt>\n<tf>\n\nTwo\n\n</tf>\n</frameworkcontent>\n";
    expect((await readLesson("1.mdx", text)).lesson?.additionalText).toBe(
      `<div data-if="fw === 'pt'">\n<p>One</p>\n</div>\n<div data-if="fw === 'tf'">\n<p>Two</p>\n</div>\n`,
    );
    expect(await readLesson("1.mdx", text, { framework: "tf" })).toMatchObject({
      lesson: { additionalText: "<p>Two</p>\n" },
      problems: [],
    });
  });

  test("that begin in one block and end in another lose their tags and are reported", async () => {
    const { lesson, problems } = await readLesson("1.mdx", "- {#if fw === 'pt'}\n  One\n- Two\n  {/if}\n");
    expect(lesson?.additionalText).toBe("<ul>\n<li>\nOne</li>\n<li>Two</li>\n</ul>\n");
    expect(problems).toContain(
      "01-part/1.mdx:1: warning: control line {#if …}, whose branches are all kept, is dropped",
    );
  });

  test("can be set by LECTERN_FW or --fw", async () => {
    const folder = writeFolder({ "01-a.mdx": "{#if fw === 'pt'}\n[a](p.md)\n{:else}\n[a](t.md)\n{/if}\n" });
    const problems = async (args: string[], env: Record<string, string> = {}) =>
      (await runCommand(["check", folder, ...args], { env })).stdout.match(/"[pt]\.md"|every branch/g)?.sort();
    expect(await problems([])).toEqual(['"p.md"', '"t.md"', "every branch"]);
    expect(await problems(["--fw", "pt"])).toEqual(['"p.md"']);
    expect(await problems([], { LECTERN_FW: "tf" })).toEqual(['"t.md"']);
  });
});

describe("callouts, alternatives, notebooks and images", () => {
  test("a tip is a callout with its title, and a warning is another kind", async () => {
    expect(
      await render(
        "1.mdx",
        'Text\n<Tip>\nOne\n</Tip>\n<Tip warning={true} title="a > b">\n\n  - Two\n\n</Tip>\n\n- <Tip warning={false}>*Three*</Tip>\n',
      ),
    ).toBe(
      '<p>Text</p>\n<aside class="callout" data-callout="tip">\n<p class="callout-title">Tip</p>\n<p>One</p>\n</aside>\n' +
        '<aside class="callout" data-callout="warning">\n<p class="callout-title">a &gt; b</p>\n<ul>\n<li>Two</li>\n</ul>\n</aside>\n' +
        '<ul>\n<li>\n<aside class="callout" data-callout="tip">\n<p class="callout-title">Tip</p>\n<p><em>Three</em></p>\n</aside>\n</li>\n</ul>\n',
    );
  });

  test("an attribute with an unclosed brace ends the attributes", async () => {
    expect(await render("1.mdx", `<Tip title="b" a=x{" { { "}>\n\na\n\n</Tip>\n`)).toBe(
      '<aside class="callout" data-callout="tip">\n<p class="callout-title">b</p>\n<p>a</p>\n</aside>\n',
    );
  });

  test("missing titles are filled in, in the language of the course", async () => {
    const course = await readOnly({
      "course.yaml": "name: A\nlanguage: de-AT\nchapters: [{name: A, lessons: [a]}]",
      "a.mdx": '<Tip>\nEins\n</Tip>\n\n<Question choices={[{text: "a", explain: "b"}]} />\n',
    });
    const lesson = course.chapters[0]?.lessons[0];
    expect(lesson?.additionalText).toContain('<p class="callout-title">Tipp</p>');
    expect(lesson?.quizHtml).toContain("<summary>Erklärung</summary>b");
  });

  test("a tip inside other HTML stays in place; one inside a sentence is dropped", async () => {
    expect(await render("1.mdx", "<div>\n<Tip>\n<b>x</b>\n</Tip>\n</div>\n")).toBe(
      '<div>\n<aside class="callout" data-callout="tip">\n<p class="callout-title">Tip</p>\n\n<b>x</b>\n</aside>\n\n</div>\n',
    );
    expect(await readLesson("1.mdx", "See <Tip>this</Tip> now.\n")).toMatchObject({
      lesson: { additionalText: "<p>See this now.</p>\n" },
      problems: ["01-part/1.mdx:1: warning: component <Tip> is dropped"],
    });
  });

  test("alternatives are shown one below the other, with their names", async () => {
    const text =
      '<hfoptions id="usage">\n<hfoption id="A & B">\n\n```py\na\n```\n\n</hfoption>\n<hfoption id="C">\nc\n</hfoption>\n</hfoptions>\n';
    expect(await render("1.mdx", text)).toBe(
      '<div class="options" data-options="usage">\n' +
        '<div class="option" data-option="A &amp; B">\n<p class="option-title">A &amp; B</p>\n<pre><code class="language-py">a\n</code></pre>\n</div>\n' +
        '<div class="option" data-option="C">\n<p class="option-title">C</p>\n<p>c</p>\n</div>\n</div>\n',
    );
  });

  test("a banner's notebooks become a list of links, unless one runs a script", async () => {
    const banner = (url: string) =>
      `<CourseFloatingBanner chapter={3}\n  notebooks={[\n    {label: "Colab & more", value: "${url}"},\n]} />\n`;
    const list = '<ul class="notebooks">\n<li><a href="https://x.example/?a&amp;b">Colab &amp; more</a></li>\n</ul>\n';
    expect(await render("1.mdx", banner("https://x.example/?a&b"))).toBe(list);
    const dropdown = banner("https://x.example/?a&b").replace("CourseFloatingBanner", "DocNotebookDropdown");
    expect(await render("1.mdx", dropdown.replace("notebooks=", "options="))).toBe(list);
    expect(await render("1.mdx", "a\n\n<CourseFloatingBanner chapter={3} />\n")).toBe("<p>a</p>\n");
    const help = banner("https://x.example/?a&b").replace("]} />", ']}\naskForHelpUrl="https://help.example" />');
    expect(await render("1.mdx", help)).toContain('<li><a href="https://help.example">https://help.example</a></li>');
    expect(await readLesson("1.mdx", `a\n\n${banner("javascript:alert(1)")}`)).toMatchObject({
      lesson: { additionalText: "<p>a</p>\n" },
      problems: ["01-part/1.mdx:3: warning: component <CourseFloatingBanner> is dropped"],
    });
  });

  test("readers see one of two images for light and dark pages", async () => {
    const light = '<img class="block dark:hidden" src="https://x.example/a.svg" alt="A">';
    const dark = '<img class="w-full hidden dark:block" src="https://x.example/a,b.svg" alt="A"/>';
    const picture =
      '<picture><source srcset="https://x.example/a%2Cb.svg" media="not all" data-theme="dark">' +
      '<img src="https://x.example/a.svg" alt="A"></picture>';
    const div = (text: string) => `<div class="flex">\n${text}\n</div>\n`;
    expect(await render("1.mdx", div(`${light}\n${dark}`))).toBe(div(`${picture}\n`));
    expect(await render("1.mdx", `${dark}\n${light}\n`)).toBe(`${picture}\n\n`);
    expect(await render("1.mdx", `See ${light}${dark} and ${light}.\n`)).toBe(`<p>See ${picture} and ${light}.</p>\n`);
    expect(await render("1.mdx", `${light}\n\n${dark}\n`)).toBe(`${light}\n${dark}\n`);
    const spaced = `<img src="https://x.example/a.svg" class="a"${" ".repeat(1.4e6)}>${dark.replace("/>", ">")}`;
    expect(await render("1.mdx", `${spaced}\n`)).toBe(`<p>${spaced}</p>\n`);
  });

  test("documentation builder directives are dropped at their lines", async () => {
    const text =
      "[[open-in-colab]]\n\nOne\n\n[[autodoc]] Tea\n    - pour\n    - drink\nTwo `[[autodoc]]`\n\n```\n[[autodoc]] x\n```\n";
    const { lesson, problems } = await readLesson("1.mdx", `${text}\n![](late.png)\n`, { besides: ["late.png"] });
    expect(lesson?.additionalText).toStartWith(
      "<p>One</p>\n<p>Two <code>[[autodoc]]</code></p>\n<pre><code>[[autodoc]] x\n</code></pre>\n",
    );
    expect(problems.map((problem) => problem.split(/,? and /)[0])).toEqual([
      "01-part/1.mdx:1: warning: [[open-in-colab]] is dropped",
      "01-part/1.mdx:5: warning: [[autodoc]] is dropped",
      '01-part/1.mdx:14: warning: image "late.png" is relative',
    ]);
  });

  test("Markdown files have components in courses with a _toctree.yml", async () => {
    const course = await readOnly({
      "_toctree.yml": "- title: A\n  sections:\n  - local: a\n    title: A",
      "a.md": "<Tip>\n\nOne\n\n</Tip>\n\n    <Tip>code</Tip>\n",
    });
    expect(course.chapters[0]?.lessons[0]?.additionalText).toBe(
      '<aside class="callout" data-callout="tip">\n<p class="callout-title">Tip</p>\n<p>One</p>\n</aside>\n' +
        "<pre><code>&lt;Tip&gt;code&lt;/Tip&gt;\n</code></pre>\n",
    );
    expect(await render("1.md", "<Tip>\n\nOne\n\n</Tip>\n")).toBe("<Tip>\n<p>One</p>\n</Tip>\n");
  });
});

describe("local_fw of a _toctree.yml", () => {
  const FILES = {
    "_toctree.yml":
      "- title: One\n  sections:\n  - local: a\n    title: A\n    local_fw: { pt: a, tf: a_tf }\n  - title: B\n    local_fw: { pt: b, tf: b_tf }\n",
    "a.mdx": "x",
    "a_tf.mdx": "x",
    "b.mdx": "x",
    "b_tf.mdx": "x",
  };

  test("makes each file a lesson, with the framework in its name", async () => {
    expect(outlineOf(await readOnly(FILES))).toEqual([["One", "A", "A (tf)", "B (pt)", "B (tf)"]]);
  });

  test("selects one framework's lessons with --fw, or those of local for any other", async () => {
    const outlineFor = async (framework: string) => {
      const { courses, problems } = await read(FILES, undefined, framework);
      expect(problems).toEqual([]);
      return courses[0]?.chapters[0]?.lessons.map(({ name, sourcePath }) => [name, sourcePath]);
    };
    expect(await outlineFor("tf")).toEqual([
      ["A", "a_tf.mdx"],
      ["B", "b_tf.mdx"],
    ]);
    expect(await outlineFor("jax")).toEqual([
      ["A", "a.mdx"],
      ["B", "b.mdx"],
    ]);
  });

  test("is an error if it names no file or a missing one", async () => {
    const toctree =
      "- title: One\n  sections:\n  - local: a\n    title: A\n    local_fw: a\n  - local: b\n    local_fw: { tf: gone }\n";
    const { problems } = await read({ ...FILES, "_toctree.yml": toctree });
    expect(problems).toEqual([
      "_toctree.yml:5:5: error: local_fw must name a file for each framework, such as { pt: basics/leaves, tf: basics/leaves_tf }",
      '_toctree.yml:7:17: error: chapter "One" names lesson "gone", but there is no file gone.mdx',
    ]);
  });
});

test("indented content of a component is parsed like unindented content", async () => {
  const text =
    '<Tabs>\n  <TabItem value="a">\n\n    ```bash\n    npm i\n      x\n    ```\n\n    - b\n      - c\n\n    ## D\n\n    e\n    - f\n  </TabItem>\n</Tabs>\n\n\t> g\n';
  expect(await render("1.mdx", text)).toBe(
    '<div class="options" data-options="">\n<div class="option" data-option="a">\n<p class="option-title">a</p>\n<pre><code class="language-bash">npm i\n  x\n</code></pre>\n<ul>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n<h2 id="d">D</h2>\n<p>e</p>\n<ul>\n<li>f</li>\n</ul>\n</div>\n</div>\n<blockquote>\n<p>g</p>\n</blockquote>\n',
  );
});

describe("formulas", () => {
  test.each([
    ["$$y^{''}$$", "<div class=\"math display\">y^{''}</div>\n"],
    ["a $$f^{''} + g{' '}$$ b", "<p>a <span class=\"math display\">f^{''} + g{' '}</span> b</p>\n"],
    ["\\\\(y^{''}\\\\)", "<p><span class=\"math inline\">y^{''}</span></p>\n"],
    ["\\\\[\na <b \\text{ if } c> d\n\\\\]", '<div class="math display">\na &lt;b \\text{ if } c&gt; d\n</div>\n'],
    ["$$\nx {/* y */}\n\n<Card>\n$$", '<div class="math display">\nx {/* y */}\n\n&lt;Card&gt;\n</div>\n'],
    ["$`y^{''}`$", "<p><span class=\"math inline\">y^{''}</span></p>\n"],
    ["```math\ny^{''}\n```", "<div class=\"math display\">y^{''}\n</div>\n"],
    ["- $$y^{''}$$", "<ul>\n<li>\n<div class=\"math display\">y^{''}</div>\n</li>\n</ul>\n"],
  ])("stay as written: %j", async (text, html) => {
    expect(await render("1.mdx", `${text}\n`)).toBe(html);
  });

  test("end with their paragraph, and primes in dollar signs stay text", async () => {
    const { lesson } = await readLesson("1.mdx", "costs $$ <Card>a</Card>\n\nor $$ b{' '}c $y^{''}$\n");
    expect(lesson?.additionalText).toBe("<p>costs $$ a</p>\n<p>or $$ b c $y^{''}$</p>\n");
  });
});

test.each(["\\x00", "\\u0000", "\\u{0}", "\0"])("a value with %j contains no syntax of the parser", async (zero) => {
  const text =
    `<Tip title={"a${zero}0${zero}b"}>\n[x](gone.md) [y](also-gone.md)\n</Tip>\n\n` +
    `<Question choices={[{ text: "c${zero}0${zero}", correct: true }, { text: <b title="d">{"${zero}1${zero}"}</b> }]} />\n`;
  const { lesson } = await readLesson("1.mdx", text);
  expect(lesson?.additionalText).toContain('<p class="callout-title">a\ufffd0\ufffdb</p>');
  expect(lesson?.additionalText).toContain(
    '<a href="gone.md" data-unresolved="">x</a> <a href="also-gone.md" data-unresolved="">y</a>',
  );
  expect(lesson?.quizHtml).toContain(" c\ufffd0\ufffd</label>");
  expect(lesson?.quizHtml).toContain('<b title="d">\ufffd1\ufffd</b>');
});

test("nested components are flattened beyond 100 levels", async () => {
  const { lesson, problems } = await readLesson("1.mdx", `${"<Tip>\n".repeat(150)}\nTea\n\n${"</Tip>\n".repeat(150)}`);
  expect(lesson?.additionalText.match(/<aside|Tea|<\/aside>/g)?.map(String)).toEqual([
    ...Array.from({ length: 100 }, () => "<aside"),
    "Tea",
    ...Array.from({ length: 100 }, () => "</aside>"),
  ]);
  expect(problems).toEqual([
    "01-part/1.mdx:101: warning: component nested beyond 100 levels is dropped (50 times in this file)",
  ]);
});

test("any number of branches can begin on one line", async () => {
  const { lesson } = await readLesson("1.mdx", `${"{#if a}".repeat(20_000)}Tea{/if}\n`);
  expect(lesson?.additionalText).toContain("Tea");
});

test("lists, headings and fences interrupt a paragraph at any indentation; other lines continue it", async () => {
  const text =
    "Options:\n    - `a`\n        - b\n    - c\n\n<Tip>\n    d\n        1. e\n</Tip>\n\nf\n    g\n    # h\n    2. i\n";
  expect(await render("1.mdx", text)).toBe(
    "<p>Options:</p>\n<ul>\n<li><code>a</code>\n<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>\n" +
      '<aside class="callout" data-callout="tip">\n<p class="callout-title">Tip</p>\n<p>d</p>\n<ol>\n<li>e</li>\n</ol>\n</aside>\n' +
      '<p>f\ng</p>\n<h1 id="h">h</h1>\n<ol start="2">\n<li>i</li>\n</ol>\n',
  );
  expect(await render("1.md", "a\n    - b\n")).toBe("<p>a\n- b</p>\n");
});
