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
  const lessonOf = async (course: string, name: string) => {
    const id = (await idsOf(course))[name];
    return dataOf(await ask(`/courses/${course}/lessons/${id}`, live));
  };
  const textOf = async (course: string, name: string): Promise<string> => (await lessonOf(course, name)).additionalText;
  /** The addresses in a text, in their order. */
  const hrefsOf = (html: string): string[] => [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);

  function writeTea(links: string): void {
    source.write("tea/course.yaml", "_id: t1\nslug: tea\nname: Tea\n");
    source.write("tea/01-start/01-from.md", `---\nname: From\n---\n${links}`);
    source.write("tea/02-pots/README.md", "---\nname: Pots\n---\nPots.");
    source.write("tea/02-pots/02-iron kettle.md", '---\nname: Kettle\n---\n<i id="steam"></i>Iron.');
    source.write("tea/03-end/01-last.mdx", "---\nname: Last\n---\nLast.");
  }

  test("resolve to the intended lesson in every spelling", async () => {
    const links: [written: string, name: string, fragment: string][] = [
      ["../02-pots/02-iron%20kettle.md#steam", "Kettle", "#steam"],
      ["<../02-pots/02-iron kettle.md>", "Kettle", ""],
      ["../02-pots/02-iron%20kettle", "Kettle", ""],
      ["../02-pots/02-iron%20kettle.html?print=1#steam", "Kettle", "#steam"],
      ["../02-pots/02-iron%20kettle/", "Kettle", ""],
      ["../02-pots/", "Pots", ""],
      ["../02-pots", "Pots", ""],
      ["../02-pots/index.html", "Pots", ""],
      ["../03-end/", "Last", ""],
      ["../03-end/01-last.html", "Last", ""],
      ["/02-pots/02-iron%20kettle.md", "Kettle", ""],
      ["/tea/02-pots/02-iron%20kettle", "Kettle", ""],
      ["/learn/en/03-end/01-last#top", "Last", "#top"],
      ["/learn/02-pots/", "Pots", ""],
      ["01-from.md", "From", ""],
    ];
    writeTea(links.map(([written]) => `[x](${written})`).join("\n"));
    await importSource({ assetBase: "https://assets.example/" });
    const ids = await idsOf("tea");
    const anchors = links.map(
      ([, name, fragment]) =>
        `<a data-course-id="t1" data-lesson-id="${ids[name]}" href="https://site.example/tea/${ids[name]}${fragment}">x</a>`,
    );
    expect(await textOf("tea", "From")).toBe(`<p>${anchors.join("\n")}</p>\n`);
  });

  test("name the lesson even without a template, and every other byte stays as written", async () => {
    const html = `<p>é <A title='a&amp;b' HREF=../02-pots/02-iron%20kettle.md >x</A><a href='../03-end'>&copy;</a> "`;
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
    writeTea("[x](../02-pots/02-iron%20kettle.md#steam)");
    source.write(
      "tea/course.yaml",
      `_id: "a b&c"\nslug: tea?\nname: Tea\nlessonUrl: "/{courseId}/{courseSlug}/{lessonId}"\n`,
    );
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
    source.write(
      "tea/course.yaml",
      `_id: t1\nslug: tea\nname: Tea\nchapters:\n  - name: A\n    lessons: [{file: a.html, name: From}, {file: b.md, id: ${JSON.stringify(id)}}]\n`,
    );
    source.write("tea/b.md", "B");
    const named = `<a data-lesson-id="forged" data-course-id='forged' href="b.md">x</a>`;
    source.write("tea/a.html", `${named}<a href="b.md">x</a>`);
    await importSource();
    const text = await textOf("tea", "From");
    expect(text).toStartWith(named);
    expect(text.slice(named.length)).toBe(
      '<a data-course-id="t1" data-lesson-id="&quot;&#39;&lt;b&gt;&amp;?#%{lessonId}" ' +
        'href="https://site.example/tea/%22&#39;%3Cb%3E%26%3F%23%25%7BlessonId%7D">x</a>',
    );
  });

  test("resolve to parts of one file by heading", async () => {
    source.write(
      "pot/README.md",
      "<!--\nauthor: A\nlanguage: en\n-->\n# Pot\n\n## Water\n\n[x](#green-leaves) [y](#water)\n\n## Green leaves\n\nz\n",
    );
    const problems: string[] = [];
    await importSource({ problems });
    const ids = await idsOf("pot");
    const slug = dataOf(await ask("/courses/pot", live)).name.toLowerCase();
    expect(hrefsOf(await textOf("pot", "Water"))).toEqual([
      `https://site.example/${slug}/${ids["Green leaves"]}`,
      `https://site.example/${slug}/${ids["Water"]}`,
    ]);
    expect(problems).toEqual([]);
  });

  test("resolve to other courses of the source in any order", async () => {
    for (const [one, other] of [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
    ] as const) {
      source.write(`${one}/course.yaml`, `_id: ${one}\nname: ${one}\n`);
      source.write(`${one}/01-x.md`, `---\nname: X\n---\n[x](../${other}/01-x.md) [y](/${other}/01-x)`);
    }
    await importSource();
    for (const [one, other] of [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
    ] as const) {
      const href = `https://site.example/${other}/${(await idsOf(other))["X"]}`;
      expect(hrefsOf(await textOf(one, "X"))).toEqual([href, href]);
    }
    expect((await importSource()).status).toBe("unchanged");
  });

  test("across more courses than memory holds are filled in too", async () => {
    // Over the limit of what is held, as little as can be.
    const filler = "x".repeat(2_800_000);
    for (const one of ["a", "b", "c"]) {
      source.write(`${one}/course.yaml`, `_id: ${one}\nname: ${one}\n`);
      source.write(`${one}/01-x.html`, `---\nname: X\n---\n<a href="../e/01-x.md">${filler}</a>`);
    }
    source.write("e/course.yaml", "_id: e\nname: e\n");
    source.write("e/01-x.md", "---\nname: X\n---\nx");
    await importSource();
    const { X } = await idsOf("e");
    for (const one of ["a", "b", "c"]) {
      expect((await textOf(one, "X")).replace(filler, "")).toBe(
        `<a data-course-id="e" data-lesson-id="${X}" href="https://site.example/e/${X}"></a>`,
      );
    }
  });

  test("follow a lesson whose file moves and keep its id; the plan names lessons whose text changes", async () => {
    writeTea("[x](/02-pots/02-iron%20kettle.md)");
    await importSource();
    const before = await idsOf("tea");
    const target = await lessonOf("tea", "Kettle");
    source.move("tea/02-pots/02-iron kettle.md", "tea/03-end/05-iron.md");
    source.write("tea/01-start/01-from.md", "---\nname: From\n---\n[x](../03-end/05-iron.md)");
    const at = "2026-02-02T00:00:00.000Z";
    await importSource({ at });
    expect(await idsOf("tea")).toEqual(before);
    expect(await lessonOf("tea", "Kettle")).toEqual(target);
    // The author wrote another link, which points to the same address: readers get the same text.
    expect((await lessonOf("tea", "From")).updatedAt).toBe("2026-01-01T00:00:00.000Z");
  });

  test("that resolve to another lesson now change the lesson that contains them", async () => {
    writeTea("[x](../03-end/)");
    await importSource();
    source.write("tea/03-end/00-first.md", "---\nname: First\n---\nNew.");
    const planned = await importSource({ dryRun: true });
    if (planned.status !== "planned") throw new Error(planned.status);
    expect(planned.plan.courses[0]?.lessonsChanged.map(({ name, fields }) => [name, fields])).toEqual([
      ["From", ["additionalText"]],
    ]);
    await importSource({ at: "2026-02-02T00:00:00.000Z" });
    expect((await lessonOf("tea", "From")).updatedAt).toBe("2026-02-02T00:00:00.000Z");
    expect((await lessonOf("tea", "Kettle")).updatedAt).toBe("2026-01-01T00:00:00.000Z");
  });

  test("change with the template in a release where only lessons with links are new; the same template makes none", async () => {
    writeTea("[x](../03-end/)");
    await importSource();
    expect((await importSource()).status).toBe("unchanged");
    const outcome = await importSource({ lessonUrl: "/l/{lessonId}", at: "2026-02-02T00:00:00.000Z" });
    if (outcome.status !== "published") throw new Error(outcome.status);
    expect(outcome.changes).toMatchObject({ coursesChanged: 1, lessonsChanged: 1, lessonsAdded: 0, lessonsRemoved: 0 });
    expect((await lessonOf("tea", "From")).updatedAt).toBe("2026-02-02T00:00:00.000Z");
    expect((await lessonOf("tea", "Last")).updatedAt).toBe("2026-01-01T00:00:00.000Z");
  });

  test("do not affect the id of a lesson that moves while the asset base changes: the author's text is the same", async () => {
    writeTea("x");
    source.write("tea/02-pots/p.png", "");
    source.write("tea/03-end/p.png", "");
    source.write("tea/02-pots/02-iron kettle.md", "![p](p.png)");
    await importSource({ assetBase: "https://one.example/" });
    const before = (await idsOf("tea"))["Iron kettle"];
    source.move("tea/02-pots/02-iron kettle.md", "tea/03-end/05-other.md");
    await importSource({ assetBase: "https://two.example/" });
    expect((await idsOf("tea"))["Other"]).toBe(before);
  });

  test("to missing targets cause warnings at their location, and stay as written", async () => {
    writeTea(`
[gone](../02-pots/07-gone.md)
[heading](../02-pots/02-iron%20kettle.md#smoke)
[here](#nowhere) [there](#top)
[rooted](/old/chapter9/1)
[no lesson](../_notes.md)
`);
    source.write("tea/_notes.md", "x");
    const problems: string[] = [];
    await importSource({ problems, assetBase: "https://assets.example/" });
    const from = "tea/01-start/01-from.md";
    expect(problems.filter((problem) => problem.includes("link")).sort()).toEqual([
      `${from}:5: warning: link "../02-pots/07-gone.md" points to a missing file: tea/02-pots/07-gone.md`,
      `${from}:6: warning: link "../02-pots/02-iron kettle.md#smoke" points to lesson "Kettle", which has no such id: the link opens the lesson's start`,
      `${from}:7: warning: link "#nowhere" points to a missing id`,
      `${from}:8: warning: link "/old/chapter9/1" points to no lesson in this course; a linkMap in course.yaml can redirect it`,
      `${from}:9: warning: link "../_notes.md" points to tea/_notes.md, which is not a lesson in any course: readers get the file itself, or nothing`,
    ]);
    expect(hrefsOf(await textOf("tea", "From"))[4]).toBe("/old/chapter9/1");
  });

  test("follow the linkMap of their course", async () => {
    writeTea("[a](/old/kettle) [b](/old/img/a%20b.png?x#y) [c](setup.html#s) [d](/chap2) [e](/old/other/2#z)");
    source.write(
      "tea/course.yaml",
      `_id: t1
slug: tea
name: Tea
linkMap:
  /old/kettle: 02-pots/02-iron kettle.md#steam
  /old/: https://old.example/archive/
  setup.html: https://setup.example/
  /chap2: 02-pots
`,
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
