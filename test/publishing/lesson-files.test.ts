// Lessons that are read from files: they keep their ids while the files move, and link to one another by files.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ImportOutcome } from "../../src/publishing/import-options.ts";
import { dataOf, releaseOf } from "../support/answers.ts";
import { runCommand } from "../support/command.ts";
import { writeFiles } from "../support/written-folder.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { createWrittenSource, type WrittenImportOptions, type WrittenSource } from "../support/written-source.ts";

const database = useTestStore();
const ask = createAsk(database);
let source: WrittenSource;
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

/** The lessons of a course in their order. */
const listLessons = async (course = "tea", key = live): Promise<{ id: string; name: string }[]> =>
  dataOf(await ask(`/courses/${course}/lessons`, key)).results;
const readLesson = async (course: string, id = "") => dataOf(await ask(`/courses/${course}/lessons/${id}`, live));

/** An independent implementation of the rule for a file's id. */
const idOf = (path: string, ...more: string[]): string =>
  createHash("sha256")
    .update([project, "lesson", path, ...more].join("\0"))
    .digest("hex")
    .slice(0, 24);

const TEXTS = { a: "# A\n\nOne.\n", b: "# B\n\nTwo.\n", c: "# C\n\nThree.\n" };
const [FILE_A, FILE_B] = ["tea/01-basics/01-a.md", "tea/01-basics/02-b.md"];

describe("ids of lesson files", () => {
  let [A, B] = ["", ""];
  beforeEach(async () => {
    [A, B] = [idOf(FILE_A), idOf(FILE_B)];
    source.write("tea/course.yaml", "_id: tea\nname: Tea\n");
    source.write(FILE_A, TEXTS.a);
    source.write(FILE_B, TEXTS.b);
    await source.import(database.store);
  });

  const importAgain = async (channel = "live"): Promise<ImportOutcome & { status: "published" }> => {
    const outcome = await source.import(database.store, { channel });
    if (outcome.status !== "published") throw new Error(`expected a release, got ${outcome.status}`);
    return outcome;
  };
  /** What an import says of lessons: added, changed, removed, and files that moved. */
  const countChanges = async (): Promise<number[]> => {
    const { changes, movedFiles } = await importAgain();
    return [changes.lessonsAdded, changes.lessonsChanged, changes.lessonsRemoved, movedFiles];
  };
  const idsOf = async (course = "tea", key = live): Promise<string[]> =>
    (await listLessons(course, key)).map(({ id }) => id);

  // Steps after an import of `1-x/1-a=One 1-x/2-b=Two`: the files with their texts, and the path that each lesson's id is made of.
  test.each<[what: string, ...steps: [files: string, ids: string][]]>([
    [
      "stay with the content when a file moves within its chapter, to another, and is edited there",
      ["1-x/2-b=Two 1-x/7-other=One", "1-x/2-b 1-x/1-a"],
      ["1-x/2-b=Two 2-y/1-c=One", "1-x/2-b 1-x/1-a"],
      ["1-x/2-b=Two 2-y/1-c=Edited", "1-x/2-b 1-x/1-a"],
      ["1-x/2-b=Two 2-y/1-c=Edited-again", "1-x/2-b 1-x/1-a"],
    ],
    [
      "are not reused for a new file at the old path of a moved one, and each keeps its own",
      ["1-x/1-a=Three 1-x/2-b=Two 2-y/1-a=One", "1-x/1-a+2 1-x/2-b 1-x/1-a"],
      ["1-x/1-a=Third 1-x/2-b=Two 2-y/1-a=First", "1-x/1-a+2 1-x/2-b 1-x/1-a"],
      ["1-x/1-a=Four 1-x/2-b=Two 2-y/1-a=First 2-y/2-c=Third", "1-x/1-a+3 1-x/2-b 1-x/1-a 1-x/1-a+2"],
    ],
    ["are swapped when two files are swapped", ["1-x/1-a=Two 1-x/2-b=One", "1-x/2-b 1-x/1-a"]],
    [
      "follow the path for files with equal content; a copy takes nothing from its original",
      ["1-x/1-a=One 1-x/2-b=Two 1-x/3-c=One 1-x/4-d=One", "1-x/1-a 1-x/2-b 1-x/3-c 1-x/4-d"],
      ["1-x/1-a=One 1-x/2-b=Two 1-x/4-d=One 2-y/1-e=One", "1-x/1-a 1-x/2-b 1-x/4-d 1-x/3-c"],
      ["1-x/1-a=One 1-x/2-b=Two 1-x/4-d=One 2-y/1-e=One 2-y/2-f=One", "1-x/1-a 1-x/2-b 1-x/4-d 1-x/3-c 2-y/2-f"],
    ],
    [
      "are the author's if authored: never another file's, and those of another lesson",
      ["1-x/1-a=One 1-x/2-b=Two 1-x/3-c=Three@mine", "1-x/1-a 1-x/2-b mine"],
      ["1-x/1-a=One 1-x/2-b=Two 1-x/3-c=Three 2-y/1-c=Three@mine", "1-x/1-a 1-x/2-b 1-x/3-c mine"],
      ["1-x/1-a=One@other 1-x/2-b=Two", "other 1-x/2-b"],
    ],
  ])("%s", async (_what, ...steps) => {
    for (const [files, ids] of [["1-x/1-a=One 1-x/2-b=Two", "1-x/1-a 1-x/2-b"] as const, ...steps]) {
      source.remove("tea");
      source.write("tea/course.yaml", "_id: tea\nname: Tea\n");
      for (const file of files.split(" ")) {
        const [path = "", text = "", id] = file.split(/[=@]/);
        source.write(`tea/${path}.md`, `${id === undefined ? "" : `---\nid: ${id}\n---\n`}# ${text}\n\n${text}.\n`);
      }
      await importAgain();
      const toId = (path: string): string => {
        const [file = "", ...number] = path.split("+");
        return path.includes("/") ? idOf(`tea/${file}.md`, ...number) : path;
      };
      expect([files, await idsOf()]).toEqual([files, ids.split(" ").map(toId)]);
    }
  });

  test("stay with parts of one file when the file moves, even for an edited part, and when a heading changes", async () => {
    const toText = (water: string, leaves: string): string =>
      `<!--\nauthor: A\nlanguage: en\n-->\n# Pot\n\n## Basics\n\n### Water\n\n${water}\n\n### ${leaves}\n\nGreen.\n`;
    const ids = [idOf("pot/README.md#water"), idOf("pot/README.md#leaves")];
    source.write("pot/README.md", toText("Hot.", "Leaves"));
    await importAgain();
    expect(await idsOf("pot")).toEqual(ids);
    source.remove("pot/README.md");
    source.write("pot/course.md", toText("Hot, not boiling.", "Leaves"));
    expect(await countChanges()).toEqual([0, 1, 0, 1]);
    source.write("pot/course.md", toText("Hot, not boiling.", "Which leaves"));
    expect(await countChanges()).toEqual([0, 1, 0, 0]);
    expect(await idsOf("pot")).toEqual(ids);
  });

  test("must not be authored if another file in the course has the same generated id", async () => {
    source.write("tea/01-basics/03-c.md", `---\nid: ${A}\n---\n${TEXTS.c}`);
    const said = await source.import(database.store).catch(String);
    expect(said).toContain(`lesson id "${A}" is also the id of the lesson at `);
    expect(await idsOf()).toEqual([A, B]);
  });

  test("on a preview are those of its branch, and stay the same after an edit", async () => {
    const preview = await createKey(database.store, project, { channel: "pr-1" });
    source.move(FILE_A, "tea/02-more/01-a.md");
    await importAgain("pr-1");
    expect([await idsOf(), await idsOf("tea", preview)]).toEqual([
      [A, B],
      [B, A],
    ]);
    source.write("tea/02-more/01-a.md", "# A\n\nEdited on the branch.\n");
    await importAgain("pr-1");
    expect(await idsOf("tea", preview)).toEqual([B, A]);
  });

  test("survive an import of moves alone, which changes no answer and reports the moves", async () => {
    const before = await ask("/courses/tea", live);
    source.move(FILE_A, "tea/01-basics/01-first.md");
    const run = (...args: string[]) =>
      runCommand(["import", source.path, "--project", project, "--database", database.url, ...args]);
    expect((await run("--dry-run")).stdout).toContain(
      `    > lesson "A" (${A}): moved from ${FILE_A} to tea/01-basics/01-first.md, same id\n`,
    );
    expect((await run()).stdout).toEndWith("\n  1 lesson file moved; the lessons keep their ids\n");
    const after = await ask("/courses/tea", live);
    expect([releaseOf(after), after.text]).toEqual([2, before.text]);
    expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
  });
});

const SITE = "https://site.example/{courseSlug}/{lessonId}{fragment}";
const monthly = (month: number): string => `2026-0${month}-01T00:00:00.000Z`;
const [FIRST, SECOND, THIRD] = [monthly(1), monthly(2), monthly(3)];
const KETTLE = "02-pots/02-iron%20kettle";

describe("links between lessons", () => {
  const importSource = (options: WrittenImportOptions = {}): Promise<ImportOutcome> =>
    source.import(database.store, { lessonUrl: SITE, ...options });
  /** The id of each lesson of a course, by its name. */
  const idsOf = async (course: string): Promise<Record<string, string>> =>
    Object.fromEntries((await listLessons(course)).map(({ id, name }) => [name, id]));
  const lessonOf = async (course: string, name: string) => readLesson(course, (await idsOf(course))[name]);
  const textOf = async (course: string, name: string): Promise<string> => (await lessonOf(course, name)).additionalText;
  const datesOf = async (...names: string[]): Promise<string[]> =>
    Promise.all(names.map(async (name) => (await lessonOf("tea", name)).updatedAt));
  /** The addresses in a text, in their order. */
  const hrefsOf = (html: string): string[] => [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);

  const writeTea = (links: string, settings = ""): void =>
    writeFiles(source.path, {
      "tea/course.yaml": `_id: t1\nslug: tea\nname: Tea\n${settings}`,
      "tea/01-start/01-from.md": `---\nname: From\n---\n${links}`,
      "tea/02-pots/README.md": "---\nname: Pots\n---\nPots.",
      "tea/02-pots/02-iron kettle.md": '---\nname: Kettle\n---\n<i id="steam"></i>Iron.',
      "tea/03-end/01-last.mdx": "---\nname: Last\n---\nLast.",
    });

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

  test("that are hostile resolve to no lesson and change nothing around them", async () => {
    const elsewhere = "javascript:alert(1)//02-pots/ //evil.example/02-pots/ ../../../../../etc/passwd";
    const hrefs = `${elsewhere} ..%2f..%2fetc%2fpasswd ../02-pots/%00 ../02-pots/%zz data:text/html,02-pots/`.split(
      " ",
    );
    const html = hrefs.map((href) => `<a href="${href}">x</a>`).join("\n");
    writeTea("x");
    source.write("tea/01-start/02-evil.html", `---\nname: Evil\n---\n${html}`);
    const problems: string[] = [];
    await importSource({ problems });
    const places = problems.map((problem) => /^tea\/01-start\/02-evil\.html:(\d+): warning: link /.exec(problem)?.[1]);
    // The first is told of as a script.
    expect(places).toEqual([undefined, "6", "7", "8", "9"]);
    expect(await textOf("tea", "Evil")).toBe(html);
  });

  test("stay as written if their author named a lesson; a course can have its own template, from whose URL no id escapes", async () => {
    const id = `"'<b>&?#%{lessonId}`;
    const lessons = `[{file: a.html, name: From}, {file: b.md, id: ${JSON.stringify(id)}}]`;
    const own = `_id: "a b&c"\nslug: tea?\nlessonUrl: "/{courseId}/{courseSlug}/{lessonId}"\n`;
    source.write("tea/course.yaml", `${own}name: Tea\nchapters:\n  - name: A\n    lessons: ${lessons}\n`);
    source.write("tea/b.md", "B");
    const named = `<a data-lesson-id="forged" data-course-id='forged' href="b.md">x</a>`;
    source.write("tea/a.html", `${named}<a href="b.md">x</a>`);
    await importSource();
    expect(await textOf("tea%3F", "From")).toBe(
      `${named}<a data-course-id="a b&amp;c" data-lesson-id="&quot;&#39;&lt;b&gt;&amp;?#%{lessonId}" ` +
        'href="/a%20b%26c/tea%3F/%22&#39;%3Cb%3E%26%3F%23%25%7BlessonId%7D">x</a>',
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
    const pairs = [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
    ] as const;
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
    source.move("tea/02-pots/02-iron kettle.md", "tea/03-end/05-iron.md");
    // The author writes another link, which points to the same address.
    source.write("tea/01-start/01-from.md", "---\nname: From\n---\n[x](../03-end/05-iron.md) [y](../03-end/)");
    await importSource({ at: SECOND });
    expect(await datesOf("From", "Kettle")).toEqual([FIRST, FIRST]);
    source.write("tea/03-end/00-first.md", "---\nname: First\n---\nNew.");
    await importSource({ at: SECOND });
    expect(await datesOf("From", "Kettle")).toEqual([SECOND, FIRST]);
    expect(await importSource({ lessonUrl: "/l/{lessonId}", at: THIRD })).toMatchObject({
      changes: { coursesChanged: 1, lessonsChanged: 1, lessonsAdded: 0, lessonsRemoved: 0 },
    });
  });

  test("to missing targets cause warnings at their location, and stay as written", async () => {
    const links = [
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
      '5: warning: link "../02-pots/02-iron kettle.md#smoke" points to lesson "Kettle", which has no such id: the link ' +
        "opens the lesson's start",
      '6: warning: link "#nowhere" points to a missing id',
      '7: warning: link "/old/chapter9/1" points to no lesson in this course; a linkMap in course.yaml can redirect it',
      '8: warning: link "../_notes.md" points to tea/_notes.md, which is not a lesson in any course: readers get the file ' +
        "itself, or nothing",
    ].map((warning) => `tea/01-start/01-from.md:${warning}`);
    expect(problems.filter((problem) => problem.includes("link")).sort()).toEqual(told);
    expect(hrefsOf(await textOf("tea", "From"))[3]).toBe("/old/chapter9/1");
  });

  test("follow the linkMap of their course", async () => {
    const map = `linkMap:
  /old/kettle: 02-pots/02-iron kettle.md#steam
  /old/: https://old.example/archive/
  setup.html: https://setup.example/
  /chap2: 02-pots
`;
    writeTea("[a](/old/kettle) [b](/old/img/a%20b.png?x#y) [c](setup.html#s) [d](/chap2)", map);
    await importSource();
    const { Kettle, Pots } = await idsOf("tea");
    expect(hrefsOf(await textOf("tea", "From"))).toEqual([
      `https://site.example/tea/${Kettle}#steam`,
      "https://old.example/archive/img/a%20b.png?x#y",
      "https://setup.example/#s",
      `https://site.example/tea/${Pots}`,
    ]);
  });
});

test("lessons rendered differently keep their dates if the author's text is the same, and all their ids", async () => {
  const image = "![a](a.png)\n";
  const texts = {
    "01-path.md": image,
    "02-given.md": `---\nid: given\n---\n${image}`,
    "03-edited.md": image,
    "04-named.md": `---\nname: Old\n---\n${image}`,
    "05-html.html": '<img src="a.png">\n',
    "a.png": "",
  };
  writeFiles(join(source.path, "tea"), texts);
  const importAt = (at: string, host: string) => source.import(database.store, { at, assetBase: `https://${host}/` });
  const readLessons = async () =>
    Promise.all(
      (await listLessons()).map(async ({ id, name }) => {
        const answer = await ask(`/courses/tea/lessons/${id}`, live);
        return { name, id, updatedAt: dataOf(answer).updatedAt, etag: answer.headers.get("etag") };
      }),
    );
  await importAt(FIRST, "one.example");
  const before = await readLessons();
  // Stored as by an earlier version with other texts.
  await database.execute("update course_versions set source_digest = '2.' || substr(source_digest, 3)");
  source.write("tea/03-edited.md", "![b](a.png)\n");
  source.write("tea/04-named.md", `---\nname: New\n---\n${image}`);
  await importAt(SECOND, "two.example");
  const after = await readLessons();
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(after.filter(({ etag }, index) => etag === before[index]?.etag)).toEqual([]);
  const edited = after.filter(({ updatedAt }) => updatedAt === SECOND).map(({ name }) => name);
  expect([edited, after.filter(({ updatedAt }) => updatedAt === FIRST).length]).toEqual([["Edited", "New"], 3]);
  // The stored version renders as this one: all delivered content counts.
  await importAt(THIRD, "three.example");
  expect((await readLessons()).every(({ updatedAt }) => updatedAt === THIRD)).toBe(true);
});
