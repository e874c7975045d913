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
const [FILE_A, FILE_B] = ["tea/01-basics/01-a.md", "tea/01-basics/02-b.md"];

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
    [A, B] = [idOf(FILE_A), idOf(FILE_B)];
    source.write("tea/course.yaml", "_id: tea\nname: Tea\n");
    source.write(FILE_A, TEXTS.a);
    source.write(FILE_B, TEXTS.b);
    await source.import(database.store);
  });
  afterEach(() => source.drop());

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
  const idsOf = async (key = live, course = "tea"): Promise<string[]> =>
    dataOf(await ask(`/courses/${course}/lessons`, key)).results.map((lesson) => lesson.id);
  const textOf = async (id: string): Promise<string> =>
    dataOf(await ask(`/courses/tea/lessons/${id}`, live)).additionalText;

  test("stay with the content when a file moves within its chapter, to another, and is edited there", async () => {
    expect(await idsOf()).toEqual([A, B]);
    source.move(FILE_A, "tea/01-basics/07-other-name.md");
    expect(await countChanges()).toEqual([0, 0, 0, 1]);
    expect(await idsOf()).toEqual([B, A]);
    source.move("tea/01-basics/07-other-name.md", "tea/02-more/01-x.md");
    expect(await countChanges()).toEqual([0, 0, 0, 1]);
    for (const text of ["Edited.", "Edited again."]) {
      source.write("tea/02-more/01-x.md", `# A\n\n${text}\n`);
      expect(await countChanges()).toEqual([0, 1, 0, 0]);
      expect(await idsOf()).toEqual([B, A]);
      expect(await textOf(A)).toContain(text);
    }
  });

  test("stay with parts of one file when the file moves, even for an edited part, and when a heading changes", async () => {
    const toText = (water: string, leaves: string): string =>
      `<!--\nauthor: A\nlanguage: en\n-->\n# Pot\n\n## Basics\n\n### Water\n\n${water}\n\n### ${leaves}\n\nGreen.\n`;
    const ids = [idOf("pot/README.md#water"), idOf("pot/README.md#leaves")];
    source.write("pot/README.md", toText("Hot.", "Leaves"));
    await importAgain();
    expect(await idsOf(live, "pot")).toEqual(ids);
    source.remove("pot/README.md");
    source.write("pot/course.md", toText("Hot, not boiling.", "Leaves"));
    expect(await countChanges()).toEqual([0, 1, 0, 1]);
    source.write("pot/course.md", toText("Hot, not boiling.", "Which leaves"));
    const moved = { id: ids[1], from: "pot/course.md#leaves", to: "pot/course.md#which-leaves" };
    expect(await source.import(database.store, { dryRun: true })).toMatchObject({
      plan: { courses: [{ lessonsMoved: [moved] }] },
    });
    expect(await countChanges()).toEqual([0, 1, 0, 0]);
    expect(await idsOf(live, "pot")).toEqual(ids);
  });

  test("are not reused for a new file at the old path of a moved one", async () => {
    source.move(FILE_A, "tea/02-more/01-a.md");
    source.write(FILE_A, TEXTS.c);
    await importAgain();
    const other = idOf(FILE_A, "2");
    expect(await idsOf()).toEqual([other, B, A]);
    expect(await textOf(other)).toContain("Three.");
    expect(await textOf(A)).toContain("One.");
    // And each keeps what it has.
    source.write(FILE_A, "# C\n\nThree, edited.\n");
    source.write("tea/02-more/01-a.md", "# A\n\nOne, edited.\n");
    await importAgain();
    expect(await idsOf()).toEqual([other, B, A]);
    // A third one at that path gets a third id while both are there.
    source.move(FILE_A, "tea/02-more/02-c.md");
    source.write(FILE_A, "# D\n\nFour.\n");
    await importAgain();
    expect(await idsOf()).toEqual([idOf(FILE_A, "3"), B, A, other]);
  });

  test("are swapped when two files are swapped", async () => {
    source.move(FILE_A, "tea/01-basics/tmp");
    source.move(FILE_B, FILE_A);
    source.move("tea/01-basics/tmp", FILE_B);
    expect(await countChanges()).toEqual([0, 0, 0, 2]);
    expect(await idsOf()).toEqual([B, A]);
    expect((await source.import(database.store)).status).toBe("unchanged");
  });

  test("follow the path for files with equal content, so that each keeps its own", async () => {
    const paths = ["tea/01-basics/03-a-again.md", "tea/01-basics/04-a-again.md"];
    for (const path of paths) source.write(path, TEXTS.a);
    await importAgain();
    const [first = "", second = ""] = paths.map((path) => idOf(path));
    expect(await idsOf()).toEqual([A, B, first, second]);
    expect((await source.import(database.store)).status).toBe("unchanged");
    // One of them moves: it is that one whose path is gone.
    source.move("tea/01-basics/03-a-again.md", "tea/02-more/01-a.md");
    await importAgain();
    expect(await idsOf()).toEqual([A, B, second, first]);
    // A copy takes nothing from its original.
    source.write("tea/02-more/02-a.md", TEXTS.a);
    await importAgain();
    expect(await idsOf()).toEqual([A, B, second, first, idOf("tea/02-more/02-a.md")]);
  });

  test("are the author's if authored: never another file's, and those of another lesson", async () => {
    source.write("tea/01-basics/03-c.md", `---\nid: mine\n---\n${TEXTS.c}`);
    await importAgain();
    // Moved, with its id: the id is the author's still. Another file with its text takes nothing.
    source.move("tea/01-basics/03-c.md", "tea/02-more/01-c.md");
    source.write("tea/01-basics/03-c.md", TEXTS.c);
    expect((await importAgain()).movedFiles).toBe(0);
    const ids = [B, idOf("tea/01-basics/03-c.md"), "mine"];
    expect(await idsOf()).toEqual([A, ...ids]);
    source.write(FILE_A, `---\nid: other\n---\n${TEXTS.a}`);
    expect(await countChanges()).toEqual([1, 0, 1, 0]);
    expect(await idsOf()).toEqual(["other", ...ids]);
    // Without the line again it is the same file with the same content: the id it has stays.
    source.write(FILE_A, TEXTS.a);
    await source.import(database.store);
    expect(await idsOf()).toEqual(["other", ...ids]);
  });

  test("must not be authored if another file in the course has the same generated id", async () => {
    source.write("tea/01-basics/03-c.md", `---\nid: ${A}\n---\n${TEXTS.c}`);
    const said = await source.import(database.store).catch(String);
    expect(said).toContain(`lesson id "${A}" is also the id of the lesson at `);
    expect(await idsOf()).toEqual([A, B]);
  });

  test("do not move between courses", async () => {
    source.write("coffee/course.yaml", "_id: coffee\nname: Coffee\n");
    source.write("coffee/01-basics/01-z.md", "# Z\n\nZ.\n");
    source.move(FILE_A, "coffee/01-basics/02-a.md");
    await importAgain();
    expect(await idsOf()).toEqual([B]);
    expect(await idsOf(live, "coffee")).toEqual([idOf("coffee/01-basics/01-z.md"), idOf("coffee/01-basics/02-a.md")]);
  });

  test("on a preview are those of its branch, and stay the same after an edit", async () => {
    const preview = await createKey(database.store, project, { channel: "pr-1" });
    source.move(FILE_A, "tea/02-more/01-a.md");
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
    const writeOutline = (first: string): void =>
      source.write("sound/course.yaml", `name: Sound\nchapters:\n  - name: Waves\n    lessons: [${first}, two]\n`);
    writeOutline("one");
    source.write("sound/one.md", TEXTS.a);
    source.write("sound/two.md", TEXTS.b);
    await importAgain();
    const read = () => Promise.all(["/courses/sound", "/courses/sound/lessons"].map((path) => ask(path, live)));
    const before = await read();
    source.move("sound/one.md", "sound/first.md");
    writeOutline("first");
    const run = (...args: string[]) =>
      runCommand(["import", source.path, "--project", project, "--database", database.url, ...args]);
    const id = idOf("sound/one.md");
    expect((await run("--dry-run")).stdout).toContain(
      `~ course "Sound" (sound)\n    > lesson "A" (${id}): moved from sound/one.md to sound/first.md, same id\n`,
    );
    expect((await run()).stdout).toEndWith("\n  1 lesson file moved; the lessons keep their ids\n");
    const after = await read();
    expect(after.map(releaseOf)).toEqual([3, 3]);
    const tell = ({ text, headers }: (typeof after)[0]) => [text, headers.get("etag")];
    expect(after.map(tell)).toEqual(before.map(tell));
    expect((await run()).stdout).toBe(`Nothing changed. Release 3 of ${project} stays on live.\n`);
  });
});
