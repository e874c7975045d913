// Components as the courses and documentation of Hugging Face have them, and what readers get of them.
import { describe, expect, test } from "bun:test";
import { DEFAULT_LIMITS, MIB } from "../../src/content/limits.ts";
import { callout } from "../support/mkdocs.ts";
import { pages, read, readFolder, readLesson, readOnly, render } from "../support/written-folder.ts";
import { testLessons, testTexts, writeFolder } from "../support/written-folder.ts";

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

<Question
	choices={[
		{ text: "A <code>leaf</code> & \\"more\\"", explain: 'It\\'s *not*.' }, // a note
		{ "text": \`Water with __init__ and \\\`a_b\\\`\`, explain: "One " +
			"two", correct: true },
		{ text: <>A <b className="x">cup</b>{" & a pot"}</>, explain: "" },
	]}
/>

### 2. Which?

<Question choices={[{ text: "a", correct: true }, { text: "b", correct: false }, { text: "c", correct: true }]}></Question>

And this?

<Question choices={[{ text: "![d](d.png)" }]} />
`;

  test("become a quiz form without a script, with the heading and text above each question", async () => {
    const files = { besides: ["d.png"], assetBase: "https://x.example/" };
    const { lesson, problems } = await readLesson("1.mdx", TEXT, files);
    expect(problems).toEqual([]);
    // docs/formats/hugging-face.md shows a whole form.
    expect(
      lesson?.quizHtml.match(/(?<=^<legend>|^<p>|type=|<\/summary>).*(?=<\/(?:legend|p|label|details)>)/gm),
    ).toEqual([
      "1. What is <code>tea</code>?",
      "Look at this:",
      '"radio" name="question-1" value="1" data-correct="false"> A <code>leaf</code> &amp; &quot;more&quot;',
      "It's <em>not</em>.",
      '"radio" name="question-1" value="2" data-correct="true"> Water with <strong>init</strong> and <code>a_b</code>',
      "One two",
      '"radio" name="question-1" value="3" data-correct="false"> A <b class="x">cup</b> &amp; a pot',
      "2. Which?",
      '"checkbox" name="question-2" value="1" data-correct="true"> a',
      '"checkbox" name="question-2" value="2" data-correct="false"> b',
      '"checkbox" name="question-2" value="3" data-correct="true"> c',
      "2. Which?",
      "And this?",
      '"checkbox" name="question-3" value="1" data-correct="false"> <img src="https://x.example/01-part/d.png" alt="d" loading="lazy">',
    ]);
    const places = lesson?.additionalText.match(/<div data-question="\d"><\/div>/g)?.join("");
    expect(places).toBe([1, 2, 3].map((n) => `<div data-question="${n}"></div>`).join(""));
  });

  test("become forms in the text if the author sets a quiz", async () => {
    const text = `---\nquizHtml: <b>?</b>\n---\nOne\n<Question choices={[{text: "a", correct: true}]} />\nTwo\n`;
    const { lesson, problems } = await readLesson("1.mdx", text);
    expect([lesson?.quizHtml, problems]).toEqual(["<b>?</b>", []]);
    expect(lesson?.additionalText).toMatch(/^<p>One<\/p>\n<form class="quiz" [^]*<\/form>\n<p>Two<\/p>\n$/);
  });

  const ASK = '<Question choices={[{text: "a"}]} />';
  const legendOf = async (text: string) => /<legend>[^]*?(?=<div)/.exec(await quizOf(text))?.[0];
  const LONG = `${"word ".repeat(500)}\n\nThe last sentence.\n\n`;
  test.each([
    ["numbered without a heading", `${LONG}${ASK}`, "<legend>1</legend>\n<p>The last sentence.</p>\n"],
    // Half of a piece of HTML would break the form.
    ["without HTML", `# A\n\n<details>\n\nb\n\n${ASK}\n\n</details>\n`, "<legend>A</legend>\n<p>b</p>\n"],
  ])("are %s", async (_what, text, legend) => expect(await legendOf(text)).toBe(legend));

  const dropped = (line: number, fault: string): string =>
    `01-part/1.mdx:${line}: warning: component <Question> (${fault}) is dropped`;

  test("with computed values and links are reported with their line", async () => {
    const text = `a\n\n<Question\n  choices={[\n    { text: "a" },\n    { text: \`b \${c}\` },\n  ]}\n/>\n\n<Question choices={all} />\n\n<Question />\n\n<Question choices={[{ explain: "a" }]} />\n`;
    const { lesson, problems } = await readLesson("1.mdx", text);
    expect(lesson?.quizHtml).toBe("");
    expect(problems).toEqual([
      dropped(3, "its choices are invalid: templates with values are not supported, line 6"),
      dropped(10, "its choices are invalid: expected a string, number, list or object, line 10"),
      dropped(12, "it has no choices"),
      dropped(14, "choice 1 has no text"),
    ]);
    expect((await readLesson("1.mdx", 'a\n\n<Question choices={[{text: "![b](b.png)"}]} />')).problems).toEqual([
      '01-part/1.mdx:3: warning: quizHtml: image "b.png" points to a missing file: 01-part/b.png',
    ]);
  });

  test.each([
    `# ${"a".repeat(6_000)}\n\n${`${ASK}\n`.repeat(30)}`,
    `{#if ${"&".repeat(10_000)}}\n\n{#if b}\n\n${`${ASK}\n\n`.repeat(30)}{/if}\n\n{/if}\n`,
  ])("larger than the lesson limit are an error, counted with their conditions: %#", async (text) => {
    const limits = { ...DEFAULT_LIMITS, maxLessonBytes: 0.1 * MIB };
    const { problems } = await readFolder(writeFolder({ "01-a.mdx": text }), undefined, { limits });
    expect(problems.join()).toMatch(/the limit for a lesson's questions is 0\.1 MiB/);
  });
});

describe("branches", () => {
  const TEXT =
    '<FrameworkSwitchCourse {fw} />\n\n{#if fw === \'pt\'}\n- PyTorch\n  <Youtube id="p"/>\n{:else}\n\n**TensorFlow**\n\n<Youtube id="t"/>\n' +
    '<Question choices={[{ text: "a" }]} />\n\n{/if}\n\n' +
    "Call {#if fw === 'pt'}`train`{:else if fw === 'tf'}`fit`{:else}nothing{/if} now.\n";
  const ELEMENTS = "<frameworkcontent>\n<pt>\nOne\n</pt>\n<tf>\n\nTwo\n\n</tf>\n</frameworkcontent>\n";

  test("are all kept by default, each in an element with its condition, with or without blank lines", async () => {
    const { lesson, problems } = await readLesson("1.mdx", `---\nurl: https://x.example\n---\n${TEXT}`);
    expect(lesson?.additionalText.replace(/<iframe[^]*?<\/iframe>/g, (tag) => /embed\/(\w)/.exec(tag)?.[1] ?? "")).toBe(
      "<div data-if=\"fw === 'pt'\">\n<ul>\n<li>PyTorchp\n</li>\n</ul>\n</div>\n<div data-if=\"fw !== 'pt'\">\n<p><strong>TensorFlow</strong></p>\nt\n" +
        '<div data-question="1"></div>\n</div>\n' +
        "<p>Call <span data-if=\"fw === 'pt'\"><code>train</code></span><span data-if=\"fw === 'tf'\"><code>fit</code></span>" +
        "<span data-if=\"fw !== 'pt' &amp;&amp; fw !== 'tf'\">nothing</span> now.</p>\n",
    );
    expect(lesson?.quizHtml).toContain(`<fieldset data-question="1" data-if="fw !== 'pt'">`);
    expect(problems).toEqual([
      "01-part/1.mdx:6: warning: readers see every branch of {#if fw === 'pt'} (2 times in this file); --fw NAME keeps only the branches of one framework",
    ]);
  });

  const readText = async (text: string, framework?: string) => {
    const { lesson, problems } = await readLesson("1.mdx", text, { framework, besides: ["late.png"] });
    return { html: lesson?.additionalText, url: lesson?.url, quiz: lesson?.quizHtml, problems };
  };

  test("are filtered for one framework by --fw, and keep their lines", async () => {
    expect(await readText(TEXT, "pt")).toEqual({
      html: "<ul>\n<li>PyTorch</li>\n</ul>\n<p>Call <code>train</code> now.</p>\n",
      url: "https://www.youtube.com/watch?v=p",
      quiz: "",
      problems: [],
    });
    const { html, url, problems } = await readText(TEXT, "tf");
    expect([url, problems]).toEqual(["https://www.youtube.com/watch?v=t", []]);
    expect(html).toContain("<p>Call <code>fit</code> now.</p>");
    expect((await readText(`${TEXT}\n![](late.png)`, "pt")).problems[0]).toStartWith("01-part/1.mdx:17: ");
  });

  const KEPT =
    '<div data-if="a &gt; 1 &amp;&amp; !b">\n<p>One</p>\n</div>\n<div data-if="!(a &gt; 1 &amp;&amp; !b)">\n<p>Two</p>\n</div>\n';
  test("on other conditions are kept even with --fw, and those of the documentation builder's elements are filtered", async () => {
    expect((await readText("{#if a > 1 && !b}\nOne\n{:else}\nTwo\n{/if}\n", "pt")).html).toBe(KEPT);
    expect((await readText(ELEMENTS, "tf")).html).toBe("<p>Two</p>\n");
  });

  testTexts("are kept, and text in them and after them is Markdown", async (text) => (await readText(text)).html, {
    "{#if a}\n<div>\n*b*\n</div>\n{:else}\n*c*\n<div>\nd\n</div>\n{/if}\n\n*e*\n":
      '<div data-if="a">\n<div>\n*b*\n</div>\n</div>\n<div data-if="!(a)">\n<p><em>c</em></p>\n<div>\nd\n</div>\n</div>\n<p><em>e</em></p>\n',
    [ELEMENTS]:
      "<div data-if=\"fw === 'pt'\">\n<p>One</p>\n</div>\n<div data-if=\"fw === 'tf'\">\n<p>Two</p>\n</div>\n",
  });

  test("that begin in one block and end in another lose their tags and are reported", async () => {
    const { html, problems } = await readText("- {#if fw === 'pt'}\n  One\n- Two\n  {/if}\n");
    expect(html).toBe("<ul>\n<li>\nOne</li>\n<li>Two</li>\n</ul>\n");
    expect(problems).toContain(
      "01-part/1.mdx:1: warning: control line {#if …}, whose branches are all kept, is dropped",
    );
    const many = await readText(`${"{#if a}".repeat(20_000)}Tea{/if}\n`);
    expect(many.html).toContain("Tea");
  });
});

const toMdx = (text: string) => render("1.mdx", text);
const BANNER =
  '<CourseFloatingBanner chapter={3}\n  notebooks={[\n    {label: "Colab & more", value: "https://x.example/?a&b"},\n]} />\n';
const NOTEBOOK = '<li><a href="https://x.example/?a&amp;b">Colab &amp; more</a></li>\n';
const HELP = '<li><a href="https://help.example">https://help.example</a></li>\n';

describe("callouts, alternatives and notebooks", () => {
  testTexts("become HTML", toMdx, {
    'Text\n<Tip>\nOne\n</Tip>\n<Tip warning={true} title="a > b">\n\n  - Two\n\n</Tip>\n\n- <Tip warning={false}>*Three*</Tip>\n':
      `<p>Text</p>\n${callout("tip", "Tip", "<p>One</p>\n")}${callout("warning", "a &gt; b", "<ul>\n<li>Two</li>\n</ul>\n")}` +
      `<ul>\n<li>\n${callout("tip", "Tip", "<p><em>Three</em></p>\n")}</li>\n</ul>\n`,
    // An unclosed brace ends the attributes.
    '<Tip title="b" a=x{" { { "}>\n\na\n\n</Tip>\n': callout("tip", "b", "<p>a</p>\n"),
    "<div>\n<Tip>\n<b>x</b>\n</Tip>\n</div>\n": `<div>\n${callout("tip", "Tip", "\n<b>x</b>\n")}\n</div>\n`,
    [BANNER.replace("]} />", ']}\naskForHelpUrl="https://help.example" />')]:
      `<ul class="notebooks">\n${NOTEBOOK}${HELP}</ul>\n`,
  });

  testLessons((text) => readLesson("1.mdx", text), {
    "are dropped if they run a script": [
      `a\n\n${BANNER.replace("https://x.example/?a&b", "javascript:alert(1)")}`,
      "<p>a</p>\n",
      "01-part/1.mdx:3: warning: component <CourseFloatingBanner> is dropped",
    ],
  });
});

const LIGHT = '<img class="block dark:hidden" src="https://x.example/a.svg" alt="A">';
const DARK = '<img class="w-full hidden dark:block" src="https://x.example/a,b.svg" alt="A"/>';
const PICTURE =
  '<picture><source srcset="https://x.example/a%2Cb.svg" media="not all" data-theme="dark">' +
  '<img src="https://x.example/a.svg" alt="A"></picture>';

test("readers see one of two images for light and dark pages", async () => {
  const div = (text: string) => `<div class="flex">\n${text}\n</div>\n`;
  expect(await toMdx(div(`${LIGHT}\n${DARK}`))).toBe(div(`${PICTURE}\n`));
  expect(await toMdx(`${DARK}\n${LIGHT}\n`)).toBe(`${PICTURE}\n\n`);
  expect(await toMdx(`${LIGHT}\n\n${DARK}\n`)).toBe(`${LIGHT}\n${DARK}\n`);
});

test("documentation builder directives are dropped at their lines", async () => {
  const text =
    "[[open-in-colab]]\n\nOne\n\n[[autodoc]] Tea\n    - pour\n    - drink\nTwo `[[autodoc]]`\n\n```\n[[autodoc]] x\n```\n\n![](late.png)\n";
  const { lesson, problems } = await readLesson("1.mdx", text);
  expect(lesson?.additionalText).toStartWith(
    "<p>One</p>\n<p>Two <code>[[autodoc]]</code></p>\n<pre><code>[[autodoc]] x\n</code></pre>\n",
  );
  expect(problems).toEqual([
    "01-part/1.mdx:1: warning: [[open-in-colab]] is dropped",
    "01-part/1.mdx:5: warning: [[autodoc]] is dropped",
    '01-part/1.mdx:14: warning: image "late.png" points to a missing file: 01-part/late.png',
  ]);
});

const FILES = {
  "_toctree.yml":
    "- title: One\n  sections:\n  - local: a\n    title: A\n    local_fw: { pt: a, tf: a_tf }\n  - title: B\n    local_fw: { pt: b, tf: b_tf }\n",
  ...pages("a.mdx", "a_tf.mdx", "b.mdx", "b_tf.mdx"),
};

test("local_fw of a _toctree.yml makes each file a lesson, or with --fw those of one framework, or of local for any other", async () => {
  const namesOf = async (framework?: string) => {
    const { lessons, problems } = await read(FILES, undefined, framework);
    expect(problems).toEqual([]);
    return lessons.map(({ name, sourcePath }) => `${name}: ${sourcePath}`);
  };
  expect(await namesOf()).toEqual(["A: a.mdx", "A (tf): a_tf.mdx", "B (pt): b.mdx", "B (tf): b_tf.mdx"]);
  expect(await namesOf("tf")).toEqual(["A: a_tf.mdx", "B: b_tf.mdx"]);
  expect(await namesOf("jax")).toEqual(["A: a.mdx", "B: b.mdx"]);
});

test("local_fw of a _toctree.yml is an error if it names no file or a missing one", async () => {
  const toctree =
    "- title: One\n  sections:\n  - local: a\n    title: A\n    local_fw: a\n  - local: b\n    local_fw: { tf: gone }\n";
  const { problems } = await read({ ...FILES, "_toctree.yml": toctree });
  expect(problems).toEqual([
    "_toctree.yml:5:5: error: local_fw must name a file for each framework, such as { pt: basics/leaves, tf: basics/leaves_tf }",
    '_toctree.yml:7:17: error: chapter "One" names lesson "gone", but there is no file gone.mdx',
  ]);
});

testTexts("formulas stay as written", async (text) => (await readLesson("1.mdx", `${text}\n`)).lesson?.additionalText, {
  "a $$f^{''} + g{' '}$$ b": "<p>a <span class=\"math display\">f^{''} + g{' '}</span> b</p>\n",
  "$$\nx {/* y */}\n\n<Card>\n$$": '<div class="math display">\nx {/* y */}\n\n&lt;Card&gt;\n</div>\n',
  "- $$y^{''}$$": "<ul>\n<li>\n<div class=\"math display\">y^{''}</div>\n</li>\n</ul>\n",
});

test.each(["\\x00", "\\u0000", "\\u{0}", "\0"])("a value with %j contains no syntax of the parser", async (zero) => {
  const text =
    `<Tip title={"a${zero}0${zero}b"}>\n[x](gone.md)\n</Tip>\n\n` +
    `<Question choices={[{ text: "c${zero}0${zero}", correct: true }, { text: <b title="d">{"${zero}1${zero}"}</b> }]} />\n`;
  const { lesson } = await readLesson("1.mdx", text);
  expect(lesson?.additionalText).toContain('<p class="callout-title">a\ufffd0\ufffdb</p>');
  expect(lesson?.additionalText).toContain('<a href="gone.md" data-unresolved="">x</a>');
  expect(lesson?.quizHtml).toContain(" c\ufffd0\ufffd</label>");
  expect(lesson?.quizHtml).toContain('<b title="d">\ufffd1\ufffd</b>');
});

test("nested components are flattened beyond 100 levels", async () => {
  const { lesson, problems } = await readLesson("1.mdx", `${"<Tip>\n".repeat(150)}\nTea\n\n${"</Tip>\n".repeat(150)}`);
  const shown = lesson?.additionalText.match(/<aside|Tea|<\/aside>/g)?.join("");
  expect(shown).toBe(`${"<aside".repeat(100)}Tea${"</aside>".repeat(100)}`);
  expect(problems).toEqual([
    "01-part/1.mdx:101: warning: component nested beyond 100 levels is dropped (50 times in this file)",
  ]);
});

testTexts("lists, headings and fences begin at any indentation; other lines continue a paragraph", toMdx, {
  "Options:\n    - `a`\n        - b\n    - c\n\n<Tip>\n    d\n        1. e\n</Tip>\n\nf\n    g\n    # h\n    2. i\n":
    "<p>Options:</p>\n<ul>\n<li><code>a</code>\n<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>\n" +
    callout("tip", "Tip", "<p>d</p>\n<ol>\n<li>e</li>\n</ol>\n") +
    '<p>f\ng</p>\n<h1 id="h">h</h1>\n<ol start="2">\n<li>i</li>\n</ol>\n',
});

testTexts("an HTML element becomes readable for browsers", toMdx, {
  '<iframe\n  src="https://x.example/a/"\n/>\n\nAfter.\n':
    '<iframe\n  src="https://x.example/a/"\n></iframe>\n<p>After.</p>\n',
  '<div className="box" id={"b"} tabIndex={0}>\n\n*a*\n\n</div>\n':
    '<div class="box" id="b" tabIndex="0">\n<p><em>a</em></p>\n</div>\n',
  "<p style={{color: 'red', fontSize: 12, lineHeight: 1.5, WebkitMaskSize: '1px', '--a': \"b\"}}>a</p>\n":
    '<p style="color: red; font-size: 12px; line-height: 1.5; -webkit-mask-size: 1px; --a: b">a</p>\n',
  "<video autoPlay loop={true} muted={false} poster={null} src={`https://x.example/v.mp4`} />\n":
    '<video autoPlay loop   src="https://x.example/v.mp4" ></video>\n',
  "a{\" \"}\n<b>b</b>{' '}c{/* note */}\n": "<p>a\n<b>b</b> c</p>\n",
});

testLessons((text) => readLesson("1.mdx", text), {
  "attributes over several lines are dropped, too, and others stay": [
    "<button\n  onClick={() => {\n    alert(1);\n  }}\n  type={'button'}\n>b</button>\n\n- <div {...{\n    a: b,\n  }} id=\"c\">\n  d\n  </div>\n\n![e](e.png)\n",
    '<p><button\n  \n  type="button"\n>b</button></p>\n<ul>\n<li>\n<div  id="c">\nd\n</div>\n</li>\n</ul>\n<p><img src="e.png" data-unresolved="" alt="e" loading="lazy"></p>\n',
    "01-part/1.mdx:2: warning: attribute onClick of <button> is dropped",
    "01-part/1.mdx:8: warning: attribute {...{ a: b, }} of <div> is dropped",
    '01-part/1.mdx:14: warning: image "e.png" points to a missing file: 01-part/e.png',
  ],
  "an export ends with its template": [
    "export const code = `\n<Tip>\n\n`;\n\na\n",
    "<p>a</p>\n",
    "01-part/1.mdx:1: warning: import or export line is dropped",
  ],
  "imports and exports are dropped, but not prose and code that begin like them": [
    "A\n\nimport One, { Two } from \"./one\";\nimport './two.css'\n\nexport const list = [\n  { a: 1 },\n];\n\nexport function F() { return <b>1</b> }\n\n" +
      'import torch further down is prose.\n\nexport const is a word\n\nB\nimport c from "d"\n\n```js\n\nimport e from "f";\n```\n',
    "<p>A</p>\n<p>import torch further down is prose.</p>\n<p>export const is a word</p>\n<p>B\nimport c from &quot;d&quot;</p>\n" +
      '<pre><code class="language-js">\nimport e from &quot;f&quot;;\n</code></pre>\n',
    "01-part/1.mdx:3: warning: import or export line is dropped (4 times in this file)",
  ],
});

test("code references become code in courses with a _toctree.yml, and stay text elsewhere", async () => {
  const text =
    "[`Pot`], [`~tea.Pot.boil`] と[`tea.Pot()`]を [`leaf`](https://x.example) [`r`] [a [`b`]](https://x.example) [`x y`] `[`\n\n[`r`]: https://x.example/r\n";
  const link = (html: string, url = "https://x.example"): string => `<a href="${url}">${html}</a>`;
  const html = `<p><code>Pot</code>, <code>boil</code> と<code>tea.Pot()</code>を ${link("<code>leaf</code>")} ${link("<code>r</code>", "https://x.example/r")} ${link("a <code>b</code>")} [<code>x y</code>] <code>[</code></p>\n`;
  for (const ending of ["md", "mdx"]) {
    const toctree = "- title: A\n  sections:\n  - {local: a, title: L}";
    const { chapters } = await readOnly({ "en/_toctree.yml": toctree, [`en/a.${ending}`]: text });
    expect(chapters[0]?.lessons[0]?.additionalText).toBe(html);
    expect(await render(`1.${ending}`, text)).toStartWith("<p>[<code>Pot</code>], [<code>~tea.Pot.boil</code>]");
  }
});

testTexts("components become HTML", toMdx, {
  '<Tabs groupId="os">\n  <TabItem value="mac" label="macOS" default>\n\n  *Brew*\n\n  </TabItem>\n  <TabItem value="win">Steep</TabItem>\n</Tabs>\n':
    '<div class="options" data-options="os">\n<div class="option" data-option="mac">\n<p class="option-title">macOS</p>\n<p><em>Brew</em></p>\n</div>\n' +
    '<div class="option" data-option="win">\n<p class="option-title">win</p>\n<p>Steep</p>\n</div>\n</div>\n',
  '<Accordion title="Why & how">\n\n*Because*\n\n</Accordion>\n\n<Details>Inner</Details>\n':
    "<details>\n<summary>Why &amp; how</summary>\n<p><em>Because</em></p>\n</details>\n<details>\n<p>Inner</p>\n</details>\n",
});
