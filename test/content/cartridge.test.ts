import { describe, expect, test } from "bun:test";
import type { Answers } from "../../src/content/quiz/answers.ts";
import { runCommand } from "../support/command.ts";
import { outlinesOf, pages, readFolder, readSample, writeFolder, type Files } from "../support/written-folder.ts";

/** Reads the cartridge that these files are, but for notes and paths that nothing resolves. */
async function readCartridge(files: Files, answers: Answers = "self-check") {
  const { problems, courses, ...rest } = await readFolder(writeFolder(files), undefined, { answers });
  const told = problems.filter((problem) => !/: note: | is relative, and without --public-url /.test(problem));
  return { problems: told, course: courses[0], ...rest };
}

const manifest = (
  items: string,
  resources: string,
  version = "imsccv1p1",
): string => `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m" xmlns="http://www.imsglobal.org/xsd/${version}/imscp_v1p1" xmlns:lomimscc="http://ltsc.ieee.org/xsd/${version}/LOM/manifest">
<metadata><schema>IMS Common Cartridge</schema><schemaversion>1.1.0</schemaversion></metadata>
<organizations><organization identifier="o" structure="rooted-hierarchy"><item identifier="root">${items}</item></organization></organizations>
<resources>${resources}</resources>
</manifest>`;
const item = (id: string, title: string, resource?: string, inner = "") =>
  `<item identifier="${id}"${resource === undefined ? "" : ` identifierref="${resource}"`}><title>${title}</title>${inner}</item>`;
const resource = (id: string, type: string, href: string, inner = "") =>
  `<resource identifier="${id}" type="${type}" href="${href}"><file href="${href}"/>${inner}</resource>`;
const page = (body: string) =>
  `<!DOCTYPE html><html><head><title>x</title><meta name="secret"/></head>\n<body class="a">\n${body}\n</body></html>`;
/** A cartridge with one resource as its lesson. */
const only = (type: string, href: string, content: string | Uint8Array, more: Files = {}): Files => ({
  "imsmanifest.xml": manifest(item("i", "Only", "r"), resource("r", type, href)),
  [href]: content,
  ...more,
});

const I = "\u0130";
const QTI = "imsqti_xmlv1p2/imscc_xmlv1p1/assessment";
const DRAFT = `<html><head><title>Draft</title><meta name="workflow_state" content="unpublished"/></head><body>secret</body></html>`;

/** What Canvas exports, in small; `golden.txt` beside it has its texts. */
const CANVAS = readSample("common-cartridge");

describe("a Common Cartridge", () => {
  test("names its items by their files, counts what has none, and reveals answers on request", async () => {
    const { course, lessons, statement } = await readCartridge(CANVAS);
    expect(course).toMatchObject({ name: "All about tea", description: "Hot.", language: "en" });
    expect(statement).toBe(
      "kept: 1 discussion topic as a text, 1 heading as a text, 1 question in a quiz; not shown: 2 unpublished items, 1 LTI, 1 page without an item, 1 unused file",
    );
    const files = "wiki_content/leaves.html wiki_content/soft.html q1/assessment_qti.xml d1.xml w1.xml w2.xml t1.xml";
    expect(lessons.map(({ sourcePath }) => sourcePath)).toEqual([
      ...files.split(" "),
      "web_resources/slides 1.pdf#item",
      "a1/essay.html",
      expect.stringMatching(/^wiki_content\/leaves\.html.+i13/),
    ]);
    const open = (await readCartridge(CANVAS, "all")).lessons[2]?.quizHtml;
    expect(open).toMatch(/value="1" data-correct="true"> Green[^]*value="2" data-correct="false"> Blue/);
    expect(open).toContain("<summary>Explanation</summary>SECRET-feedback</details>");
  });

  test("can come from Moodle and others: a title in the organization, items beside sections, a folder per file", async () => {
    const { course, lessons, problems } = await readCartridge({
      ...pages("i_1/a.png", "v/film.mp4", "v/a b.mp3"),
      "imsmanifest.xml": manifest(
        item("a", "Welcome", "r1") +
          item("s", "Section", undefined, item("b", "Page", "r2")) +
          item("c", "Last", "r3") +
          item("d", "Sound", "r4"),
        `<resource identifier="r1" type="webcontent"><file href="i_1/page.html"/><file href="i_1/a.png"/></resource>
<resource identifier="r2" type="webcontent" xml:base="i_2/" href="page.html"><file href="page.html"/></resource>
<resource identifier="r3" type="webcontent" href="v/film.mp4"><file href="v/film.mp4"/></resource>
<resource identifier="r4" type="webcontent" href="v/a%20b.mp3"><file href="v/a%20b.mp3"/></resource>`,
        "imscc",
      ),
      "i_1/page.html": `<p><img src="a.png"><a href="$IMS-CC-FILEBASE$../i_2/page.html?x=1">next</a></p>`,
      "i_2/page.html": page("<p>Two</p>"),
    });
    expect(problems).toEqual([]);
    expect(course && outlinesOf([course])).toBe("Introduction > Welcome; Section > Page; Last > Last, Sound");
    expect(lessons.map(({ url, additionalText }) => url || additionalText)).toEqual([
      `<p><img src="i_1/a.png"><a href="i_2/page.html">next</a></p>`,
      "<p>Two</p>",
      "v/film.mp4",
      `<audio src="v/a%20b.mp3" controls></audio>`,
    ]);
  });

  test("uses a heading as the first line of the next lesson, and as the chapter name of items outside chapters", async () => {
    const headings = item("h3", "Read &lt;this&gt;") + item("h4", "Now");
    const { course, lessons, statement } = await readCartridge({
      "imsmanifest.xml": manifest(
        item("h1", "First &amp; last") +
          item("a", "One", "r1") +
          item("h2", "Empty module") +
          item("m", "Week", undefined, headings + item("c", "Three", "r1") + item("h5", "End")) +
          item("n", "Long", undefined, item("o", "x".repeat(1000), undefined, item("d", "Four", "r1"))),
        resource("r1", "webcontent", "a.html"),
      ),
      "a.html": "A",
    });
    expect(course && outlinesOf([course])).toBe(`First & last > One; Week > Three; Long > ${"x".repeat(499)}…: Four`);
    expect(lessons.map(({ additionalText }) => additionalText)).toEqual([
      "A",
      `<p class="heading"><strong>Read &lt;this&gt;</strong></p>\n<p class="heading"><strong>Now</strong></p>\nA`,
      "A",
    ]);
    expect(statement).toBe("kept: 2 headings as texts; not shown: 1 empty item, 1 heading without content");
  });

  test("without items gets titles and visibility from its resources", async () => {
    const settings = "associatedcontent/imscc_xmlv1p1/learning-application-resource";
    const { lessons, statement } = await readCartridge({
      "imsmanifest.xml": manifest(
        "",
        resource("p1", "webcontent", "wiki_content/a.html") +
          resource("p2", "webcontent", "wiki_content/draft.html") +
          resource("a1", settings, "a1/essay.html", `<file href="a1/assignment_settings.xml"/>`) +
          resource("a2", settings, "a2/essay.html", `<file href="a2/assignment_settings.xml"/>`) +
          resource("t1", "imsdt_xmlv1p1", "t1.xml", `<dependency identifierref="t1m"/>`) +
          resource("t1m", settings, "t1m.xml") +
          resource("q1", "imsqti_xmlv1p2", "q1/assessment_qti.xml"),
      ),
      "wiki_content/a.html": `<html><head><title>Tea &amp; water</title></head><body>A</body></html>`,
      "wiki_content/draft.html": DRAFT,
      "a1/essay.html": "<html><head><title>Assignment: Essay</title></head><body></body></html>",
      "a1/assignment_settings.xml": "<assignment><workflow_state>published</workflow_state></assignment>",
      "a2/essay.html": "<html><title>Assignment: B</title><body>secret</body></html>",
      "a2/assignment_settings.xml": "<assignment><workflow_state>unpublished</workflow_state></assignment>",
      "t1.xml": "<topic><title>Talk</title><text>secret</text></topic>",
      "t1m.xml": "<topicMeta><workflow_state>unpublished</workflow_state></topicMeta>",
      "q1/assessment_qti.xml": CANVAS["q1/assessment_qti.xml"]?.toString().replace(/title="[^"]*"/, "") ?? "",
    });
    expect(lessons.map(({ name }) => name)).toEqual(["Tea & water", "Essay", expect.any(String)]);
    expect(lessons[1]?.additionalText).toContain("<strong>Essay</strong><br>available in the course's own platform");
    expect(statement).toContain("2 unpublished pages, 1 assignment without text, 1 unpublished topic");
  });

  const web = (...files: string[]) => files.map((file, n) => resource(`r${n + 1}`, "webcontent", file)).join("");

  test("has no instructors' content", async () => {
    const roles = (role: string) =>
      `<metadata><lom><educational><intendedEndUserRole><value>${role}</value></intendedEndUserRole></educational></lom></metadata>`;
    const { lessons, statement } = await readCartridge({
      "imsmanifest.xml": manifest(
        item("i1", "All", "r1") + item("i2", "Guide", "r2") + item("i3", "Task", "r3"),
        resource("r1", "webcontent", "a.html", roles("Learner")) +
          resource("r2", "webcontent", "b.html", roles("Instructor")) +
          resource("r3", "assignment_xmlv1p0", "t/assignment.xml", `<file href="t/task.pdf"/><file href="t/key.pdf"/>`),
      ),
      "a.html": "A",
      "b.html": "secret",
      "t/assignment.xml": `<assignment><text>Do.</text><instructor_text>secret</instructor_text><attachments><attachment href="task.pdf" role="All"/><attachment href="key.pdf" role="Instructor"/></attachments></assignment>`,
      ...pages("t/task.pdf", "t/key.pdf"),
    });
    expect(lessons.map(({ name }) => name)).toEqual(["All", "Task"]);
    expect(lessons[1]?.additionalText).toMatch(
      /^Do\.\n<ul class="attachments">\n<li><a href="t\/task.pdf">.*\n<\/ul>\n$/,
    );
    expect(statement).toContain("not shown: 1 item for instructors");
  });

  const IMAGE = `<img class="equation_image" src="https://school.example/a" data-equation-content="a &lt; b">`;
  test.each([
    [
      "its formulas marked, including those that Canvas exports as images",
      page(`<p>\\(x\\) $$y$$ for $5 ${IMAGE}</p>`),
      `<p><span class="math inline">x</span> <span class="math display">y</span> for $5 <span class="math inline">a &lt; b</span></p>`,
    ],
    // A letter whose number changes with its case.
    ["tags in any case", `<HTML><BODY></body>${I.repeat(9)}<p>b</p></Body\n></html>`, `</body>${I.repeat(9)}<p>b</p>`],
  ])("has pages with %s", async (_, text, html) => {
    const { lessons } = await readCartridge(only("webcontent", "wiki_content/a.html", text));
    expect(lessons[0]?.additionalText).toBe(html);
  });

  test("resolves references to files, even if an item offers them", async () => {
    const { lessons, problems } = await readCartridge({
      ...pages("film.mp4", "leaf.png", "b.html"),
      "imsmanifest.xml": manifest(
        item("m1", "Week", undefined, item("i1", "Page", "r1") + item("i2", "Film", "r2") + item("i3", "Other", "r4")),
        web("a.html", "film.mp4", "leaf.png", "b.html"),
      ),
      "a.html": `<iframe src="$CANVAS_OBJECT_REFERENCE$/media_attachments_iframe/r2?type=video"></iframe>
<img src="$CANVAS_COURSE_REFERENCE$/file_ref/r3/download?wrap=1"> <a href="$CANVAS_COURSE_REFERENCE$/modules/items/i3">3</a>`,
    });
    expect(problems).toEqual([]);
    const html = `<iframe src="film.mp4"></iframe>\n<img src="leaf.png"> <a href="b.html">3</a>`;
    expect(lessons[0]?.additionalText).toBe(html);
  });
});

test("stores only pages and files of web content, whatever a text links to", async () => {
  const links = `<a href="../q1/assessment_qti.xml">1</a><a href="$CANVAS_OBJECT_REFERENCE$/quizzes/q1">2</a>
<a href="../course_settings/module_meta.xml">3</a><a href="/t1.xml">4</a><a href="$IMS-CC-FILEBASE$/../q1/assessment_qti.xml">5</a>
<a href="draft.html">6</a><a href="../plan/plan.html">7</a>`;
  const kept =
    resource("draft", "webcontent", "wiki_content/draft.html") +
    resource("plan", "webcontent", "plan/plan.html").replace(" href", ` intendeduse="lessonplan" href`);
  const root = writeFolder({
    ...CANVAS,
    "imsmanifest.xml": CANVAS["imsmanifest.xml"]?.toString().replace("</resources>", `${kept}</resources>`) ?? "",
    "wiki_content/soft.html": links,
    "wiki_content/draft.html": DRAFT,
    "plan/plan.html": "<p>secret</p>",
  });
  const { stderr } = await runCommand(["check", ".", "--public-url", "https://catalog.example"], { cwd: root });
  expect(stderr).toContain("An import would store 2 linked files (6 bytes).");
});

describe("questions of QTI 1.2", () => {
  const qti = (items: string) =>
    `<questestinterop><assessment ident="a"><section><section>${items}</section></section></assessment></questestinterop>`;
  const ask = (kind: string, response: string, rest = "") =>
    qti(
      `<item ident="i"><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>cc_profile</fieldlabel><fieldentry>${kind}</fieldentry></qtimetadatafield></qtimetadata></itemmetadata><presentation><flow><material><mattext>Why?</mattext></material>${response}</flow></presentation>${rest}</item>`,
    );
  const fib = () => `<response_str ident="r"><render_fib/></response_str>`;
  const answered = (condition: string, score = 100) =>
    `<respcondition><conditionvar>${condition}</conditionvar><setvar>${score}</setvar></respcondition>`;
  /** What a whole question is worth, on a condition. */
  const scored = (...conditions: string[]) => `<resprocessing>${conditions.join("")}</resprocessing>`;
  const is = (id: string, response = "r") => `<varequal respident="${response}">${id}</varequal>`;
  const text = (words: string) => `<material><mattext>${words}</mattext></material>`;
  const label = (id: string, words: string) => `<response_label ident="${id}">${text(words)}</response_label>`;
  const choices = (labels: string) =>
    `<response_lid ident="r" rcardinality="Multiple"><render_choice>${labels}</render_choice></response_lid>`;
  const blank = (name: string, labels: string) =>
    `<response_lid ident="response_${name}">${text(name)}<render_choice>${labels}</render_choice></response_lid>`;
  const ABC = label("A", "a") + label("B", "b") + label("C", "c");
  const A_AND_C = `<and>${is("A")}<not>${is("B")}</not>${is("C")}</and>`;
  const [HALF, OTHER_HALF] = [answered(is("1", "response_a"), 50), answered(is("2", "response_b"), 50)];
  const XY = label("1", "x") + label("2", "y");
  const TEXT_INPUT = `<input type="text" name="question-1" autocomplete="off" aria-label="Answer">`;
  const NUMBER_INPUT = `<input type="text" name="question-1" inputmode="decimal" autocomplete="off" aria-label="Answer">\n</fieldset>`;
  const HINTS = `<itemfeedback ident="solution"><solution><solutionmaterial>${text("oolong-3")}</solutionmaterial></solution></itemfeedback><itemfeedback ident="h"><hint><hintmaterial>${text("Look.")}</hintmaterial></hint></itemfeedback>`;
  const BOUNDS = `<vargte respident="r">4.5</vargte><varlte respident="r">5.5</varlte>`;

  test.each<[what: string, xml: string, html: string, telling: RegExp]>([
    [
      "several choices",
      ask("cc.multiple_response.v0p1", choices(ABC), scored(answered(A_AND_C))),
      `<div class="choice"><label><input type="checkbox" name="question-1" value="1"> a</label></div>`,
      /value="1" data-correct="true"[^]*value="2" data-correct="false"[^]*value="3" data-correct="true"/,
    ],
    [
      "a short answer",
      ask("cc.fib.v0p1", fib(), scored(answered(is("oolong-1") + is("oolong-2")))),
      TEXT_INPUT,
      /data-answers="\[&quot;oolong-1&quot;,&quot;oolong-2&quot;\]"/,
    ],
    [
      "an essay, with a hint on demand",
      ask("cc.essay.v0p1", fib(), HINTS),
      `<textarea name="question-1" rows="6" aria-label="Answer"></textarea>\n<details class="hint"><summary>Hint</summary>Look.</details>`,
      /<summary>Explanation<\/summary>oolong-3<\/details>/,
    ],
    [
      "a blank, whose labels are the answers",
      ask("fill_in_multiple_blanks_question", blank("sort", label("1", "oolong-4") + label("2", "oolong-5"))),
      `<legend>[sort]</legend>\nWhy?\n${TEXT_INPUT}`,
      /data-answers="\[&quot;oolong-4&quot;,&quot;oolong-5&quot;\]"/,
    ],
    [
      "several menus, each with its own right answer",
      ask("matching_question", blank("a", XY) + blank("b", XY), scored(HALF, OTHER_HALF)),
      `<fieldset data-question="2">\n<legend>b</legend>\n<select name="question-2">\n<option value=""></option>\n<option value="1">x<`,
      /"1" data-correct="true">x[^]*"2" data-correct="false">y[^]*"1" data-correct="false">x[^]*"2" data-correct="true">y/,
    ],
    [
      "a number within bounds",
      ask("numerical_question", fib(), scored(answered(`<or>${is("5")}<and>${BOUNDS}</and></or>`))),
      NUMBER_INPUT,
      /data-answers="\[&quot;5&quot;\]" data-tolerance="0.5">/,
    ],
  ])("%s", async (_, xml, html, telling) => {
    const shut = await readCartridge(only(QTI, "q.xml", xml));
    expect(shut.problems).toEqual([]);
    expect(shut.lessons[0]?.quizHtml).toContain(html);
    expect(shut.lessons[0]?.quizHtml).not.toMatch(/oolong|data-correct|data-answers/);
    const open = await readCartridge(only(QTI, "q.xml", xml), "all");
    expect(open.lessons[0]?.quizHtml).toMatch(telling);
  });

  test("too many responses with the same answers are unsupported", async () => {
    const quiz = ask("cc.fib.v0p1", fib().repeat(21), scored(answered(is("a"))));
    const { statement } = await readCartridge(only(QTI, "q.xml", quiz), "all");
    expect(statement).toBe("not shown: 1 fib question");
  });

  test("unsupported questions are counted, and named at their position", async () => {
    const calculated = ask("calculated_question", fib());
    const bank = `<section><selection_ordering><selection><selection_number>2</selection_number><sourcebank_ref>b</sourcebank_ref></selection></selection_ordering></section>`;
    const file = ask("file_upload_question", "").replace(/^.*?(<item.*<\/item>).*$/s, "$1");
    const quiz = calculated.replace("</item>", `</item>${bank}${file}`);
    const { lessons, statement } = await readCartridge(only(QTI, "q.xml", quiz));
    const told = ["available in", "4 questions available in"].map(
      (words) => `<p class="unavailable">${words} the course's own platform</p>`,
    );
    expect(lessons[0]).toMatchObject({ quizHtml: "", additionalText: ["Why?", ...told].join("\n") });
    expect(statement).toBe("not shown: 2 bank questions, 1 calculated question, 1 file upload question");
  });

  test("a Canvas quiz is read with Canvas's extensions, its introduction first", async () => {
    const rubric = `<rubric><material><mattext texttype="text/html">&lt;p&gt;First.&lt;/p&gt;</mattext></material></rubric><rubric view="Tutor">${text("secret")}</rubric>`;
    const { lessons, problems } = await readCartridge({
      "imsmanifest.xml": manifest(
        item("i", "Only", "r"),
        `<resource identifier="r" type="${QTI}"><file href="q/assessment_qti.xml"/><dependency identifierref="m"/></resource>
<resource identifier="m" type="associatedcontent/imscc_xmlv1p1/learning-application-resource" href="q/assessment_meta.xml"><file href="q/assessment_meta.xml"/><file href="non_cc_assessments/q.xml.qti"/></resource>`,
      ),
      "q/assessment_qti.xml": qti(""),
      "q/assessment_meta.xml": "<quiz><description>&lt;p&gt;Then.&lt;/p&gt;</description></quiz>",
      "non_cc_assessments/q.xml.qti": ask("cc.fib.v0p1", fib()).replace("<section>", `${rubric}<section>`),
    });
    expect(problems).toEqual([]);
    expect(lessons[0]?.additionalText).toBe("<p>First.</p>\n<p>Then.</p>");
    expect(lessons[0]?.quizHtml).toContain("Why?\n<input");
  });
});

describe("an invalid cartridge", () => {
  const SCORM = "<manifest><metadata><schema>ADL SCORM</schema></metadata></manifest>";
  const PAGE = { "p.html": "x" };
  const LONG_BASE = resource("r", `x" xml:base="${"a".repeat(201)}`, "p.html");
  test.each<[what: string, files: Files, problem: string]>([
    ["a truncated manifest", { "imsmanifest.xml": CANVAS["imsmanifest.xml"]?.slice(0, 900) ?? "" }, "imsmanifest.xml:"],
    [
      "a manifest that refers to a page too often, since each reference costs a read",
      {
        "imsmanifest.xml": manifest(item("i", "Page", "r").repeat(21), resource("r", "webcontent", "p.html")),
        ...PAGE,
      },
      "imsmanifest.xml:4: error: refers to resource r again and is skipped: the limit is 20 references",
    ],
    [
      "a long base, since every path repeats it",
      { "imsmanifest.xml": manifest(item("i", "Page", "r"), LONG_BASE), ...PAGE },
      "imsmanifest.xml:5: error: xml:base is limited to 200 characters",
    ],
    ["another package, such as SCORM", { "imsmanifest.xml": SCORM }, ".: error: contains no course"],
  ])("%s is an error", async (_, files, problem) => {
    const { course, problems } = await readCartridge(files);
    expect(problems[0]).toStartWith(problem);
    expect(problems[0]).toContain(": error: ");
    expect(course).toBeUndefined();
  });

  test("items with missing resources or files are warnings, since an importer cannot repair an export", async () => {
    const { problems, lessons, statement } = await readCartridge({
      "imsmanifest.xml": manifest(
        item("m", "M", undefined, item("a", "Gone", "nowhere") + item("b", "Lost", "r") + item("c", "Up", "u")),
        resource("r", "webcontent", "lost.html") + resource("u", "webcontent", "../../../etc/passwd"),
      ),
    });
    expect(problems).toEqual([
      'imsmanifest.xml:4: warning: item "Gone" refers to resource nowhere, which is missing from the manifest',
      'imsmanifest.xml:5: warning: resource r names "lost.html", which is missing from the cartridge',
      'imsmanifest.xml:5: warning: resource u names "../../../etc/passwd", which is missing from the cartridge',
    ]);
    expect(lessons.map(({ name }) => name)).toEqual(["Lost", "Up"]);
    expect(statement).toBe("not shown: 2 items without their files, 1 item without a resource");
  });
});
