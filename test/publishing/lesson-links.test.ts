// Links from a lesson to another: found by files, delivered with the ids that the lessons have in the end.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ImportOutcome } from "../../src/publishing/import-options.ts";
import { dataOf } from "../support/answers.ts";
import { runCommand } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { createWrittenSource, type WrittenImportOptions, type WrittenSource } from "../support/written-source.ts";

const SITE = "https://site.example/{courseSlug}/{lessonId}{fragment}";
const [FIRST, SECOND, THIRD] = ["01", "02", "03"].map((month) => `2026-${month}-01T00:00:00.000Z`) as [
  string,
  string,
  string,
];
const KETTLE = "02-pots/02-iron%20kettle";

describe("links between lessons", () => {
  const database = useTestStore();
  let source: WrittenSource;
  const ask = createAsk(database);
  let live: string;
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;
  beforeEach(async () => {
    project = `acme-${++count}`;
    source = createWrittenSource(project);
    live = await createKey(database.store, project);
  });
  afterEach(() => source.drop());

  const importSource = (options: WrittenImportOptions = {}): Promise<ImportOutcome> =>
    source.import(database.store, { lessonUrl: SITE, ...options });
  /** The id of each lesson of a course, by its name. */
  const idsOf = async (course: string): Promise<Record<string, string>> => {
    const { results } = dataOf(await ask(`/courses/${course}/lessons`, live));
    return Object.fromEntries(results.map(({ id, name }) => [name, id]));
  };
  const lessonOf = async (course: string, name: string) =>
    dataOf(await ask(`/courses/${course}/lessons/${(await idsOf(course))[name]}`, live));
  const textOf = async (course: string, name: string): Promise<string> => (await lessonOf(course, name)).additionalText;
  const datesOf = async (...names: string[]): Promise<string[]> =>
    Promise.all(names.map(async (name) => (await lessonOf("tea", name)).updatedAt));
  /** The addresses in a text, in their order. */
  const hrefsOf = (html: string): string[] => [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);

  function writeTea(links: string, settings = ""): void {
    source.write("tea/course.yaml", `_id: t1\nslug: tea\nname: Tea\n${settings}`);
    source.write("tea/01-start/01-from.md", `---\nname: From\n---\n${links}`);
    source.write("tea/02-pots/README.md", "---\nname: Pots\n---\nPots.");
    source.write("tea/02-pots/02-iron kettle.md", '---\nname: Kettle\n---\n<i id="steam"></i>Iron.');
    source.write("tea/03-end/01-last.mdx", "---\nname: Last\n---\nLast.");
  }

  test("resolve to the intended lesson in every spelling", async () => {
    const spellings = {
      "Kettle #steam": [`../${KETTLE}.md#steam`, `../${KETTLE}.html?print=1#steam`],
      Kettle: ["<../02-pots/02-iron kettle.md>", `../${KETTLE}`, `../${KETTLE}/`, `/${KETTLE}.md`, `/tea/${KETTLE}`],
      Pots: ["../02-pots/", "../02-pots", "../02-pots/index.html"],
      Last: ["../03-end/", "../03-end/01-last.html"],
      "Last #top": ["/learn/en/03-end/01-last#top"],
      From: ["01-from.md"],
    };
    const links = Object.entries(spellings).flatMap(([to, all]) => all.map((written) => [to, written] as const));
    writeTea(links.map(([, written]) => `[x](${written})`).join("\n"));
    await importSource({ assetBase: "https://assets.example/" });
    const ids = await idsOf("tea");
    const anchors = links.map(([target]) => {
      const [name = "", fragment = ""] = target.split(" ");
      const href = `https://site.example/tea/${ids[name]}${fragment}`;
      return `<a data-course-id="t1" data-lesson-id="${ids[name]}" href="${href}">x</a>`;
    });
    expect(await textOf("tea", "From")).toBe(`<p>${anchors.join("\n")}</p>\n`);
  });

  test("name the lesson even without a template, and every other byte stays as written", async () => {
    const html = `<p>é <A title='a&amp;b' HREF=../${KETTLE}.md >x</A><a href='../03-end'>&copy;</a> "`;
    source.write("tea/01-start/02-html.html", html);
    writeTea("x");
    await source.import(database.store);
    const { Kettle, Last } = await idsOf("tea");
    const named = (id = ""): string => ` data-course-id="t1" data-lesson-id="${id}"`;
    expect(await textOf("tea", "Html")).toBe(
      html.replace("<A", `<A${named(Kettle)}`).replace("<a", `<a${named(Last)}`),
    );
  });

  test("contain values encoded as one segment; a course can have its own template", async () => {
    writeTea(`[x](../${KETTLE}.md#steam)`);
    const template = "/{courseId}/{courseSlug}/{lessonId}";
    source.write("tea/course.yaml", `_id: "a b&c"\nslug: tea?\nname: Tea\nlessonUrl: "${template}"\n`);
    await importSource();
    const slug = encodeURIComponent("tea?");
    const { Kettle } = await idsOf(slug);
    expect(hrefsOf(await textOf(slug, "From"))).toEqual([`/a%20b%26c/tea%3F/${Kettle}`]);
    expect(await textOf(slug, "From")).toContain('data-course-id="a b&amp;c"');
  });

  test("that are hostile resolve to no lesson and change nothing around them", async () => {
    const hrefs = [
      "javascript:alert(1)//02-pots/",
      "//evil.example/02-pots/",
      "https://evil.example/tea/02-pots/",
      "../../../../../etc/passwd",
      "..%2f..%2f..%2fetc%2fpasswd",
      "..\\\\02-pots\\\\",
      "../02-pots/%00",
      "../02-pots/%zz",
      "data:text/html,02-pots/",
    ];
    const html = hrefs.map((href) => `<a href="${href}">x</a>`).join("\n");
    writeTea("x");
    source.write("tea/01-start/02-evil.html", `---\nname: Evil\n---\n${html}`);
    const problems: string[] = [];
    await importSource({ problems });
    const places = problems.map((problem) => /^tea\/01-start\/02-evil\.html:(\d+): warning: link /.exec(problem)?.[1]);
    // The first is told of as a script.
    expect(places).toEqual([undefined, "7", "8", "9", "10", "11"]);
    expect(await textOf("tea", "Evil")).toBe(html);
  });

  test("stay as written if their author named a lesson; unusual ids cannot escape from the URL", async () => {
    const id = `"'<b>&?#%{lessonId}`;
    const lessons = `[{file: a.html, name: From}, {file: b.md, id: ${JSON.stringify(id)}}]`;
    source.write("tea/course.yaml", `_id: t1\nslug: tea\nname: Tea\nchapters:\n  - name: A\n    lessons: ${lessons}\n`);
    source.write("tea/b.md", "B");
    const named = `<a data-lesson-id="forged" data-course-id='forged' href="b.md">x</a>`;
    source.write("tea/a.html", `${named}<a href="b.md">x</a>`);
    await importSource();
    expect(await textOf("tea", "From")).toBe(
      `${named}<a data-course-id="t1" data-lesson-id="&quot;&#39;&lt;b&gt;&amp;?#%{lessonId}" ` +
        'href="https://site.example/tea/%22&#39;%3Cb%3E%26%3F%23%25%7BlessonId%7D">x</a>',
    );
  });

  test("resolve to parts of one file by heading", async () => {
    const water = "## Water\n\n[x](#green-leaves) [y](#water)\n\n";
    source.write("pot/README.md", `<!--\nauthor: A\nlanguage: en\n-->\n# Pot\n\n${water}## Green leaves\n\nz\n`);
    await importSource();
    const ids = await idsOf("pot");
    const hrefs = ["Green leaves", "Water"].map((name) => `https://site.example/pot/${ids[name]}`);
    expect(hrefsOf(await textOf("pot", "Water"))).toEqual(hrefs);
  });

  test("resolve to other courses of the source in any order, even more than memory holds", async () => {
    // Together over the limit of what is held, as little as can be.
    const filler = "x".repeat(2_800_000);
    const pairs = ["ab", "bc", "ca"].map((pair) => [pair.charAt(0), pair.charAt(1)] as const);
    for (const [one, other] of pairs) {
      source.write(`${one}/course.yaml`, `_id: ${one}\nname: ${one}\n`);
      const link = `<a href="../${other}/01-x.html">${filler}</a>`;
      source.write(`${one}/01-x.html`, `---\nname: X\n---\n${link}<a href="/${other}/01-x">y</a>`);
    }
    await importSource();
    for (const [one, other] of pairs) {
      const href = `https://site.example/${other}/${(await idsOf(other))["X"]}`;
      expect(hrefsOf(await textOf(one, "X"))).toEqual([href, href]);
    }
  });

  test("change a lesson only if readers get another text: another lesson or template, but no moved file", async () => {
    writeTea(`[x](/${KETTLE}.md) [y](../03-end/)`);
    await importSource();
    expect((await importSource()).status).toBe("unchanged");
    const before = await idsOf("tea");
    const target = await lessonOf("tea", "Kettle");
    source.move("tea/02-pots/02-iron kettle.md", "tea/03-end/05-iron.md");
    // The author writes another link, which points to the same address.
    source.write("tea/01-start/01-from.md", "---\nname: From\n---\n[x](../03-end/05-iron.md) [y](../03-end/)");
    await importSource({ at: SECOND });
    expect(await idsOf("tea")).toEqual(before);
    expect(await lessonOf("tea", "Kettle")).toEqual(target);
    expect(await datesOf("From")).toEqual([FIRST]);
    source.write("tea/03-end/00-first.md", "---\nname: First\n---\nNew.");
    expect(await importSource({ dryRun: true })).toMatchObject({
      plan: { courses: [{ lessonsChanged: [{ name: "From", fields: ["additionalText"] }] }] },
    });
    await importSource({ at: SECOND });
    expect(await datesOf("From", "Kettle")).toEqual([SECOND, FIRST]);
    expect(await importSource({ lessonUrl: "/l/{lessonId}", at: THIRD })).toMatchObject({
      changes: { coursesChanged: 1, lessonsChanged: 1, lessonsAdded: 0, lessonsRemoved: 0 },
    });
    expect(await datesOf("From", "Last")).toEqual([THIRD, FIRST]);
  });

  test("to missing targets cause warnings at their location, and stay as written", async () => {
    const links = [
      "[gone](../02-pots/07-gone.md)",
      `[heading](../${KETTLE}.md#smoke)`,
      "[here](#nowhere) [there](#top)",
      "[rooted](/old/chapter9/1)",
      "[no lesson](../_notes.md)",
    ];
    writeTea(`\n${links.join("\n")}\n`);
    source.write("tea/_notes.md", "x");
    const problems: string[] = [];
    await importSource({ problems, assetBase: "https://assets.example/" });
    const told = [
      '5: warning: link "../02-pots/07-gone.md" points to a missing file: tea/02-pots/07-gone.md',
      '6: warning: link "../02-pots/02-iron kettle.md#smoke" points to lesson "Kettle", which has no such id: the link ' +
        "opens the lesson's start",
      '7: warning: link "#nowhere" points to a missing id',
      '8: warning: link "/old/chapter9/1" points to no lesson in this course; a linkMap in course.yaml can redirect it',
      '9: warning: link "../_notes.md" points to tea/_notes.md, which is not a lesson in any course: readers get the file ' +
        "itself, or nothing",
    ].map((warning) => `tea/01-start/01-from.md:${warning}`);
    expect(problems.filter((problem) => problem.includes("link")).sort()).toEqual(told);
    expect(hrefsOf(await textOf("tea", "From"))[4]).toBe("/old/chapter9/1");
  });

  test("follow the linkMap of their course", async () => {
    const map = [
      "/old/kettle: 02-pots/02-iron kettle.md#steam",
      "/old/: https://old.example/archive/",
      "setup.html: https://setup.example/",
      "/chap2: 02-pots",
    ];
    writeTea(
      "[a](/old/kettle) [b](/old/img/a%20b.png?x#y) [c](setup.html#s) [d](/chap2) [e](/old/other/2#z)",
      `linkMap:\n  ${map.join("\n  ")}\n`,
    );
    await importSource();
    const { Kettle, Pots } = await idsOf("tea");
    expect(hrefsOf(await textOf("tea", "From"))).toEqual([
      `https://site.example/tea/${Kettle}#steam`,
      "https://old.example/archive/img/a%20b.png?x#y",
      "https://setup.example/#s",
      `https://site.example/tea/${Pots}`,
      "https://old.example/archive/other/2#z",
    ]);
  });
});

test.each([
  ["javascript:alert({lessonId})", "must begin with https://, http:// or one /"],
  ["//other.example/{lessonId}", "must begin with https://, http:// or one /"],
  ["https://site.example/{course}/{lessonId}", 'contains "{course}"; the placeholders are {courseSlug}, {courseId},'],
  ["https://site.example/{courseSlug}", "must contain {lessonId}"],
  ["https://site.example/{lessonId", 'contains "{"'],
])("need a valid --lesson-url: %s is refused", async (template, message) => {
  const { exitCode, stderr } = await runCommand(["import", "x", "--project", "p", "--lesson-url", template]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
