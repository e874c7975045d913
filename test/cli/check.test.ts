// What an author's continuous integration runs: planted faults, each found at its place.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openSource } from "../../src/cli/write/open-source.ts";
import { formatProblem } from "../../src/content/source.ts";
import { checkCatalog } from "../../src/publishing/check-catalog.ts";
import { runCommand } from "../support/command.ts";
import { writeFolder } from "../support/written-folder.ts";

/** Checks a folder, or a file in it. Problems come as they are printed, in order, without the root's path. */
async function check(root: string, { file = "" } = {}) {
  const problems: string[] = [];
  const path = join(root, file);
  const checked = await checkCatalog({
    project: "check",
    path,
    openSource: (inspection) => openSource(path, { assetBase: undefined, inspection }),
    report: (problem) => problems.push(formatProblem(problem).replaceAll(`${root}/`, "").replaceAll(root, ".")),
  });
  return { ...checked, problems };
}

/** Sources with what is wrong in each, in the order of the alphabet. */
const FAULTS = join(import.meta.dir, "../faults");
const readFaults = async (name: string): Promise<string[]> =>
  (await Bun.file(join(FAULTS, `${name}.txt`)).text()).trimEnd().split("\n").toSorted();

test("planted faults of NDJSON are all reported at their lines, and nothing else", async () => {
  expect((await check(FAULTS, { file: "c.ndjson" })).problems.toSorted()).toEqual(await readFaults("c.ndjson"));
});

test("a file without courses is an error", async () => {
  const { problems } = await check(writeFolder({ "empty.ndjson": "\n" }), { file: "empty.ndjson" });
  expect(problems).toEqual(["empty.ndjson: error: contains no course: expected one course per line"]);
});

// Scripts that run by themselves: test/content/script-detection.test.ts.
test("scripts that run on a click are reported, but nothing harmless", async () => {
  const scripts = {
    "<a href=' \n java\nscript:x'>": "javascript: in href of <a> runs a script",
    "<a href='jav&Tab;ascript&colon;x'>": "javascript: in href of <a> runs a script",
    "<svg><a xlink:href='JavaScript:1'>": "javascript: in xlink:href of <a> runs a script",
    "<animate values='a;javascript:x'>": "javascript: in values of <animate> runs a script",
    "<iframe srcdoc=x sandbox='allow-scripts allow-same-origin'>": "srcdoc of <iframe> can run scripts",
    "<script type='math/tex'>x</script>": undefined,
    "<a title='JavaScript: the good parts' href='https://x.example/javascript:x'>": undefined,
    "<iframe srcdoc=x sandbox=allow-scripts>": undefined,
    "<b once=1 onclick=''>": undefined,
  };
  for (const [html, script] of Object.entries(scripts)) {
    const { problems } = await check(writeFolder({ "01-part/1.html": `\n${html}` }));
    const told = script === undefined ? [] : [`01-part/1.html:2: warning: ${script} in the reader's page`];
    expect([html, problems]).toEqual([html, told]);
  }
});

test("missing originals of translations are reported", async () => {
  const root = writeFolder({
    "en/course.yaml": "_id: tea\nname: Tea\nchapters: []\n",
    "vi/course.yaml": "name: Trà\ntranslationOf: tea\nchapters: []\n",
    "fr/course.yaml": "name: Thé\ntranslationOf: tee\nchapters: []\n",
  });
  expect((await check(root)).problems).toEqual([
    expect.stringMatching(/^fr\/course\.yaml:2.*: warning: translationOf "tee" matches no course of this source$/),
  ]);
});

test("embed origins are counted and listed by frequency", async () => {
  const html = `<iframe src="//a.example/x"></iframe><video><source src="HTTPS://B.example:443/x"></video>
<object data="data:text/html,x"></object><img src="https://c.example/c.png"><script src=https://d.example:8443/x></script>`;
  const lesson = `---\nurl: https://b.example/v.mp4\nquizHtml: <embed src="https://b.example/q">\n---\n${html}`;
  expect((await check(writeFolder({ "01-part/1.html": lesson }))).embedOrigins).toEqual([
    ["https://b.example", 3],
    ["data:", 1],
    ["https://a.example", 1],
    ["https://d.example:8443", 1],
  ]);
});

describe("lectern check", () => {
  test("prints problems and origins, a summary at the end, and exits with 3 on errors", async () => {
    const { exitCode, stdout, stderr } = await runCommand(["check", "."], { cwd: join(FAULTS, "courses") });
    expect(exitCode).toBe(3);
    const faults = await readFaults("courses");
    expect(stdout.split("\n").slice(0, faults.length).toSorted()).toEqual(faults);
    expect(stdout).toEndWith("\nEmbeds come from:\n  1  https://x.example\n");
    expect(stderr).toEndWith("lectern: 17 errors, 22 warnings in 5 courses, 11 lessons\n");
  });

  test("prints annotations for GitHub, and exits with 0 when there are only warnings", async () => {
    const root = writeFolder({
      "01-a,b/1.md": "[x](100%.md)\n[x](example.com/a)\n<script src=https://x.example></script>\n",
    });
    const { exitCode, stdout, stderr } = await runCommand(["check", ".", "--format", "github"], { cwd: root });
    expect(stdout.split("\n")).toEqual([
      '::warning file=01-a%2Cb/1.md,line=1,title=link-to-nothing::link "100%25.md" points to a missing file: 01-a,b/100%25.md',
      "::warning file=01-a%2Cb/1.md,line=3,title=script::<script> runs in the reader's page",
      '::warning file=01-a%2Cb/1.md,line=2,title=link-to-nothing::link "example.com/a" points to a missing file: 01-a,b/example.com/a; the URL of another site begins with https://',
      "",
    ]);
    expect(exitCode).toBe(0);
    expect(stderr).toEndWith("\n0 errors, 3 warnings in 1 course, 1 lesson\n");
  });
});
