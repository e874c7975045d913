import { describe, expect, test } from "bun:test";
import type { Answers } from "../../src/content/quiz/answers.ts";
import { makeTarGz } from "../support/archives.ts";
import { runCommand } from "../support/command.ts";
import { outlinesOf, readFolder, readSample, writeFolder, type Files } from "../support/written-folder.ts";

/** Reads the export that these files are, but for its notes. */
async function readExport(files: Files, options: { assetBase?: string; answers?: Answers } = {}) {
  const { assetBase, answers = "self-check" } = options;
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
const readUnit = async (blocks: string, more: Files = {}, options: Parameters<typeof readExport>[1] = {}) => {
  const { course, ...rest } = await readExport(unitOf(blocks, more), options);
  return { lesson: course?.chapters[0]?.lessons[0], course, ...rest };
};

/** What Studio writes, in small; `golden.txt` beside it has its texts. */
const EXPORT = readSample("olx");

describe("an Open edX export", () => {
  test("is ordered by its parent elements; its policy sets name, image and start", async () => {
    const { course, problems, statement } = await readExport(EXPORT, { assetBase: "https://a.example/" });
    expect(problems).toEqual([]);
    expect(course).toMatchObject({
      name: "All about tea",
      createdAt: "2026-02-01T09:00:00.000Z",
      language: "pt-BR",
      description: "Leaves & water. More.",
      thumbnail: "https://a.example/static/Tea%20pot.png",
    });
    expect(course?.chapters.map(({ id, lessons }) => [id, ...lessons.map((lesson) => lesson.id)])).toEqual([
      ["c2", "u4"],
      ["c1", "u1", "u2", "u3"],
    ]);
    expect(course?.chapters[1]?.lessons[0]?.sourcePath).toBe("vertical/u1.xml");
    expect(statement).toBe(
      "kept: 1 problem as a quiz, 1 video; not shown: 2 parts that Open edX hides, 1 discussion, 1 page beside the course",
    );
    expect(JSON.stringify(course)).not.toMatch(/SECRET|correct/);
  });

  test("also in styles", async () => {
    const { lesson } = await readUnit(
      `<html url_name="h"><![CDATA[<p style="background:url(/static/a.png) url('/asset-v1:O+C+R+type@asset+block@a.png')">x</p>]]></html>`,
      { "static/a.png": "x" },
    );
    expect(lesson?.additionalText).toBe(`<p style="background:url(static/a.png) url(&#39;static/a.png&#39;)">x</p>`);
  });

  test("also if they are relative to the course or lead into its contents", async () => {
    const links = [
      "/course/jump_to_id/u3",
      "/courses/course-v1:TeaX+T1+2026_T1/courseware/c1/s1/2/?activate_block_id=x",
      "/course/courseware/c1/s2/",
      "/course/courseware/c1",
      "/course/courseware/gone/gone/",
    ];
    const text = links.map((link) => `<a href="${link}">x</a>`).join("\n");
    const { course, problems } = await readExport({ ...EXPORT, "html/h3.html": text });
    expect(course?.chapters[1]?.lessons[2]?.additionalText.match(/href="[^"]*"/g)).toEqual([
      'href="vertical/u3.xml"',
      'href="vertical/u2.xml?activate_block_id=x"',
      'href="vertical/u3.xml"',
      'href="vertical/u1.xml"',
      'href="#"',
    ]);
    expect(problems.filter((problem) => problem.includes("outside all lessons"))).toEqual([
      `html/h3.html: warning: link "${links[4]}" points to a block outside all lessons`,
    ]);
  });

  test("without a URL for its files omits the course image, with a warning", async () => {
    const { course, problems } = await readExport(EXPORT);
    expect(course?.thumbnail).toBe("");
    expect(problems).toContain(
      "course/2026_T1.xml:1: warning: the course image, static/Tea pot.png, is left out: set --public-url or --asset-base",
    );
  });

  test("may be a single file, as older exports are", async () => {
    const { course, problems } = await readExport({
      "course.xml": `<?xml version="1.0"?>
<course name="Tea" org="O" course="C" url_name="r">
  <chapter url_name="a" display_name="A">
    <sequential url_name="s" display_name="S">
      <vertical url_name="u" display_name="U"><html url_name="h"><p>Text &amp; <b>more</b><br/></p></html></vertical>
      <html url_name="loose" display_name="Loose"><![CDATA[<p>Raw &amp; <img src="/static/a.png"></p>]]></html>
    </sequential>
  </chapter>
</course>`,
      "static/a.png": "x",
    });
    expect(problems.filter((line) => !line.includes("relative"))).toEqual([]);
    expect(course?.name).toBe("Tea");
    expect(course?.chapters[0]?.lessons.map(({ id, name, additionalText }) => [id, name, additionalText])).toEqual([
      ["u", "S: U", "<p>Text &amp; <b>more</b><br></p>"],
      ["loose", "S: Loose", `<p>Raw &amp; <img src="static/a.png"></p>`],
    ]);
  });

  test("may be written by hand, without names and with older elements", async () => {
    const { course, problems, statement } = await readExport({
      "course.xml": `<course url_name="r" org="O" course="C"/>`,
      "course/r.xml": `<course display_name="Tea"><chapter url_name="first_steps">
<section url_name="s"><vertical url_name="hot_water"><html url_name="a">A</html></vertical>
<sequential url_name="0123456789abcdef0123456789abcdef"><html url_name="b">B</html></sequential></section></chapter>
<chapter name="Two"><sequential><vertical><html>C</html></vertical><vertical><html>D</html></vertical></sequential></chapter></course>`,
    });
    expect([problems, statement]).toEqual([[], undefined]);
    expect(course && outlinesOf([course])).toBe("first steps > hot water, Untitled; Two > Untitled, Untitled");
    const lessons = course?.chapters.flatMap((chapter) => chapter.lessons) ?? [];
    expect(lessons.map(({ additionalText }) => additionalText)).toEqual(["A", "B", "C", "D"]);
  });

  test("packed by Studio is imported with links and answers", async () => {
    const members = Object.entries(EXPORT).map(([path, content]) => ({ path: `course/${path}`, content }));
    const root = writeFolder({ "course.tar.gz": makeTarGz(members) });
    const to = ["--project", "tea", "--database", `sqlite:${root}/x.db`];
    const run = (...args: string[]) => runCommand([...args, ...to], { cwd: root });
    const first = await run("import", "course.tar.gz");
    expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("1 course, 4 lessons") });
    expect(first.stderr).toContain("not shown: 2 parts that Open edX hides, 1 discussion, 1 page beside the course");
    expect((await run("import", "course.tar.gz")).stdout).toStartWith("Nothing changed");
    const lesson = ["get", "/api/v1/courses/all-about-tea/lessons/u1"];
    expect((await run(...lesson)).stdout).toContain(String.raw`href=\"vertical/u3.xml#hot\"`);
    const url = "https://site.example/{lessonId}{fragment}";
    expect((await run("import", "course.tar.gz", "--lesson-url", url)).stderr).not.toContain(`"vertical/`);
    const { stdout } = await run(...lesson);
    expect(stdout).toContain(String.raw`data-lesson-id=\"u3\" href=\"https://site.example/u3#hot\">water</a>`);
    expect((await run("import", "course.tar.gz", "--answers", "all", "--dry-run")).stdout).toContain("quizHtml");
  });
});

test("stores only files of static/, whatever a text links to", async () => {
  const html = `<img src="/static/a.png"><a href="problem/p.xml">1</a><a href="/policies/r/policy.json">2</a>
<a href="../vertical/u.xml">3</a><a href="/static/../problem/p.xml">4</a><a href="/jump_to_id/u">5</a>`;
  const root = writeFolder(
    unitOf(
      `<html url_name="h"/><problem url_name="p"/><video url_name="v" html5_sources="[&quot;problem/p.xml&quot;]"/>`,
      {
        "html/h.html": html,
        "problem/p.xml": "<problem><p>secret</p></problem>",
        "policies/r/policy.json": "{}",
        "static/a.png": "x",
      },
    ),
  );
  const args = ["check", ".", "--public-url", "https://catalog.example"];
  const { stderr } = await runCommand(args, { cwd: root });
  expect(stderr).toContain("An import would store 1 linked file (1 byte).");
});

test("has no lesson files of its own, as lectern outline says", async () => {
  const { exitCode, stderr, stdout } = await runCommand(["outline", "."], { cwd: writeFolder(EXPORT) });
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("Each lesson in . consists of several files.");
});

describe("Open edX problems become forms that do not reveal answers", () => {
  const problem = (inner: string, title = "A title") =>
    `<problem url_name="p" display_name="${title}">${inner}</problem>`;
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

  test("for a choice, with its prompt and demand hints", async () => {
    const { lesson, problems } = await readUnit(CHOICES);
    expect(problems).toEqual([]);
    expect(lesson?.quizHtml).toBe(`<form class="quiz" method="dialog">
<fieldset data-question="1">
<legend>Which <b>leaf</b>?</legend>
<p>It is <em>green</em>.</p>
  
  <p>Only one.</p>
<div class="choice"><label><input type="radio" name="question-1" value="1"> Green &lt;1&gt;</label></div>
<div class="choice"><label><input type="radio" name="question-1" value="2"> Blue</label></div>
<details class="hint"><summary>Hint</summary>Look outside.</details>
<details class="hint"><summary>Hint</summary>Again.</details>
</fieldset>
</form>
`);
  });

  test("but with --answers all reveal answers and explanations", async () => {
    const { lesson } = await readUnit(CHOICES, {}, { answers: "all" });
    expect(lesson?.quizHtml).toContain(
      `<label><input type="radio" name="question-1" value="1" data-correct="true"> Green &lt;1&gt;</label>
<details><summary>Explanation</summary>Well done.</details></div>`,
    );
    expect(lesson?.quizHtml).toContain(`value="2" data-correct="false"> Blue</label></div>`);
    expect(lesson?.quizHtml).toContain("<p>It grows.</p>");
  });

  const asked: Record<string, [inner: string, html: string, telling: RegExp]> = {
    "several choices": [
      `<choiceresponse><label>Which?</label><checkboxgroup><choice correct="true">A<choicehint selected="true">yes-a</choicehint></choice><choice correct="false">B</choice><compoundhint value="A">both-a</compoundhint></checkboxgroup></choiceresponse>`,
      `<div class="choice"><label><input type="checkbox" name="question-1" value="1"> A</label></div>`,
      /yes-a|both-a|true/,
    ],
    "a menu in the current list syntax": [
      `<optionresponse><optioninput><option correct="False">Sydney</option><option correct="True">Canberra<optionhint>told</optionhint></option></optioninput></optionresponse>`,
      `<select name="question-1">\n<option value=""></option>\n<option value="1">Sydney</option>\n<option value="2">Canberra</option>\n</select>`,
      /True|told/,
    ],
    "a menu in the old list syntax": [
      `<optionresponse><optioninput label="Which &lt;one&gt;?" options="('it\\'s red',&quot;blue&quot;)" correct="blue"/></optionresponse>`,
      `<legend>Which &lt;one&gt;?</legend>\n<select name="question-1">\n<option value=""></option>\n<option value="1">it's red</option>\n<option value="2">blue</option>\n</select>`,
      /correct/,
    ],
    "a choice with a repeated prompt": [
      `<p>Which  leaf?</p><multiplechoiceresponse><choicegroup label="Which leaf?"><choice correct="true">A</choice></choicegroup></multiplechoiceresponse>`,
      `<legend>Which leaf?</legend>\n<div class="choice">`,
      /true/,
    ],
    "a number": [
      `<numericalresponse answer="424242"><label>How hot?</label><responseparam type="tolerance" default="5%"/><formulaequationinput/><correcthint>so-hot</correcthint></numericalresponse>`,
      `<input type="text" name="question-1" inputmode="decimal" autocomplete="off" aria-label="Answer">`,
      /424242|tolerance|so-hot/,
    ],
    "a text": [
      `<stringresponse answer="oolong-a" type="ci"><additional_answer answer="oolong-b"/><stringequalhint answer="oolong-c">near</stringequalhint><label>Which?</label><textline size="20"/></stringresponse>`,
      `<input type="text" name="question-1" autocomplete="off" aria-label="Answer">`,
      /oolong|near/,
    ],
    "a text with hints in the old syntax": [
      `<stringresponse answer="oolong-a"><label>Which?</label><textline/><hintgroup><stringhint answer="oolong-b" name="n"/><hintpart on="n"><startouttext/>near<endouttext/></hintpart></hintgroup></stringresponse>`,
      `<legend>Which?</legend>\n<input type="text" name="question-1" autocomplete="off" aria-label="Answer">\n</fieldset>`,
      /oolong|near|hint/,
    ],
    "texts and choices in the old syntax": [
      `<startouttext/>Which <b>leaf</b>?<endouttext/><choiceresponse><radiogroup><choice correct="true"><text>A</text></choice><choice correct="false"><startouttext/>B<endouttext/></choice></radiogroup></choiceresponse>`,
      `Which <b>leaf</b>?\n<div class="choice"><label><input type="radio" name="question-1" value="1"> A</label></div>\n<div class="choice"><label><input type="radio" name="question-1" value="2"> B</label></div>`,
      /outtext|true/,
    ],
    "inputs within a sentence, where they stand, and units behind them": [
      `<optionresponse><p>Leaves are <optioninput options="('red')" correct="red"/> and roots <optioninput options="('brown')" correct="brown"/> mostly.</p></optionresponse><numericalresponse answer="1"><formulaequationinput trailing_text="°C"/></numericalresponse>`,
      `</select>
</fieldset>
<fieldset data-question="2">
<legend>Question 2</legend>
and roots
<select name="question-2">
<option value=""></option>
<option value="1">brown</option>
</select>
</fieldset>
<fieldset data-question="3">
<legend>Question 3</legend>
mostly.
<input type="text" name="question-3" inputmode="decimal" autocomplete="off" aria-label="Answer">
°C
`,
      /correct/,
    ],
    "several in one problem, in a frame of their own": [
      `<div class="frame"><p>One:</p><stringresponse answer="xyz-1"><textline/></stringresponse><p>Two:</p><stringresponse answer="xyz-2"><textline/></stringresponse><p>End.</p></div>`,
      `<p>Two:</p>\n<input type="text" name="question-2" autocomplete="off" aria-label="Answer">\n<p>End.</p>`,
      /xyz/,
    ],
  };
  test.each(Object.entries(asked))("%s", async (_, [inner, html, telling]) => {
    const { lesson, problems } = await readUnit(problem(inner));
    expect(problems).toEqual([]);
    expect(lesson?.quizHtml).toContain(html);
    expect(lesson?.quizHtml).not.toMatch(telling);
    const open = await readUnit(problem(inner), {}, { answers: "all" });
    expect(open.lesson?.quizHtml).toMatch(/data-(?:correct|answers)=/);
  });

  test("without answers that cannot be typed, and without wrong ones", async () => {
    const { lesson } = await readUnit(
      problem(`<numericalresponse answer="[5,7)"><textline/></numericalresponse>
<stringresponse answer="^te+a$" type="ci regexp"><textline/></stringresponse>
<numericalresponse answer="98.5"><responseparam type="tolerance" default="2 %"/><textline/></numericalresponse>
<stringresponse answer="tea"><stringequalhint answer="rose">No.</stringequalhint><textline/></stringresponse>`),
      {},
      { answers: "all" },
    );
    expect(lesson?.quizHtml.match(/data-answers=[^>]*/g)).toEqual([
      `data-answers="[&quot;98.5&quot;]" data-tolerance="2%"`,
      `data-answers="[&quot;tea&quot;]"`,
    ]);
    expect(lesson?.quizHtml).toContain("<p><code>[5,7)</code></p>");
    expect(lesson?.quizHtml).toContain("<p><code>^te+a$</code></p>");
  });

  const unasked: Record<string, [inner: string, text: string, counted: string]> = {
    "an unknown input": [
      `<stringresponse answer="secret-p"><label>Which <b>leaf</b>?</label><textbox/></stringresponse>`,
      `<p class="unavailable"><strong>Which <b>leaf</b>?</strong><br>available in Open edX</p>`,
      "1 string response",
    ],
    "a response without words": [
      `<customresponse cfn="f" expect="secret-p"><textline correct_answer="secret-p"/></customresponse><script>secret-p</script>`,
      `<p class="unavailable"><strong>A title</strong><br>available in Open edX</p>`,
      "1 custom response",
    ],
    "texts around and in a response": [
      `<p>Look at it.</p><imageresponse><p>Click on the <em>leaf</em>.</p><imageinput src="/static/leaf.png" rectangle="(1,secret-p)-(2,2)"/></imageresponse><p>Thanks.</p><solution>secret-p</solution>`,
      `<p>Look at it.</p><p>Click on the <em>leaf</em>.</p><img src="static/leaf.png" alt="">
<p class="unavailable"><strong>A title</strong><br>available in Open edX</p>
<p>Thanks.</p>`,
      "1 image response",
    ],
    "several, with their labels": [
      `<formularesponse answer="secret-p"><label>Area?</label><formulaequationinput/></formularesponse><label>Volume?</label><formulaequationinput/>
<formularesponse answer="secret-p"><formulaequationinput/></formularesponse><coderesponse><p>Write.</p><codeparam><answer_display>secret-p</answer_display></codeparam></coderesponse>`,
      `<p class="unavailable"><strong>Area?</strong><br>available in Open edX</p>
<p class="unavailable"><strong>Volume?</strong><br>available in Open edX</p>
<p>Write.</p>
<p class="unavailable">available in Open edX</p>`,
      "2 formula responses, 1 code response",
    ],
    "choices with fields in them": [
      `<choicetextresponse><radiotextgroup><choice correct="secret-p">I rolled <numtolerance_input answer="secret-p"/> times.<choicehint>secret-p</choicehint></choice><choice correct="false">Never.</choice></radiotextgroup></choicetextresponse>`,
      `<ul><li>I rolled  times.</li><li>Never.</li></ul>
<p class="unavailable"><strong>A title</strong><br>available in Open edX</p>`,
      "1 choicetext response",
    ],
    "texts that a program makes": [
      `<script type="loncapa/python">secret-p = 3</script><numericalresponse answer="$y"><label>What is $x?</label><textline/></numericalresponse>`,
      `<p class="unavailable"><strong>A title</strong><br>available in Open edX</p>`,
      "1 problem with a program",
    ],
  };
  test.each(Object.entries(unasked))(
    "%s: unsupported parts are shown in the author's words and counted",
    async (_, [inner, text, counted]) => {
      const { lesson, statement } = await readUnit(problem(inner), { "static/leaf.png": "x" });
      expect(lesson?.quizHtml).toBe("");
      expect(lesson?.additionalText.trim()).toBe(text);
      expect(statement).toBe(`not shown: ${counted}`);
    },
  );

  test("with unsupported parts between the supported questions", async () => {
    const { lesson, statement } = await readUnit(
      problem(`<formularesponse answer="secret-p"><p>An area.</p><formulaequationinput/></formularesponse>
<stringresponse answer="secret-p"><label>Which?</label><textline/></stringresponse>
<customresponse cfn="f"><label>Why?</label><textline/></customresponse>`),
    );
    expect(lesson?.additionalText).toBe("");
    expect(lesson?.quizHtml).toContain(`<legend>Which?</legend>
<p>An area.</p>
<p class="unavailable"><strong>A title</strong><br>available in Open edX</p>
<input type="text" name="question-1" autocomplete="off" aria-label="Answer">
<p class="unavailable"><strong>Why?</strong><br>available in Open edX</p>
</fieldset>`);
    expect(lesson?.quizHtml).not.toContain("secret");
    expect(statement).toBe("kept: 1 problem as a quiz; not shown: 1 custom response, 1 formula response");
  });

  test("without answers that a program generates", async () => {
    const inner = `<script>y = 3</script><numericalresponse answer="$y"><label>How many?</label><textline/></numericalresponse>`;
    const { lesson } = await readUnit(problem(inner), {}, { answers: "all" });
    expect(lesson?.quizHtml).toContain("How many?");
    expect(lesson?.quizHtml).not.toContain("data-answers");
  });

  test("unless they ask nothing: then they are text", async () => {
    const { lesson } = await readUnit(problem(`<p>Read this.</p><solution>secret-s</solution>`));
    expect([lesson?.additionalText, lesson?.quizHtml]).toEqual(["<p>Read this.</p>\n", ""]);
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
    expect(lesson?.additionalText).toBe(`<p>Before.</p>
<p class="unavailable"><strong>Sort &lt;them&gt;</strong><br>available in Open edX</p>
<p class="unavailable"><strong>LTI</strong><br>available in Open edX</p>
<p class="unavailable"><strong>Tool</strong><br>available in Open edX</p>
<p class="unavailable"><strong>Essay</strong><br>available in Open edX</p>
<p class="unavailable"><strong>open response assessment</strong><br>available in Open edX</p>
<p class="unavailable"><strong>Your week</strong><br>available in Open edX</p>
<p>After.</p>`);
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
    expect(lesson?.additionalText).toBe(`<p>Then:</p>
<iframe src="https://www.youtube-nocookie.com/embed/yes" title="&quot;Two&quot;" loading="lazy" allowfullscreen referrerpolicy="strict-origin-when-cross-origin"></iframe>

<video src="static/three.mp4" title="Three" controls preload="metadata"></video>

<p class="unavailable"><strong>Four</strong><br>available in Open edX</p>
<iframe src="https://www.youtube-nocookie.com/embed/five" title="Five" loading="lazy" allowfullscreen referrerpolicy="strict-origin-when-cross-origin"></iframe>
`);
  });

  test("have their formulas marked, except in code", async () => {
    const { lesson } = await readUnit(
      `<html url_name="h"><![CDATA[<p>\\(x &lt; 2\\) and [mathjaxinline]a_b[/mathjaxinline], \\[y\\] [mathjax]z[/mathjax] <code>\\(c\\)</code> \\(open</p>
<p>\\[a<br>b<br />
c\\] \\(d<br><b>e</b>\\) <code>\\(f</code><br>g\\)</p>]]></html>
<problem url_name="p"><optionresponse><label>\\(q\\)?</label><optioninput><option correct="True">\\(o\\)</option></optioninput></optionresponse></problem>`,
    );
    expect(lesson?.additionalText).toBe(
      `<p><span class="math inline">x &lt; 2</span> and <span class="math inline">a_b</span>, <span class="math display">y</span> <span class="math display">z</span> <code>\\(c\\)</code> \\(open</p>
<p><span class="math display">a\nb\n\nc</span> \\(d<br><b>e</b>\\) <code>\\(f</code><br>g\\)</p>`,
    );
    expect(lesson?.quizHtml).toContain(`<legend><span class="math inline">q</span>?</legend>`);
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
    "sequential/s.xml:1: warning: this <vertical> is left out until 9999-02-01T09:00:00.000Z, when Open edX releases it; import the course again then",
  ]);
  expect(statement).toBe("not shown: 3 parts that Open edX releases later");
  const policy = JSON.stringify({ "course/r": { self_paced: true } });
  const selfPaced = await readExport({
    ...files,
    "chapter/d.xml": `<chapter display_name="Exam" ${later}/>`,
    "policies/r/policy.json": policy,
  });
  expect([selfPaced.course?.chapters.length, selfPaced.statement]).toEqual([2, undefined]);
});

describe("an invalid export", () => {
  const broken: Record<string, [files: Files, problem: string]> = {
    "a block without its file": [
      { "html/x.xml": "" },
      `vertical/u.xml:1: error: refers to <html> "gone", but there is no file html/gone.xml`,
    ],
    "a text without its file": [
      { "html/gone.xml": `<html filename="away"/>` },
      "html/gone.xml:1: error: refers to text away, but there is no file html/away.html",
    ],
    "a text outside": [
      { "html/gone.xml": `<html filename="../../../../../etc/passwd"/>` },
      "html/gone.xml:1: error: refers to text ../../../../../etc/passwd, but there is no file",
    ],
    "XML that is cut off": [{ "html/gone.xml": "<html>\n<p>a" }, "html/gone.xml:2: error: <p> is not closed"],
    "not XML": [{ "html/gone.xml": "Text." }, "html/gone.xml: error: the file contains no XML element"],
    "bytes that are not UTF-8": [
      { "html/gone.xml": Uint8Array.of(0x3c, 0xff, 0xfe) },
      "html/gone.xml: error: is not valid utf-8; save the file as UTF-8",
    ],
    "an unknown encoding": [
      { "html/gone.xml": `<?xml version="1.0" encoding="klingon"?><html/>` },
      "html/gone.xml: error: the encoding klingon is not supported; save the file as UTF-8",
    ],
    "elements in elements": [
      { "html/gone.xml": "<a>".repeat(5000) },
      "html/gone.xml:1: error: elements are nested more than 200 levels deep",
    ],
    "an invalid policy": [
      { "html/gone.xml": "<html>x</html>", "policies/r/policy.json": "[" },
      "policies/r/policy.json: error: must be a JSON object that contains an object for each block, such as course/RUN",
    ],
    "a unit that contains itself": [
      { "html/gone.xml": "<html/>", "vertical/u.xml": `<vertical><vertical url_name="u"/></vertical>` },
      `vertical/u.xml:1: error: refers to <vertical> "u" again and is skipped: the limit is one reference`,
    ],
  };
  test.each(Object.entries(broken))("with %s is an error at its location", async (_, [files, problem]) => {
    const { course, problems } = await readExport(unitOf(`<html url_name="gone"/>`, files));
    expect(problems[0]).toStartWith(problem);
    expect(course).toBeUndefined();
  });

  test("without chapters is a warning", async () => {
    const { problems, course } = await readExport({
      "course.xml": `<course url_name="r" org="O" course="C"> </course>`,
    });
    expect(problems).toEqual(['course.xml:1: error: refers to <course> "r", but there is no file course/r.xml']);
    expect(course).toBeUndefined();
    const empty = await readExport({ "course.xml": `<course display_name="Tea"/>` });
    expect(empty.problems).toEqual(["course.xml:1: warning: the course has no chapters that readers can see"]);
    expect(empty.course?.name).toBe("Tea");
  });

  test("with too many inputs in a response, each of which would repeat all answers, does not show that response", async () => {
    const answers = `<additional_answer answer="a"/>`.repeat(2000);
    const fields = (count: number): string =>
      `<problem><stringresponse answer="a">${"<textline/>".repeat(count)}${answers}</stringresponse></problem>`;
    const { lesson, statement } = await readUnit(fields(2000), {}, { answers: "all" });
    expect(lesson).toMatchObject({ quizHtml: "", additionalText: expect.stringContaining("available in Open edX") });
    expect(statement).toBe("not shown: 1 string response");
    const kept = await readUnit(
      `<problem><stringresponse answer="a"><textline/><textline/></stringresponse></problem>`,
    );
    expect(kept.statement).toStartWith("kept: 1 problem as a quiz");
  });

  test("that repeats a text too often is an error, since each reference costs a read", async () => {
    const { problems } = await readUnit(`<html url_name="h"/>`.repeat(21), { "html/h.xml": "<html>x</html>" });
    expect(problems).toEqual([
      `vertical/u.xml:1: error: refers to <html> "h" again and is skipped: the limit is 20 references`,
    ]);
  });

  test("with declared entities keeps them as text and fetches nothing", async () => {
    const bomb = `<?xml version="1.0"?>
<!DOCTYPE html SYSTEM "http://127.0.0.1:1/x.dtd" [
  <!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
  <!ENTITY file SYSTEM "file:///etc/passwd">
]>
<html display_name="X"><p>&b; &file; &lt;&#65;&#x42;&amp;</p></html>`;
    const { lesson, problems } = await readUnit(`<html url_name="h"/>`, { "html/h.xml": bomb });
    expect(problems).toEqual([]);
    expect(lesson?.additionalText).toBe("<p>&amp;b; &amp;file; &lt;AB&amp;</p>");
  });

  test("in UTF-16 is read, with and without a byte order mark", async () => {
    const utf16 = (text: string, mark: string) => Buffer.from(mark + text, "utf16le");
    const big = (text: string, mark: string) => utf16(text, mark).swap16();
    for (const encode of [utf16, big]) {
      for (const mark of ["\uFEFF", ""]) {
        const { lesson, course, problems } = await readUnit(`<html url_name="h"/>`, {
          "course.xml": encode(`<?xml version="1.0" encoding="utf-16"?><course url_name="r"/>`, mark),
          "html/h.xml": encode(`<html><p>Grün 緑</p></html>`, mark),
        });
        expect([course?.name, lesson?.additionalText, problems]).toEqual(["Tea", "<p>Grün 緑</p>", []]);
      }
    }
  });

  test("has warnings that name the file of a text or problem, even if a unit has several", async () => {
    const leaf = `<img src="/static/gone.png" alt=""/>`;
    const problem = `<problem>\n${leaf}<stringresponse answer="a"><textline/></stringresponse></problem>`;
    const { problems } = await readUnit(
      `<html url_name="g"/><html url_name="h"/>\n<html url_name="inline">${leaf}{{% x %}}</html><problem url_name="p"/><problem url_name="q"/>`,
      {
        "html/g.xml": `<html filename="g"/>`,
        "html/g.html": `<p>Whole.</p><a href="/jump_to_id/u">x</a>`,
        "html/h.xml": `<html filename="h"/>`,
        "html/h.html": `${leaf}<a href="/jump_to_id/nowhere">x</a>`,
        "problem/p.xml": problem,
        "problem/q.xml": problem,
      },
      { assetBase: "https://a.example/" },
    );
    expect(problems.map((told) => told.split(" ", 1)[0])).toEqual(
      "html/h.html: problem/p.xml:1: problem/q.xml:1: html/h.html: vertical/u.xml:2: vertical/u.xml:2:".split(" "),
    );
  });

  test("with a key of a block that contains a line break is reported", async () => {
    const url = "/jump_to/+block@+block@%0Ax";
    const { problems, lesson } = await readUnit(`<html url_name="h"><a href="${url}">x</a></html>`);
    expect(lesson?.additionalText).toBe('<a href="#">x</a>');
    expect(problems).toEqual([expect.stringContaining("points to a block outside all lessons")]);
  });

  test("with a jump to a block outside all lessons has a warning", async () => {
    const { problems, lesson } = await readUnit(`<html url_name="h"><a href="/jump_to_id/nowhere">x</a></html>`);
    expect(lesson?.additionalText).toBe('<a href="#">x</a>');
    expect(problems).toEqual([
      'vertical/u.xml:1: warning: link "/jump_to_id/nowhere" points to a block outside all lessons',
    ]);
  });
});
