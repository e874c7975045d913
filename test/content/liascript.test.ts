import { expect, test } from "bun:test";
import type { Answers } from "../../src/content/quiz/answers.ts";
import {
  outlinesOf,
  problemsOf,
  read,
  readFolder,
  readOnly,
  testTexts,
  writeFolder,
} from "../support/written-folder.ts";

const HEADER =
  "<!--\nauthor:   A. Uthor\nversion:  1.0.0\nlanguage: en\nnarrator: US English Female\n\ncomment:  About tea.\n-->\n\n";

test("a LiaScript file is a course: its title names the course, and headings below it become chapters and lessons, each a part of the file", async () => {
  const text =
    "# All about `tea`\n\nWelcome.\n\n## Water\n\nHot.\n\n### Hard & soft water\n\n![kettle](img/kettle.png)\n\n    # code\n\n```md\n## No heading\n```\n\n" +
    "> ## Nor this\n\n## Leaves\n\n### Green\n\n#### From China\n\nSencha is not.\n\n<!-- ## Hidden -->\n\n#### Green\n\nAgain.\n";
  const course = await readOnly({ "README.md": HEADER + text, "img/kettle.png": "" }, "https://a.example/");
  expect(course).toMatchObject({ name: "All about tea", description: "About tea.", language: "en", sourcePath: "." });
  expect(outlinesOf([course])).toBe(
    "Introduction > All about tea; Water > Water, Hard & soft water; Leaves > From China, Green",
  );
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const parts = "all-about-tea water hard-soft-water from-china green-2".split(" ").map((part) => `README.md#${part}`);
  expect(lessons.map(({ sourcePath }) => sourcePath)).toEqual(parts);
  expect(lessons[2]?.additionalText).toBe(
    '<p><img src="https://a.example/img/kettle.png" alt="kettle" loading="lazy"></p>\n<pre><code># code\n</code></pre>\n' +
      '<pre><code class="language-md">## No heading\n</code></pre>\n<blockquote>\n<h2 id="nor-this">Nor this</h2>\n</blockquote>\n',
  );
});

test("a LiaScript file is a course: without a single top heading, the highest headings become chapters", async () => {
  const text = `${HEADER}# Water\r\n\r\nHot.\r\n\r\n# Leaves\r\n\r\n## Green\r\n\r\nx\r\n\r\n# Cups\r\n\r\nx\r\n`;
  const { courses, problems } = await read({ "tea/course.md": text, "tea/LICENSE": "" });
  expect(problems).toEqual([]);
  expect(courses.map(({ name }) => name)).toEqual(["Water"]);
  expect(outlinesOf(courses)).toBe("Water > Water; Leaves > Green; Cups > Cups");
});

const outlineWith = async (text: string): Promise<string> => {
  const { courses, problems } = await read({ "README.md": `${HEADER}# T\n\n## A\n\n${text}\n## B\n\ny\n` });
  expect(problems.filter((problem) => !/a heading is not supported here|points to/.test(problem))).toEqual([]);
  return outlinesOf(courses);
};
test.each([
  "<section>\n## No\n\nx\n\n## No\n\n</section>\n\n<article>\n## No\n\n</article>\n",
  "<svg width=9>\n<foreignObject>\n\n# No\n\n</foreignObject>\n</svg>\n",
  "      <details>\n\n## No\n\n      </DETAILS>\n",
  "x <!-- a\n## No\n--> y\n",
])("a heading within another element begins no lesson: %j", async (text) => {
  expect(await outlineWith(text)).toBe("A > A; B > B");
});

test("a heading after tags in code begins a lesson", async () => {
  expect(await outlineWith("`<div>`\n\n```\n<section>\n```\n")).toBe("A > A; B > B");
});

test("parts of a LiaScript file have unique names, whatever their titles", async () => {
  const titles = ["A", "A 2", "A", "a", "???", "???", "Zürich 東京", "x.md"];
  const text = `${HEADER}# T\n\n## C\n\n${titles.map((title) => `### ${title}\n\nx\n\n`).join("")}`;
  const course = await readOnly({ "README.md": text });
  expect(course.chapters[0]?.lessons.map(({ sourcePath }) => sourcePath)).toEqual(
    ["a", "a-2", "a-3", "a-4", "course", "course-2", "zürich-東京", "x-md"].map((part) => `README.md#${part}`),
  );
});

test("one field that any comment may have is not a LiaScript course", async () => {
  const text = "<!--\nversion: 1\n-->\n# T\n\nx";
  expect((await problemsOf({ "README.md": text }))[0]).toStartWith(".: error: contains no course");
});

test.each([
  ["numbers", { "01-own/01-b.md": "x" }, "Introduction > T; Own > B"],
  ["mdBook", { "SUMMARY.md": "- [A](a.md)", "a.md": "x" }, "A > A"],
])("%s takes precedence over a LiaScript file", async (_what, files, outline) => {
  const { courses } = await read({ "README.md": `${HEADER}# T\n\n## C\n\nx\n`, ...files });
  expect(outlinesOf(courses)).toBe(outline);
});

test("faults in a LiaScript file are reported at their lines", async () => {
  const text = `${HEADER}Lost.\n\n# T\n\n## C\n\n[gone](gone.md)\n\n### Empty\n\n### S\n\nx\n<b onclick=x>\n\n## Alone\n`;
  expect(await problemsOf({ "README.md": text, "more.md": "x" })).toEqual([
    "README.md:1: warning: the text above the first heading belongs to no lesson and is skipped",
    'README.md:16: warning: link "gone.md" points to a missing file: gone.md',
    "README.md:18: warning: the lesson is empty: it has no text, no url and no quizHtml",
    "README.md:23: warning: onclick of <b> runs a script in the reader's page",
    'README.md:25: warning: chapter "Alone" has no lessons',
    "more.md: warning: is not in the outline, so it is not a lesson",
  ]);
  expect(await problemsOf({ "README.md": `${HEADER}Just text.\n` })).toEqual([
    "README.md: error: the file has no heading: a LiaScript course needs one for each lesson, such as ## Water",
  ]);
});

/** The only lesson of a course, and what is reported. */
async function readSection(text: string, header = "", answers?: Answers) {
  const source = `<!--\nauthor: A\nlanguage: en\nnarrator: X\n${header}-->\n\n# Tea\n\n${text}`;
  const root = writeFolder({ "README.md": source, "vid/b.mp4": "" });
  const { courses, lessons, problems } = await readFolder(root, undefined, { answers });
  const { additionalText: html, quizHtml: quiz, url } = lessons[0] ?? { additionalText: "", quizHtml: "", url: "" };
  return { course: courses[0], lessons, html, quiz, url, problems };
}

const inputsOf = (quiz: string): string[] => quiz.match(/<(?:input|select|textarea)[^>]*>/g) ?? [];
const countForms = (quiz: string): number => quiz.match(/<fieldset/g)?.length ?? 0;
const without = (line: number, what: string): string => `README.md:${line}: warning: is shown without ${what}`;

testTexts("formulas", async (text) => (await readSection(text)).html, {
  "Where $ \\{a_1\\} *b* $ and $c$, from $5 to $10.\n":
    '<p>Where <span class="math inline"> \\{a_1\\} *b* </span> and <span class="math inline">c</span>, from $5 to $10.</p>\n',
});

test("LiaScript quizzes become forms with one or several choices, multi-line choices, and hints", async () => {
  const { html, quiz, problems } = await readSection(
    "How **hot**?\n\n[( )] cold\n[(X)] hot,\n      very `hot`\n[[?]] Touch it.\n[[?]] Not too long.\n***\nIt is hot.\n***\n\nWhich?\n\n- [[x]] green\n- [[ ]] blue\n<script>judge()</script>\n\nEnd.\n",
  );
  expect(html).toBe(
    '<p>How <strong>hot</strong>?</p>\n<p><span data-question="1"></span></p>\n<p>Which?</p>\n<p><span data-question="2"></span></p>\n<p>End.</p>\n',
  );
  expect(quiz).toStartWith(
    '<form class="quiz" method="dialog">\n<fieldset data-question="1">\n<legend>Question 1</legend>\n',
  );
  expect(quiz.match(/(?<=type=)[^]*?(?=<\/label>)|<details.*|^<p>.*/gm)?.map(String)).toEqual([
    "<p>How <strong>hot</strong>?</p>",
    '"radio" name="question-1" value="1"> cold',
    '"radio" name="question-1" value="2"> hot,\nvery <code>hot</code>',
    '<details class="hint"><summary>Hint</summary>Touch it.</details>',
    '<details class="hint"><summary>Hint</summary>Not too long.</details>',
    "<p>Which?</p>",
    '"checkbox" name="question-2" value="1"> green',
    '"checkbox" name="question-2" value="2"> blue',
  ]);
  expect(problems).toEqual([without(8, "1 script of LiaScript")]);
});

test.each([
  "[[x]]\n[[?]] h\n<script>\n'SECRET'\n\n@input\n</script>\n***\nSECRET\n***\n",
  "    [[x]]\n    <script>\n      'SECRET'\n    </script>\n    ***\n    SECRET\n    ***\n",
  "[[x]]\n<script>1</script>\n[[?]] h\n***\nSECRET\n***\n",
  "A [[b]] is\n***\nSECRET\n***\n",
  "- a [[b]]\n- c\n\n***\nSECRET\n***\n",
  "| a |\n|---|\n| [[b]] |\n\n[[?]] h\n***\nSECRET\n***\n",
  "An [[ int[SECRET[0]] ]] and [[[SECRET]]] and [->[ \\]SECRET ]].\n***\nSECRET\n***\n",
])("a solution below a quiz, its script or a text with gaps is withheld: %j", async (text) => {
  const { html, quiz, problems } = await readSection(`${text}\nEnd.\n\n[gone](gone.md)\n`);
  expect(html + quiz).not.toContain("SECRET");
  expect(html).toContain("<p>End.</p>");
  const line = 9 + text.split("\n").length + 2;
  expect(problems.at(-1)).toStartWith(`README.md:${line}: warning: link "gone.md" points to a missing file`);
  const all = await readSection(text, "", "all");
  expect(all.html + all.quiz).toMatch(/<summary>[^]*SECRET/);
});

test("LiaScript quizzes become forms with text, numbers and menus, on their own lines and inline", async () => {
  const { html, quiz } = await readSection(
    "Name it.\n\n[[secret]]\n\n[[ 42 ]]\n\n[[(a)|b\n|c]]\n\nA man [[ who ]] drinks [->[ tea | (coffee) ]] now, not [[a link]](https://x.example).\n",
  );
  expect(html + quiz).not.toMatch(/42|who|secret/);
  expect(inputsOf(quiz)).toEqual([
    '<input type="text" name="question-1" autocomplete="off" aria-label="Answer">',
    '<input type="text" name="question-2" inputmode="decimal" autocomplete="off" aria-label="Answer">',
    '<select name="question-3">',
    '<input type="text" name="question-4" autocomplete="off" aria-label="Answer">',
    '<select name="question-5">',
  ]);
  expect(html).toEndWith(
    '<p>A man <span data-question="4">…</span> drinks <span data-question="5">…</span> now, not <a href="https://x.example">[a link]</a>.</p>\n',
  );
  expect(quiz).toContain("<legend>A man … drinks … now, not <a href=");
});

test("LiaScript quizzes become forms with a matrix, one question per row; surveys have no right answer", async () => {
  const text =
    "- [[yes] (no)]\n- [( ) (X)] Is it red?\n- [[X] [ ]] Is it `green`?\n\n[[___ ___]]\n\n[(1)] often\n[(2)] never\n";
  const { quiz, problems } = await readSection(text, "", "all");
  const legends = ["Is it red?", "Is it <code>green</code>?", "Question 3", "Question 4"];
  expect(quiz.match(/(?<=<legend>).*(?=<\/legend>)/g)?.map(String)).toEqual(legends);
  expect(inputsOf(quiz)).toEqual([
    '<input type="radio" name="question-1" value="1" data-correct="false">',
    '<input type="radio" name="question-1" value="2" data-correct="true">',
    '<input type="checkbox" name="question-2" value="1" data-correct="true">',
    '<input type="checkbox" name="question-2" value="2" data-correct="false">',
    '<textarea name="question-3" rows="6" aria-label="Answer">',
    '<input type="radio" name="question-4" value="1">',
    '<input type="radio" name="question-4" value="2">',
  ]);
  expect(problems).toEqual(["README.md:8: note: has parts that are shown in another form"]);
});

test("LiaScript quizzes become forms also between HTML tags", async () => {
  const { html, quiz } = await readSection(
    '<div title="[[a]]">\nIs *it* [[secret]] &lt; {{1}}b?\n[[X]] right\n[[ ]] wrong\n</div>\n\n<pre>[[c]]</pre>\n',
  );
  expect(html).toBe(
    '<div title="[[a]]">\nIs *it* <span data-question="2">…</span> &lt; b?\n<p><span data-question="1"></span></p>\n</div>\n<pre>[[c]]</pre>\n',
  );
  expect([countForms(quiz), quiz.includes("secret")]).toEqual([2, false]);
});

test("LiaScript quizzes become forms once above another quiz, and a choice in a numbered list does not reveal the right one", async () => {
  const { html, quiz } = await readSection(
    "Fill [[gap1]] in.\n\n[(X)] right\n[( )] wrong [[gap2]]\n\n1. [(X)] listed\n",
  );
  expect(countForms(quiz)).toBe(2);
  expect(html + quiz).not.toMatch(/gap[12]|X\)/);
  expect(html).toContain("<li>○ listed</li>");
});

test("LiaScript quizzes become forms up to 1,000 in a lesson, and skipped ones reveal no answer", async () => {
  const { html, quiz, problems } = await readSection("[[secret]]\n\n".repeat(1002));
  expect(countForms(quiz)).toBe(1000);
  expect(html + quiz).not.toContain("secret");
  expect(problems).toEqual([without(8, "2 quizzes above the limit of 1,000 in a lesson")]);
});

test("LiaScript quizzes become forms up to 1,000, with those of a matrix, and one with too many cells is an error", async () => {
  const toMatrix = (columns: number, rows: number): string =>
    `[${"[a]".repeat(columns)}]\n${"[( ) (X)]\n".repeat(rows)}`;
  const { html, quiz, problems } = await readSection(toMatrix(2, 1002));
  expect([countForms(quiz), html.match(/<span/g)?.length]).toEqual([1000, 1000]);
  expect(problems).toEqual([without(8, "1 quiz above the limit of 1,000 in a lesson")]);
  const large = await readSection(toMatrix(1000, 101));
  expect(large.problems).toContain("README.md:8: error: too large: a LiaScript matrix is limited to 100,000 cells");
});

test("narrator comments and animation braces are removed", async () => {
  const { html, problems } = await readSection(
    "                 --{{0}}--\nSpoken, not\nread.\n\n             {{1-2}}\nShown later.\n\n   {{|>}}\n******\n\nTwo\n\nparagraphs.\n\n******\n\n{{3}} A line, {2}{a part} and {x}.\n\n***\n\nEnd {{4}}{!}\n",
  );
  expect(html).toBe(
    "<p>Shown later.</p>\n<p>Two</p>\n<p>paragraphs.</p>\n<p>A line, a part and {x}.</p>\n<hr>\n<p>End {!}</p>\n",
  );
  expect(problems).toEqual([without(8, "1 comment for a narrator")]);
});

test("the first video is the lesson's; further videos and audio are embedded in place", async () => {
  const { url, html } = await readSection(
    '!?[film](https://www.youtube.com/watch?v=abc)\n\n!?[second](vid/b.mp4)<!-- width="60%" -->\n\n!?[third](https://vimeo.com/1)\n\n?[horse](https://x.example/h.mp3 "Neigh")\n\n![image](https://x.example/i.png) What?[1]\n',
  );
  expect(url).toBe("https://www.youtube.com/watch?v=abc");
  expect(html).toContain('<video controls src="vid/b.mp4" title="second"></video>');
  expect(html).toContain('<a href="https://vimeo.com/1">third</a>');
  expect(html).toContain('<audio controls src="https://x.example/h.mp3" title="horse"></audio>');
  expect(html).toContain('<img src="https://x.example/i.png" alt="image" loading="lazy"> What?[1]');
});

test("macros of the course are expanded; unknown macros and scripts are left out and reported", async () => {
  const { course, html, problems } = await readSection(
    "Now @box(one,`two`) a@b.example @unknown @Py.eval(x) @run(1)\n\n``` js  @Py.eval\ncode(@red(x))\n```\n<script>@input</script>\n\n`@red(x)` @loop\n",
    'comment: All of tea,\n  in short.\n@red: <b style="color:red">@0</b>\n@box\n**@0** and @red(@1)\n@end\n@loop: @loop @loop\n@run: <script>@0</script>\nimport: https://x.example/y.md\n',
  );
  expect(course?.description).toBe("All of tea, in short.");
  expect(html).toStartWith(
    '<p>Now <strong>one</strong> and <b style="color:red">two</b> a@b.example @unknown</p>\n<pre><code class="language-js">code(@red(x))\n</code></pre>\n',
  );
  expect(html).toContain("<code>@red(x)</code>");
  expect(html).not.toContain("<script");
  expect(problems.join("\n")).toContain(
    "without 2 macros @Py.eval of LiaScript, 1 macro @run of LiaScript, 1 script of LiaScript, 1 macro @loop of LiaScript",
  );
});

test("macros have parameters that back-ticks group; script tags may be in capitals", async () => {
  const { html, problems } = await readSection(
    "@two(`f(x)`,`a, b`) @two(it`s, c) @two(,d) @two()\n\n<SCRIPT>judge()</Script >\n",
    "@two: *@0* and @1;\n",
  );
  expect(html).toBe("<p><em>f(x)</em> and a, b; <em>it`s</em> and c; ** and d; ** and ;</p>\n");
  expect(problems).toEqual([without(9, "1 script of LiaScript")]);
});

test("macros of several lines keep the lines of problems", async () => {
  const { problems } = await readSection(
    "@box(a) and @box([b](b.md))\n\n[c](c.md)\n\n@lines [d](d.md)\n[e](e.md) @lines\n\n[f](f.md)\n",
    "@box\n<div>\n\n@0\n\n</div>\n@end\n@lines\none\n@inner\ntwo\n@end\n@inner\nthree\n[in](in.md)\n@end\n",
  );
  const lines = problems.map((problem) => /^README\.md:(\d+): .*?(\w+)\.md/.exec(problem)?.slice(1).join(" "));
  expect(lines.filter(Boolean)).toEqual(["25 b", "27 c", "29 in", "29 d", "30 e", "30 in", "32 f"]);
});

test("macros within too many others, or beyond a limit of a lesson or course, are errors at their lines", async () => {
  const many = Array.from({ length: 30 }, (_, n) => `@m${n}: @m${n + 1} @m${n + 1} @m${n + 1}\n`).join("");
  const deep = "README.md:41: error: too deep: macro @m8 is within 8 other macros, which is the limit";
  expect((await readSection("a\n\nb @m0 c\n", many)).problems).toEqual([deep]);
  const limit = (what: string) => `error: too large: the expanded macros of a ${what} characters`;
  const { problems } = await readSection("@a\n\n@a @a", `@a: ${"x".repeat(900_000)}\n`);
  expect(problems).toEqual([`README.md:12: ${limit("lesson are limited to 1,000,000")}`]);
  const all = await readSection("\n# B\n\n@a\n".repeat(6), `@a: ${"x".repeat(400_000)} @a\n`);
  const beyond = `README.md:29: ${limit("course are limited to 4,000,000")}`;
  expect(all.problems.filter((problem) => problem.includes("error"))).toEqual([beyond]);
});
