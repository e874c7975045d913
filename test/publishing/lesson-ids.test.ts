// Lessons that are read from files keep their ids while the files move.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { ImportOutcome } from "../../src/publishing/import-options.ts";
import { dataOf, releaseOf } from "../support/answers.ts";
import { runCommand } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { createWrittenSource, type WrittenSource } from "../support/written-source.ts";

/** Tests share a store: each has a project of its own. */
let project = "";
let count = 0;

/** An independent implementation of the rule for a file's id. */
const idOf = (path: string, ...more: string[]): string =>
  createHash("sha256")
    .update([project, "lesson", path, ...more].join("\0"))
    .digest("hex")
    .slice(0, 24);

const TEXTS = { a: "# A\n\nOne.\n", b: "# B\n\nTwo.\n", c: "# C\n\nThree.\n" };

describe("ids of lesson files", () => {
  const database = useTestStore();
  let source: WrittenSource;
  const ask = createAsk(database);
  let live: string;
  let [A, B] = ["", ""];
  beforeEach(async () => {
    project = `acme-${++count}`;
    source = createWrittenSource(project);
    live = await createKey(database.store, project);
    [A, B] = [idOf("tea/01-basics/01-a.md"), idOf("tea/01-basics/02-b.md")];
    source.write("tea/course.yaml", "_id: tea\nname: Tea\n");
    source.write("tea/01-basics/01-a.md", TEXTS.a);
    source.write("tea/01-basics/02-b.md", TEXTS.b);
    await source.import(database.store);
  });
  afterEach(() => source.drop());

  const importAgain = async (channel?: string): Promise<ImportOutcome & { status: "published" }> => {
    const outcome = await source.import(database.store, channel === undefined ? {} : { channel });
    if (outcome.status !== "published") throw new Error(`expected a release, got ${outcome.status}`);
    return outcome;
  };
  const idsOf = async (key = live): Promise<string[]> =>
    dataOf(await ask("/courses/tea/lessons", key)).results.map((lesson) => lesson.id);
  const textOf = async (id: string): Promise<string> =>
    dataOf(await ask(`/courses/tea/lessons/${id}`, live)).additionalText;

  test("derive from the path at first", async () => {
    expect(await idsOf()).toEqual([A, B]);
  });

  test("stay with the content when a file moves within its chapter, to another, and onward", async () => {
    source.move("tea/01-basics/01-a.md", "tea/01-basics/07-other-name.md");
    expect((await importAgain()).movedFiles).toBe(1);
    expect(await idsOf()).toEqual([B, A]);
    source.move("tea/01-basics/07-other-name.md", "tea/02-more/01-x.md");
    expect((await importAgain()).movedFiles).toBe(1);
    expect(await idsOf()).toEqual([B, A]);
    expect(await textOf(A)).toContain("One.");
  });

  test("stay with parts of one file when the file moves, even for an edited part, and when a heading changes", async () => {
    const toText = (water: string, leaves: string): string =>
      `<!--\nauthor: A\nlanguage: en\n-->\n# Pot\n\n## Basics\n\n### Water\n\n${water}\n\n### ${leaves}\n\nGreen.\n`;
    const lessons = async (): Promise<string[][]> =>
      dataOf(await ask("/courses/pot/lessons", live)).results.map(({ id, name }) => [id, name]);
    const [water, leaves] = [idOf("pot/README.md#water"), idOf("pot/README.md#leaves")];
    source.write("pot/README.md", toText("Hot.", "Leaves"));
    await importAgain();
    expect(await lessons()).toEqual([
      [water, "Water"],
      [leaves, "Leaves"],
    ]);

    source.remove("pot/README.md");
    source.write("pot/course.md", toText("Hot, not boiling.", "Leaves"));
    const moved = await importAgain();
    expect(moved).toMatchObject({ movedFiles: 1, changes: { lessonsAdded: 0, lessonsChanged: 1, lessonsRemoved: 0 } });
    source.write("pot/course.md", toText("Hot, not boiling.", "Which leaves"));
    const plan = await source.import(database.store, { dryRun: true });
    expect(plan).toMatchObject({
      plan: {
        courses: [{ lessonsMoved: [{ id: leaves, from: "pot/course.md#leaves", to: "pot/course.md#which-leaves" }] }],
      },
    });
    const renamed = await importAgain();
    expect(renamed).toMatchObject({
      movedFiles: 0,
      changes: { lessonsAdded: 0, lessonsChanged: 1, lessonsRemoved: 0 },
    });
    expect(await lessons()).toEqual([
      [water, "Water"],
      [leaves, "Which leaves"],
    ]);
  });

  test("stay when a lesson is named after its file and the file is renamed", async () => {
    source.write("tea/01-basics/03-pitch.html", "<p>How high it sounds.</p>");
    await importAgain();
    const before = await idsOf();
    source.move("tea/01-basics/03-pitch.html", "tea/01-basics/03-tone.html");
    const outcome = await importAgain();
    expect(outcome.movedFiles).toBe(1);
    expect(outcome.changes).toMatchObject({ lessonsAdded: 0, lessonsChanged: 1, lessonsRemoved: 0 });
    expect(await idsOf()).toEqual(before);
  });

  test("stay when the file is edited after a move, even repeatedly", async () => {
    source.move("tea/01-basics/01-a.md", "tea/02-more/01-a.md");
    await importAgain();
    for (const text of ["Edited.", "Edited again."]) {
      source.write("tea/02-more/01-a.md", `# A\n\n${text}\n`);
      const { changes, movedFiles } = await importAgain();
      expect([changes.lessonsAdded, changes.lessonsChanged, changes.lessonsRemoved, movedFiles]).toEqual([0, 1, 0, 0]);
      expect(await idsOf()).toEqual([B, A]);
      expect(await textOf(A)).toContain(text);
    }
  });

  test("are not reused for a new file at the old path of a moved one", async () => {
    source.move("tea/01-basics/01-a.md", "tea/02-more/01-a.md");
    source.write("tea/01-basics/01-a.md", TEXTS.c);
    await importAgain();
    const other = idOf("tea/01-basics/01-a.md", "2");
    expect(await idsOf()).toEqual([other, B, A]);
    expect([await textOf(other), await textOf(A)]).toEqual([
      expect.stringContaining("Three."),
      expect.stringContaining("One."),
    ]);
    // And each keeps what it has.
    source.write("tea/01-basics/01-a.md", "# C\n\nThree, edited.\n");
    source.write("tea/02-more/01-a.md", "# A\n\nOne, edited.\n");
    await importAgain();
    expect(await idsOf()).toEqual([other, B, A]);
    // A third one at that path gets a third id while both are there.
    source.move("tea/01-basics/01-a.md", "tea/02-more/02-c.md");
    source.write("tea/01-basics/01-a.md", "# D\n\nFour.\n");
    await importAgain();
    expect(await idsOf()).toEqual([idOf("tea/01-basics/01-a.md", "3"), B, A, other]);
  });

  test("are swapped when two files are swapped", async () => {
    source.move("tea/01-basics/01-a.md", "tea/01-basics/tmp");
    source.move("tea/01-basics/02-b.md", "tea/01-basics/01-a.md");
    source.move("tea/01-basics/tmp", "tea/01-basics/02-b.md");
    const { changes, movedFiles } = await importAgain();
    expect(await idsOf()).toEqual([B, A]);
    expect([changes.lessonsAdded, changes.lessonsChanged, changes.lessonsRemoved, movedFiles]).toEqual([0, 0, 0, 2]);
    expect((await source.import(database.store)).status).toBe("unchanged");
  });

  test("follow the path for files with equal content, so that each keeps its own", async () => {
    source.write("tea/01-basics/03-a-again.md", TEXTS.a);
    source.write("tea/01-basics/04-a-again.md", TEXTS.a);
    await importAgain();
    const twins = [idOf("tea/01-basics/03-a-again.md"), idOf("tea/01-basics/04-a-again.md")];
    expect(await idsOf()).toEqual([A, B, ...twins]);
    expect((await source.import(database.store)).status).toBe("unchanged");
    // One of them moves: it is that one whose path is gone.
    source.move("tea/01-basics/03-a-again.md", "tea/02-more/01-a.md");
    await importAgain();
    expect(await idsOf()).toEqual([A, B, twins[1] as string, twins[0] as string]);
    // A copy takes nothing from its original.
    source.write("tea/02-more/02-a.md", TEXTS.a);
    await importAgain();
    expect(await idsOf()).toEqual([A, B, twins[1] as string, twins[0] as string, idOf("tea/02-more/02-a.md")]);
  });

  test("do not change if authored, and are never assigned to other files", async () => {
    source.write("tea/01-basics/03-c.md", `---\nid: ${A}-mine\n---\n${TEXTS.c}`);
    await importAgain();
    // Moved, with its id: the id is the author's still. Another file with its text takes nothing.
    source.move("tea/01-basics/03-c.md", "tea/02-more/01-c.md");
    source.write("tea/01-basics/03-c.md", TEXTS.c);
    const { movedFiles } = await importAgain();
    expect(await idsOf()).toEqual([A, B, idOf("tea/01-basics/03-c.md"), `${A}-mine`]);
    expect(movedFiles).toBe(0);
  });

  test("can be overridden by the author: a file with another id is another lesson, and the reverse", async () => {
    source.write("tea/01-basics/01-a.md", `---\nid: mine\n---\n${TEXTS.a}`);
    const { changes } = await importAgain();
    expect([changes.lessonsAdded, changes.lessonsRemoved]).toEqual([1, 1]);
    expect(await idsOf()).toEqual(["mine", B]);
    // Without the line again it is the same file with the same content: the id it has stays.
    source.write("tea/01-basics/01-a.md", TEXTS.a);
    await source.import(database.store);
    expect(await idsOf()).toEqual(["mine", B]);
  });

  test("must not be authored if another file in the course has the same generated id", async () => {
    source.write("tea/01-basics/03-c.md", `---\nid: ${A}\n---\n${TEXTS.c}`);
    const error: unknown = await source.import(database.store).catch((reason: unknown) => reason);
    expect(String(error)).toContain(`lesson id "${A}" is also the id of the lesson at `);
    expect(await idsOf()).toEqual([A, B]);
  });

  test("do not move between courses", async () => {
    source.write("coffee/course.yaml", "_id: coffee\nname: Coffee\n");
    source.write("coffee/01-basics/01-z.md", "# Z\n\nZ.\n");
    source.move("tea/01-basics/01-a.md", "coffee/01-basics/02-a.md");
    await importAgain();
    expect(await idsOf()).toEqual([B]);
    const coffee = dataOf(await ask("/courses/coffee/lessons", live)).results.map((lesson) => lesson.id);
    expect(coffee).toEqual([idOf("coffee/01-basics/01-z.md"), idOf("coffee/01-basics/02-a.md")]);
  });

  test("on a preview are those of its branch, and stay the same after an import to live", async () => {
    const preview = await createKey(database.store, project, { channel: "pr-1" });
    source.move("tea/01-basics/01-a.md", "tea/02-more/01-a.md");
    await importAgain("pr-1");
    expect([await idsOf(), await idsOf(preview)]).toEqual([
      [A, B],
      [B, A],
    ]);
    source.write("tea/02-more/01-a.md", "# A\n\nEdited on the branch.\n");
    await importAgain("pr-1");
    expect(await idsOf(preview)).toEqual([B, A]);
  });

  test("survive an import of moves alone, which changes no answer and reports the moves", async () => {
    source.write("sound/course.yaml", "_id: sound\nname: Sound\nchapters:\n  - name: Waves\n    lessons: [one, two]\n");
    source.write("sound/one.md", TEXTS.a);
    source.write("sound/two.md", TEXTS.b);
    await importAgain();
    const before = await Promise.all(["/courses/sound", "/courses/sound/lessons"].map((path) => ask(path, live)));
    source.move("sound/one.md", "sound/first.md");
    source.write(
      "sound/course.yaml",
      "_id: sound\nname: Sound\nchapters:\n  - name: Waves\n    lessons: [first, two]\n",
    );
    const run = (...args: string[]) =>
      runCommand(["import", source.path, "--project", project, "--database", database.url, ...args]);
    const dryRun = await run("--dry-run");
    expect(dryRun.stdout).toContain(
      `~ course "Sound" (sound)\n    > lesson "A" (${idOf("sound/one.md")}): moved from sound/one.md to sound/first.md, same id\n`,
    );
    const { stdout } = await run();
    expect(stdout).toEndWith("\n  1 lesson file moved; the lessons keep their ids\n");
    const after = await Promise.all(["/courses/sound", "/courses/sound/lessons"].map((path) => ask(path, live)));
    expect(after.map(releaseOf)).toEqual([3, 3]);
    expect(after.map((answer) => [answer.text, answer.headers.get("etag")])).toEqual(
      before.map((answer) => [answer.text, answer.headers.get("etag")]),
    );
    const again = await run();
    expect(again.stdout).toBe(`Nothing changed. Release 3 of ${project} stays on live.\n`);
  });
});
