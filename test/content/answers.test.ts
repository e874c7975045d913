// Which questions reveal their answers: one rule for every format, reported at the end of each import.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startPreview } from "../preview/previewed.ts";
import { runCommand } from "../support/command.ts";
import { writeFolder, type Files } from "../support/written-folder.ts";

const choices = (name: string): string =>
  `<Question choices={[{ text: "${name}", explain: "told-${name}", correct: true }, { text: "other" }]} />`;
const MDX = `# A\n\nText.\n\n${choices("first")}\n\n${choices("second")}\n`;

const inFolder = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));

/** A course of every format that has questions: 4 self-checks, 3 questions, and 2 solutions that are text. */
const COURSES: Files = {
  ...inFolder("mdx", {
    "course.yaml": "_id: mdx\nname: MDX\nchapters: [{name: A, lessons: [a, {file: b, quizHtml: <p>Mine</p>}]}]",
    "a.mdx": MDX,
    "b.mdx": MDX,
  }),
  ...inFolder("lia", {
    "README.md":
      "<!--\nauthor: A\nnarrator: X\n-->\n\n# Lia\n\n## One\n\nWhat?\n\n[[lia-right]]\n******\nlia-why\n******\n\n[[___]]\n",
  }),
  ...inFolder("olx", {
    "course.xml": `<course url_name="r" org="T" course="T"><chapter display_name="C"><sequential display_name="S"><vertical display_name="V" url_name="v"><problem url_name="p"><multiplechoiceresponse><label>Which?</label><choicegroup><choice correct="true">olx-a</choice><choice correct="false">olx-b</choice></choicegroup><solution>olx-why</solution></multiplechoiceresponse></problem></vertical></sequential></chapter></course>`,
  }),
  ...inFolder("qti", {
    "imsmanifest.xml": `<manifest><metadata><schema>IMS Common Cartridge</schema></metadata><organizations><organization><item><item identifierref="q"><title>Quiz</title></item></item></organization></organizations><resources><resource identifier="q" type="imsqti_xmlv1p2/imscc_xmlv1p1/assessment"><file href="q.xml"/></resource></resources></manifest>`,
    "q.xml": `<questestinterop><assessment ident="a"><section><item ident="i"><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>cc_profile</fieldlabel><fieldentry>cc.true_false.v0p1</fieldentry></qtimetadatafield></qtimetadata></itemmetadata><presentation><material><mattext>Wet?</mattext></material><response_lid ident="r"><render_choice><response_label ident="t"><material><mattext>Yes</mattext></material></response_label><response_label ident="f"><material><mattext>No</mattext></material></response_label></render_choice></response_lid></presentation><resprocessing><respcondition><conditionvar><varequal respident="r">t</varequal></conditionvar><setvar>1</setvar></respcondition></resprocessing><itemfeedback><flow_mat><material><mattext>qti-why</mattext></material></flow_mat></itemfeedback></item></section></assessment></questestinterop>`,
  }),
  ...inFolder("carp", {
    "config.yaml": "carpentry: 'incubator'\ntitle: 'Carp'\nepisodes:\n- e.md\n",
    "episodes/e.md":
      "---\ntitle: E\n---\n::: solution\ncarp-why\n:::\n\n::: hint\ncarp-hint\n:::\n\n<details>\nfolded-why\n</details>\n",
  }),
};

/** By value of --answers: what an import reports, and how many of the secrets it publishes. */
const REPORTED = {
  none: ["answers: withheld in 4 self-checks and 3 questions, --answers all publishes them", 0],
  "self-check": ["answers: in 4 self-checks; withheld in 3 questions, --answers all publishes them", 2],
  all: ["answers: in 4 self-checks and 3 questions", 6],
} as const;
const SECRETS = ["told-first", "told-second", "lia-right", "lia-why", "olx-why", "qti-why"];
const SHOWN = ["carp-why", "carp-hint", "folded-why", "olx-a", "Wet?", "What?", "Mine"];

const root = writeFolder(COURSES);
const DATABASE = ["--database", `sqlite:${join(root, "x.db")}`];
const importWith = (project: string, args: string[], env: Record<string, string> = {}) =>
  runCommand(["import", root, "--project", project, ...DATABASE, ...args], { env });

describe("an import", () => {
  test.each([
    ["none", [], { LECTERN_ANSWERS: "none" }],
    ["self-check", [], {}],
    ["all", ["--answers", "all"], {}],
  ] as const)("with --answers %s publishes those answers in every format, and says so", async (value, args, env) => {
    const [statement, seen] = REPORTED[value];
    const { exitCode, stderr } = await importWith(value, [...args], env);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`${statement}\n`)]);
    const { stdout: all } = await runCommand(["export", "-", "--project", value, ...DATABASE]);
    expect(SECRETS.filter((secret) => all.includes(secret))).toEqual(SECRETS.slice(0, seen));
    expect(SHOWN.filter((text) => !all.includes(text))).toEqual([]);
    expect(all.includes("data-correct")).toBe(value !== "none");
  });

  test("reports answers for a plan and for an unchanged catalog, but not for a catalog without questions", async () => {
    const [statement] = REPORTED["self-check"];
    expect((await importWith("plan", ["--dry-run"])).stderr).toContain(statement);
    expect((await importWith("self-check", [])).stderr).toContain(statement);
    expect((await runCommand(["check", writeFolder({ "01-a.md": "x" })])).stderr).not.toContain("answers:");
  });
});

test("lectern preview shows courses as an import with the same --answers does, and reports the counts", async () => {
  const temporary = writeFolder({});
  const preview = await startPreview([join(root, "mdx"), "--answers", "none"], { TMPDIR: temporary });
  const chapters = (await preview.get("/courses/mdx")).data["chapters"] as { lessons: { id: string }[] }[];
  const id = chapters[0]?.lessons[0]?.id;
  const { quizHtml } = (await preview.get(`/courses/mdx/lessons/${id}`)).data;
  expect(quizHtml).toContain('<fieldset data-question="1">');
  expect(quizHtml).not.toMatch(/data-correct|told-first/);
  expect(preview.output()).toContain("answers: withheld in 4 self-checks, --answers self-check publishes them");
  expect(await preview.end()).toBe(0);
});
