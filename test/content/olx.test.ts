import { describe, expect, test } from "bun:test";
import type { Answers } from "../../src/content/quiz/answers.ts";
import { runCommand } from "../support/command.ts";
import { outlinesOf, readFolder, readSample, writeFolder, type Files } from "../support/written-folder.ts";

/** Reads the export that these files are, but for its notes. */
async function readExport(files: Files, assetBase?: string, answers: Answers = "self-check") {
  const { problems, found, ...rest } = await readFolder(writeFolder(files), assetBase, { answers });
  return { problems: problems.filter((problem) => !problem.includes(": note: ")), course: found[0]?.course, ...rest };
}

/** A course with one unit that holds these blocks. */
const unitOf = (blocks: string, more: Files = {}): Files => ({
  "course.xml": `<course url_name="r" org="O" course="C"/>`,
  "course/r.xml": `<course display_name="Tea"><chapter url_name="c"/></course>`,
  "chapter/c.xml": `<chapter display_name="Basics"><sequential url_name="s"/></chapter>`,
  "sequential/s.xml": `<sequential display_name="Water"><vertical url_name="u"/></sequential>`,
  "vertical/u.xml": `<vertical display_name="Hot">${blocks}</vertical>`,
  ...more,
});
const readUnit = async (blocks: string, more: Files = {}, answers?: Answers) => {
  const { lessons, ...rest } = await readExport(unitOf(blocks, more), undefined, answers);
  return { lesson: lessons[0], ...rest };
};

/** What Studio writes, in small; `golden.txt` beside it has its texts. */
const EXPORT = readSample("olx");

describe("an Open edX export", () => {
  test("is ordered by its parent elements; its policy sets name, image and start", async () => {
    const { course, problems, statement } = await readExport(EXPORT, "https://a.example/");
    expect(problems).toEqual([]);
    expect(course).toMatchObject({
      name: "All about tea",
      createdAt: "2026-02-01T09:00:00.000Z",
      language: "pt-BR",
      description: "Leaves & water. More.",
      thumbnail: "https://a.example/static/Tea%20pot.png",
    });
    const chapters = course?.chapters.map(({ id, lessons }) => [id, ...lessons.map((lesson) => lesson.id)].join(" "));
    expect(chapters).toEqual(["c2 u4", "c1 u1 u2 u3"]);
    expect(course?.chapters[1]?.lessons[0]?.sourcePath).toBe("vertical/u1.xml");
    expect(statement).toBe(
      "kept: 1 problem as a quiz, 1 video; not shown: 2 parts that Open edX hides, 1 discussion, 1 page beside the course",
    );
    expect(JSON.stringify(course)).not.toMatch(/SECRET|correct/);
    expect((await readExport(EXPORT)).problems).toContain(
      "course/2026_T1.xml:1: warning: the course image, static/Tea pot.png, is left out: set --public-url or --asset-base",
    );
  });

  test("has links to its files and lessons, also in styles; links to other blocks are warnings", async () => {
    const links = [
      ["/course/jump_to_id/u3", "vertical/u3.xml"],
      ["/courses/course-v1:TeaX+T1+2026_T1/courseware/c1/s1/2/?block=x", "vertical/u2.xml?block=x"],
      ["/course/courseware/c1/s2/", "vertical/u3.xml"],
      ["/course/courseware/c1", "vertical/u1.xml"],
      ["/course/courseware/gone/gone/", "#"],
      ["/jump_to/+block@+block@%0Ax", "#"],
    ];
    const style = "background:url(/static/a.png) url('/asset-v1:O+C+R+type@asset+block@a.png')";
    const text = `<p style="${style}">x</p>${links.map(([link]) => `<a href="${link}">x</a>`).join("\n")}`;
    const { course, problems } = await readExport({ ...EXPORT, "html/h3.html": text, "static/a.png": "x" });
    const html = course?.chapters[1]?.lessons[2]?.additionalText ?? "";
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href)).toEqual(links.map(([, to = ""]) => to));
    expect(html).toStartWith(`<p style="background:url(static/a.png) url(&#39;static/a.png&#39;)">x</p>`);
    const fault = 'html/h3.html: warning: link "/course/courseware/gone/gone/" points to a block outside all lessons';
    expect(problems).toContain(fault);
  });

  test("may be a single file, without names and with older elements, as older and handwritten exports are", async () => {
    const { course, lessons, problems, statement } = await readExport({
      "course.xml": `<?xml version="1.0"?>
<course name="Tea" org="O" course="C" url_name="r"><chapter url_name="first_steps">
<section url_name="s"><vertical url_name="hot_water"><html url_name="a"><p>Text &amp; <b>more</b><br/></p></html></vertical>
<sequential url_name="0123456789abcdef0123456789abcdef"><html url_name="b">B</html></sequential></section></chapter>
<chapter name="Two"><sequential display_name="S"><vertical display_name="U"><html>C</html></vertical>
<html url_name="loose" display_name="Loose"><![CDATA[<p>Raw &amp; <img src="/static/a.png"></p>]]></html></sequential></chapter></course>`,
      "static/a.png": "x",
    });
    expect(problems.filter((line) => !line.includes("relative"))).toEqual([]);
    expect([course?.name, statement]).toEqual(["Tea", undefined]);
    expect(course && outlinesOf([course])).toBe("first steps > hot water, Untitled; Two > S: U, S: Loose");
    expect(lessons.map(({ additionalText }) => additionalText)).toEqual([
      "<p>Text &amp; <b>more</b><br></p>",
      "B",
      "C",
      `<p>Raw &amp; <img src="static/a.png"></p>`,
    ]);
  });

  test("has no lesson with a file of its own, as lectern outline says", async () => {
    const { exitCode, stderr } = await runCommand(["outline", "."], { cwd: writeFolder(EXPORT) });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("Each lesson in . consists of several files.")]);
  });
});

test("stores only files of static/, whatever a text links to", async () => {
  const html = `<img src="/static/a.png"><a href="problem/p.xml">1</a><a href="/policies/r/policy.json">2</a>
<a href="../vertical/u.xml">3</a><a href="/static/../problem/p.xml">4</a><a href="/jump_to_id/u">5</a>`;
  const video = `<video url_name="v" html5_sources="[&quot;problem/p.xml&quot;]"/>`;
  const root = writeFolder({
    ...unitOf(`<html url_name="h"/><problem url_name="p"/>${video}`),
    "html/h.html": html,
    "problem/p.xml": "<problem><p>secret</p></problem>",
    "policies/r/policy.json": "{}",
    "static/a.png": "x",
  });
  const { stderr } = await runCommand(["check", ".", "--public-url", "https://catalog.example"], { cwd: root });
  expect(stderr).toContain("An import would store 1 linked file (1 byte).");
});

describe("Open edX problems become forms that do not reveal answers", () => {
  const problem = (inner: string) => `<problem url_name="p" display_name="A title">${inner}</problem>`;
  const CHOICES = problem(`<multiplechoiceresponse>
  <p>It is <em>green</em>.</p>
  <label>Which <b>leaf</b>?</label>
  <description>Only one.</description>
  <choicegroup type="MultipleChoice" shuffle="true">
    <choice correct="true" name="right"><text>Green &lt;1&gt;</text><choicehint label="Yes">Well done.</choicehint></choice>
    <choice correct="false" explanation-id="x">Blue</choice>
  </choicegroup>
  <solution><div class="detailed-solution"><p>Explanation</p><p>It grows.</p></div></solution>
</multiplechoiceresponse>
<demandhint><hint>Look outside.</hint><hint>Again.</hint></demandhint>`);

  test("for a choice, with its prompt and demand hints; --answers all reveals answers and explanations", async () => {
    const { lesson, problems } = await readUnit(CHOICES);
    expect(problems).toEqual([]);
    const hint = (text: string) => `<details class="hint"><summary>Hint</summary>${text}</details>`;
    expect(lesson?.quizHtml.replace(/\n */g, "").replace(/<div class="choice">.*<\/div>/, "")).toBe(
      `<form class="quiz" method="dialog"><fieldset data-question="1"><legend>Which <b>leaf</b>?</legend><p>It is <em>green</em>.</p>` +
        `<p>Only one.</p>${hint("Look outside.")}${hint("Again.")}</fieldset></form>`,
    );
    const open = (await readUnit(CHOICES, {}, "all")).lesson?.quizHtml;
    expect(open).toMatch(
      /value="1" data-correct="true"> Green.*\n<details><summary>Explanation<\/summary>Well done\.<\/details>[^]*value="2" data-correct="false"> Blue[^]*<p>It grows\.<\/p>/,
    );
  });

  /** All that tells an answer begins with oolong. */
  const QUESTIONS = `
<choiceresponse><label>Which?</label><checkboxgroup><choice correct="true">A<choicehint selected="true">oolong-1</choicehint></choice><choice correct="false">B</choice><compoundhint value="A">oolong-2</compoundhint></checkboxgroup></choiceresponse>
<optionresponse><optioninput><option correct="False">Sydney</option><option correct="True">Canberra<optionhint>oolong</optionhint></option></optioninput></optionresponse>
<optionresponse><optioninput label="Which &lt;one&gt;?" options="('it\\'s red',&quot;blue&quot;)" correct="blue"/></optionresponse>
<numericalresponse answer="424242"><label>How hot?</label><responseparam type="tolerance" default="5%"/><formulaequationinput/><correcthint>oolong</correcthint></numericalresponse>
<stringresponse answer="oolong-a" type="ci"><additional_answer answer="oolong-b"/><stringequalhint answer="oolong-c">oolong-d</stringequalhint><label>Said?</label><textline size="20"/></stringresponse>
<startouttext/>Which <b>leaf</b>?<endouttext/><choiceresponse><radiogroup><choice correct="true"><text>D</text></choice><choice correct="false"><startouttext/>E<endouttext/></choice></radiogroup></choiceresponse>
<optionresponse><p>Leaves are <optioninput options="('red')" correct="red"/> and roots <optioninput options="('brown')" correct="brown"/> mostly.</p></optionresponse><numericalresponse answer="424242"><formulaequationinput trailing_text="°C"/></numericalresponse>
<div class="frame"><p>One:</p><stringresponse answer="oolong-1"><textline/></stringresponse><p>Two:</p><stringresponse answer="oolong-2"><textline/></stringresponse><p>End.</p></div>
<formularesponse answer="oolong"><p>An area.</p><formulaequationinput/></formularesponse><stringresponse answer="oolong"><label>Mixed?</label><textline/></stringresponse>`;
  const SHOWN = [
    `<legend>Which?</legend>\n<div class="choice"><label><input type="checkbox" name="question-1" value="1"> A</label></div>`,
    `<select name="question-1">\n<option value=""></option>\n<option value="1">Sydney</option>\n<option value="2">Canberra</option>\n</select>`,
    `<legend>Which &lt;one&gt;?</legend>\n<select name="question-1">\n<option value=""></option>\n<option value="1">it's red</option>`,
    `<legend>How hot?</legend>\n<input type="text" name="question-1" inputmode="decimal" autocomplete="off" aria-label="Answer">\n</fieldset>`,
    `<legend>Said?</legend>\n<input type="text" name="question-1" autocomplete="off" aria-label="Answer">\n</fieldset>`,
    `Which <b>leaf</b>?\n<div class="choice"><label><input type="radio" name="question-1" value="1"> D</label></div>\n<div class="choice"><label><input type="radio" name="question-1" value="2"> E</label></div>`,
    `and roots\n<select name="question-2">\n<option value=""></option>\n<option value="1">brown</option>\n</select>\n</fieldset>
<fieldset data-question="3">\n<legend>Question 3</legend>\nmostly.
<input type="text" name="question-3" inputmode="decimal" autocomplete="off" aria-label="Answer">\n°C\n`,
    `<p>Two:</p>\n<input type="text" name="question-2" autocomplete="off" aria-label="Answer">\n<p>End.</p>`,
    `<legend>Mixed?</legend>\n<p>An area.</p>\n<p class="unavailable"><strong>A title</strong><br>available in Open edX</p>\n<input`,
  ];
  test("of every kind, in the current and the old syntax, where they stand", async () => {
    for (const [index, inner] of QUESTIONS.trim().split("\n").entries()) {
      const { lesson, problems } = await readUnit(problem(inner));
      expect(problems).toEqual([]);
      expect(lesson?.quizHtml).toContain(SHOWN[index] ?? "?");
      expect(lesson?.quizHtml).not.toMatch(/oolong|424242|correct|tolerance|outtext|hint/);
      const open = await readUnit(problem(inner), {}, "all");
      expect(open.lesson?.quizHtml).toMatch(/data-(?:correct|answers)=/);
    }
  });

  test("without answers that cannot be typed or that a program makes, and without wrong ones", async () => {
    const { lesson } = await readUnit(
      problem(`<numericalresponse answer="[5,7)"><textline/></numericalresponse>
<stringresponse answer="^te+a$" type="ci regexp"><textline/></stringresponse>
<numericalresponse answer="98.5"><responseparam type="tolerance" default="2 %"/><textline/></numericalresponse>
<stringresponse answer="tea"><stringequalhint answer="rose">No.</stringequalhint><textline/></stringresponse>`) +
        `<problem><script>y = 3</script><numericalresponse answer="$y"><label>How many?</label><textline/></numericalresponse></problem>`,
      {},
      "all",
    );
    expect(lesson?.quizHtml.match(/data-answers=[^>]*/g)).toEqual([
      `data-answers="[&quot;98.5&quot;]" data-tolerance="2%"`,
      `data-answers="[&quot;tea&quot;]"`,
    ]);
    expect(lesson?.quizHtml).toMatch(/<p><code>\[5,7\)<\/code><\/p>[^]*<code>\^te\+a\$<\/code>[^]*How many\?/);
  });

  test("unless they ask nothing that a form can: then the author's words are shown, and the rest is counted", async () => {
    const { lesson, statement } = await readUnit(
      [
        `<stringresponse answer="secret"><label>Which <b>leaf</b>?</label><textbox/></stringresponse>`,
        `<customresponse cfn="f" expect="secret"><textline correct_answer="secret"/></customresponse><script>secret</script>`,
        `<p>Look.</p><imageresponse><p>Click <em>it</em>.</p><imageinput src="/static/leaf.png" rectangle="(1,secret)"/></imageresponse><p>Thanks.</p><solution>secret</solution>`,
        `<formularesponse answer="secret"><label>Area?</label><formulaequationinput/></formularesponse><label>Volume?</label><formulaequationinput/>
<formularesponse answer="secret"><formulaequationinput/></formularesponse><coderesponse><p>Write.</p><codeparam><answer_display>secret</answer_display></codeparam></coderesponse>`,
        `<choicetextresponse><radiotextgroup><choice correct="secret">I rolled <numtolerance_input answer="secret"/> times.<choicehint>secret</choicehint></choice><choice correct="false">Never.</choice></radiotextgroup></choicetextresponse>`,
        `<script type="loncapa/python">secret = 3</script><numericalresponse answer="$y"><label>What is $x?</label><textline/></numericalresponse>`,
        `<p>Read this.</p><solution>secret</solution>`,
      ]
        .map(problem)
        .join(""),
      { "static/leaf.png": "x" },
    );
    const text = lesson?.additionalText.replaceAll("available in Open edX", "–").replace(/<(?!img)[^>]*>/g, " ");
    expect([lesson?.quizHtml, text?.trim().split(/\s+/).join(" ")]).toEqual([
      "",
      'Which leaf ? – A title – Look. Click it . <img src="static/leaf.png" alt=""> A title – Thanks. Area? – Volume? – ' +
        "Write. – I rolled times. Never. A title – A title – Read this.",
    ]);
    expect(statement).toBe(
      "not shown: 2 formula responses, 1 choicetext response, 1 code response, 1 custom response, 1 image response, 1 problem with a program, 1 string response",
    );
  });
});

describe("other blocks in a unit", () => {
  test("are named in place and counted by kind", async () => {
    const { lesson, statement } = await readUnit(
      `<html url_name="a"><p>Before.</p></html>
<drag-and-drop-v2 url_name="d" display_name="Sort &lt;them&gt;" data="{&quot;secret&quot;: 1}"/>
<lti_consumer url_name="l" launch_url="https://secret.example"/>
<lti url_name="l2" display_name="Tool"/>
<openassessment url_name="o"><title>Essay</title></openassessment>
<openassessment url_name="o2"/><survey url_name="s" block_name="Your week"/>
<html url_name="b"><p>After.</p></html>`,
    );
    const names = ["Sort &lt;them&gt;", "LTI", "Tool", "Essay", "open response assessment", "Your week"];
    const named = names.map((name) => `<p class="unavailable"><strong>${name}</strong><br>available in Open edX</p>\n`);
    expect(lesson?.additionalText).toBe(`<p>Before.</p>\n${named.join("")}<p>After.</p>`);
    expect(statement).toBe("not shown: 2 LTI, 2 open response assessments, 1 drag-and-drop, 1 survey");
  });

  test("can be videos: the first is the lesson's, others get players in place", async () => {
    const { lesson } = await readUnit(
      `<video url_name="v1" display_name="One" html5_sources="[&quot;https://v.example/a.m3u8&quot;, &quot;https://v.example/a.mp4&quot;]"/>
<html url_name="h"><p>Then:</p></html>
<video url_name="v2" display_name="&quot;Two&quot;" youtube="0.75:no,1.00:yes"/>
<video url_name="v3" display_name="Three"><source src="/static/three.mp4"/></video>
<video url_name="v4" display_name="Four" edx_video_id="12-34"/>
<video url_name="v5" display_name="Five" youtube="" youtube_id_1_0=""><video_asset><encoded_video profile="hls" url="https://v.example/a.m3u8"/><encoded_video profile="youtube" url="five"/></video_asset></video>`,
      { "static/three.mp4": "x" },
    );
    expect(lesson?.url).toBe("https://v.example/a.mp4");
    const frame = ` loading="lazy" allowfullscreen referrerpolicy="strict-origin-when-cross-origin"></iframe>`;
    expect(lesson?.additionalText.split(/\n+/)).toEqual([
      "<p>Then:</p>",
      `<iframe src="https://www.youtube-nocookie.com/embed/yes" title="&quot;Two&quot;"${frame}`,
      `<video src="static/three.mp4" title="Three" controls preload="metadata"></video>`,
      `<p class="unavailable"><strong>Four</strong><br>available in Open edX</p>`,
      `<iframe src="https://www.youtube-nocookie.com/embed/five" title="Five"${frame}`,
      "",
    ]);
  });

  test("have their formulas marked, except in code", async () => {
    const { lesson } = await readUnit(
      `<html url_name="h"><![CDATA[<p>\\(x &lt; 2\\) [mathjaxinline]a_b[/mathjaxinline] \\[a<br>y\\] [mathjax]z[/mathjax] <code>\\(c\\)</code> \\(d<b>e</b>\\) \\(open</p>]]></html>
<problem url_name="p"><optionresponse><label>\\(q\\)?</label><optioninput><option correct="True">\\(o\\)</option></optioninput></optionresponse></problem>`,
    );
    const inline = (text: string) => `<span class="math inline">${text}</span>`;
    const display = (text: string) => inline(text).replace("inline", "display");
    expect(lesson?.additionalText).toBe(
      `<p>${inline("x &lt; 2")} ${inline("a_b")} ${display("a\ny")} ${display("z")} <code>\\(c\\)</code> \\(d<b>e</b>\\) \\(open</p>`,
    );
    expect(lesson?.quizHtml).toContain(`<legend>${inline("q")}?</legend>`);
    expect(lesson?.quizHtml).toContain(`>\\(o\\)</option>`);
  });

  test("for some groups only are left out; nested units are shown where they are named", async () => {
    const { lesson, statement } = await readUnit(
      `<html url_name="a" group_access="{&quot;5&quot;: [1]}"><p>secret-1</p></html>
<html url_name="b" group_access="{&quot;5&quot;: []}"><p>All.</p></html>
<html url_name="c" group_access="broken"><p>secret-2</p></html>
<vertical url_name="v"><html url_name="d"><p>Inner.</p></html></vertical>`,
    );
    expect(lesson?.additionalText).toBe("<p>All.</p>\n<p>Inner.</p>");
    expect(statement).toBe("not shown: 2 parts that Open edX hides");
  });
});

test("with a later release date are left out, with a warning that names the date; the course's own start hides nothing", async () => {
  const later = `start="&quot;9999-02-01T09:00:00Z&quot;"`;
  const files = unitOf(`<html url_name="h"><p>Now.</p></html><html url_name="g" ${later}>secret</html>`, {
    "course/r.xml": `<course display_name="Tea" start="9999-01-01T00:00:00Z"><chapter url_name="c"/><chapter url_name="d"/></course>`,
    "chapter/c.xml": `<chapter display_name="Basics" start="2030-01-01T00:00:00Z"><sequential url_name="s"/></chapter>`,
    "chapter/d.xml": `<chapter display_name="Exam" start="9999-03-01T00:00"><sequential url_name="gone"/></chapter>`,
    "sequential/s.xml": `<sequential display_name="Water" start="2001-01-01T00:00:00Z"><vertical url_name="u"/><vertical url_name="v" ${later}>secret</vertical></sequential>`,
  });
  const { course, problems, statement } = await readExport(files);
  expect(course && outlinesOf([course])).toBe("Basics > Hot");
  expect(JSON.stringify(course)).not.toContain("secret");
  expect(problems).toEqual([
    "chapter/d.xml:1: warning: this <chapter> is left out until 9999-03-01T00:00:00.000Z, when Open edX releases it; import the course again then",
    expect.stringContaining("sequential/s.xml:1: warning: this <vertical> is left out until 9999-02-01T09:00:00.000Z"),
  ]);
  expect(statement).toBe("not shown: 3 parts that Open edX releases later");
  const selfPaced = await readExport({
    ...files,
    "chapter/d.xml": `<chapter display_name="Exam" ${later}/>`,
    "policies/r/policy.json": JSON.stringify({ "course/r": { self_paced: true } }),
  });
  expect([selfPaced.course?.chapters.length, selfPaced.statement]).toEqual([2, undefined]);
});

test("leaves out ignored blocks and texts of a unit, with warnings, and keeps the others", async () => {
  const { lesson, problems } = await readUnit(
    `<html>One.</html><problem url_name="a"/><html url_name="b"/><html url_name="c"/><html>Two.</html>`,
    {
      ".lecternignore": "a.xml\nb.html\nc.html\n",
      "problem/a.xml": "<problem>secret</problem>",
      "html/b.xml": `<html filename="b"/>`,
      "html/b.html": "secret",
      "html/c.html": "secret",
    },
  );
  expect(lesson?.additionalText).toBe("One.\nTwo.");
  expect(problems).toEqual([
    'vertical/u.xml:1: warning: refers to <problem> "a", but there is no file problem/a.xml',
    "html/b.xml:1: warning: refers to text b, but there is no file html/b.html",
    'vertical/u.xml:1: warning: refers to <html> "c", but there is no file html/c.xml',
  ]);
});

describe("an invalid export", () => {
  const page = (text: string | Uint8Array, more: Files = {}): Files => ({ "html/gone.xml": text, ...more });
  const AT = "html/gone.xml";
  test.each<[what: string, files: Files, problem: string]>([
    ["not XML", page("Text."), `${AT}: error: the file contains no XML element`],
    ["bytes that are not UTF-8", page(Uint8Array.of(0x3c, 0xff, 0xfe)), `${AT}: error: is not valid utf-8; save`],
    ["an unknown encoding", page(`<?xml version="1.0" encoding="klingon"?><a/>`), `${AT}: error: the encoding klingon`],
    ["elements in elements", page("<a>".repeat(5000)), `${AT}:1: error: elements are nested more than 200 levels deep`],
    [
      "a unit that contains itself",
      page("<html/>", { "vertical/u.xml": `<vertical><vertical url_name="u"/></vertical>` }),
      `vertical/u.xml:1: error: refers to <vertical> "u" again and is skipped: the limit is one reference`,
    ],
  ])("with %s is an error at its location", async (_, files, problem) => {
    const { course, problems } = await readExport(unitOf(`<html url_name="gone"/>`, files));
    expect(problems[0]).toStartWith(problem);
    expect(course).toBeUndefined();
  });

  test("with too many inputs in a response, each of which would repeat all answers, does not show that response", async () => {
    const fields = (count: number): string =>
      `<problem><stringresponse answer="a">${`<textline/><additional_answer answer="a"/>`.repeat(count)}</stringresponse></problem>`;
    const { lesson, statement } = await readUnit(fields(21), {}, "all");
    expect(lesson).toMatchObject({ quizHtml: "", additionalText: expect.stringContaining("available in Open edX") });
    expect(statement).toBe("not shown: 1 string response");
    expect((await readUnit(fields(2))).statement).toStartWith("kept: 1 problem as a quiz");
  });

  test("with declared entities keeps them as text and fetches nothing", async () => {
    const bomb = `<!DOCTYPE html [<!ENTITY a "aa"><!ENTITY b "&a;&a;"><!ENTITY file SYSTEM "file:///etc/passwd">]>
<html display_name="X"><p>&b; &file; &lt;&#65;&#x42;&amp;</p></html>`;
    const { lesson, problems } = await readUnit(`<html url_name="h"/>`, { "html/h.xml": bomb });
    expect(problems).toEqual([]);
    expect(lesson?.additionalText).toBe("<p>&amp;b; &amp;file; &lt;AB&amp;</p>");
  });

  test("in UTF-16 is read, of both byte orders, with and without a byte order mark", async () => {
    const { lesson, problems } = await readUnit(`<html url_name="h"/>`, {
      "course.xml": Buffer.from(`\uFEFF<?xml version="1.0"?><course url_name="r"/>`, "utf16le").swap16(),
      "course/r.xml": Buffer.from(`<course display_name="Tea"><chapter url_name="c"/></course>`, "utf16le"),
      "html/h.xml": Buffer.from(`<html><p>Grün 緑</p></html>`, "utf16le").swap16(),
    });
    expect([lesson?.additionalText, problems]).toEqual(["<p>Grün 緑</p>", []]);
  });
});
