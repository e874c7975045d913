import { expect, test } from "bun:test";
import { outlinesOf, problemsOf, read, readOnly } from "../support/written-folder.ts";

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
  "<section>\n## No\n\nx\n\n## No\n\n</section>",
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
