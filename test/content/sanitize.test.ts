// `--sanitize`: what stays of untrusted authors' HTML.
import { expect, test } from "bun:test";
import { renderQuizForm, type QuizQuestion } from "../../src/content/quiz/quiz-form.ts";
import { runCommand } from "../support/command.ts";
import { readFolder, testTexts, writeFolder, type Files } from "../support/written-folder.ts";

const sanitize = (files: Files, assetBase?: string) => readFolder(writeFolder(files), assetBase, { sanitizes: true });

test("sanitized HTML has no scripts, and a warning names the removals", async () => {
  const html = `<p onclick="x" style="a:b">A &amp; b</p><script>1</script><svg><a href="x">c</a></svg><blink>d</blink>`;
  const { lessons, problems } = await sanitize({ "01-part/1.html": html });
  expect(lessons[0]?.additionalText).toBe("<p>A &amp; b</p>d");
  expect(problems).toContain(
    "01-part/1.html:1: warning: additionalText: --sanitize leaves out onclick of <p>, style of <p>, <script>, <svg>, <a> and 2 more",
  );
  expect(problems.join("\n")).not.toContain("runs");
});

test("sanitized HTML has empty frames", async () => {
  const html = `<iframe src="https://a.example/"><p>b</p></iframe>c`;
  const { lessons } = await sanitize({ "01-part/1.html": html });
  expect(lessons[0]?.additionalText).toBe(html.replace("<p>b</p>", ""));
});

test("HTML is refused if it cannot be sanitized, because the end of a frame hides styles", async () => {
  const html = "<iframe><textarea></iframe><style>p { display: none }</style></textarea></iframe>";
  const { lessons, problems } = await sanitize({ "01-part/1.html": html });
  expect(lessons).toEqual([]);
  expect(problems.join()).toContain("01-part/1.html:1: error: the HTML cannot be sanitized: ");
});

/** What is left out of a lesson in NDJSON. */
async function leftOut(lesson: object): Promise<(string | undefined)[]> {
  const chapters = [{ name: "C", lessons: [{ name: "L", ...lesson }] }];
  const root = writeFolder({ "a.ndjson": JSON.stringify({ name: "A", slug: "a", published: true, chapters }) });
  const { stdout } = await runCommand(["check", `${root}/a.ndjson`, "--sanitize"]);
  return Array.from(stdout.matchAll(/--sanitize leaves out (.*)/g), ([, what]) => what);
}

test("sanitized HTML covers every field, also in NDJSON", async () => {
  const html = { quizHtml: "<b onclick=x>c</b>", additionalText: "<style>a</style>d" };
  expect(await leftOut({ url: "java\tscript:1", ...html })).toEqual(["a javascript: URL", "onclick of <b>", "<style>"]);
});

testTexts("sanitized HTML judges the url of a lesson by its scheme", (url) => leftOut({ url }), {
  "\u0001data:text/html,<script>1</script>": ["a data: URL"],
  "VBScript:1": ["a vbscript: URL"],
  "bl\nob:https://video.example/1": ["a blob: URL"],
  "https://video.example/data:1": [],
  "videos/1:2.mp4": [],
  "mailto:a@video.example": [],
});

test("sanitized HTML keeps quiz forms", async () => {
  const choices = [{ text: "a", isCorrect: true, feedback: "b" }];
  const ask = (input: QuizQuestion["input"]): QuizQuestion => {
    return { legend: "L", above: "", below: "", input, hints: ["h"], solution: "s", condition: "fw === 'pt'" };
  };
  const questions = [
    ask({ kind: "choices", isSingle: true, choices }),
    ask({ kind: "menu", choices }),
    ask({ kind: "text", isNumber: true, answers: ['"1"'], tolerance: "2%" }),
    ask({ kind: "text", isNumber: false, isLong: true, answers: [] }),
  ];
  const form = renderQuizForm(questions, { answers: "all", language: undefined });
  const { lessons, problems } = await sanitize({ "01-part/1.html": form });
  expect(lessons[0]?.additionalText.replaceAll(" />", ">").replaceAll("&#39;", "'")).toBe(form);
  expect(problems).toEqual([]);
});
