// What an import does with the courses that its source does not have, and on which channel.
import { beforeEach, describe, expect, test } from "bun:test";
import { dataOf, releaseOf } from "../support/answers.ts";
import { type AuthoredCourse, importNdjson, type ImportResult, toNdjson } from "../support/catalog.ts";
import { runCommand, type CommandResult } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const named = (...ids: string[]): AuthoredCourse[] => ids.map((id) => ({ _id: id, name: `Course ${id}` }));

describe("imports", () => {
  const database = useTestStore();
  const ask = createAsk(database);
  let live: string;
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;
  beforeEach(async () => {
    project = `acme-${++count}`;
    live = await createKey(database.store, project);
  });

  const idsOf = async (key = live): Promise<string[]> =>
    dataOf(await ask("/courses", key)).results.map((course) => course._id);
  const run = (courses: AuthoredCourse[], ...args: string[]): Promise<CommandResult> =>
    runCommand(["import", "-", "--project", project, "--database", database.url, ...args], {
      stdin: toNdjson(courses),
    });
  const importAs = (
    courses: AuthoredCourse[],
    options: { channel?: string; merge?: boolean; dryRun?: boolean } = {},
  ): Promise<ImportResult> => importNdjson(database.store, project, toNdjson(courses), undefined, options);

  describe("with --merge", () => {
    test("keep courses and drafts that the source lacks unchanged", async () => {
      const chapters = [{ name: "A", lessons: [{ id: "l", name: "L" }] }];
      await importAs([
        { _id: "a", name: "A", chapters },
        { _id: "b", name: "B", published: false, chapters },
      ]);
      const before = await ask("/courses/a/lessons/l", live);
      const { outcome } = await importAs(named("c"), { merge: true });
      expect(outcome).toMatchObject({
        status: "published",
        release: { courses: 2, drafts: 1, lessons: 2 },
        changes: { coursesAdded: 1, coursesChanged: 0, coursesRemoved: 0, lessonsRemoved: 0 },
      });
      expect(await idsOf()).toEqual(["a", "c"]);
      const after = await ask("/courses/a/lessons/l", live);
      expect([releaseOf(after), after.text, after.headers.get("etag")]).toEqual([
        2,
        before.text,
        before.headers.get("etag"),
      ]);
    });

    test.each<[what: string, course: AuthoredCourse]>([
      ["the slug of a kept course", { _id: "x", slug: "tea", name: "X" }],
      ["a kept course's id as its slug", { _id: "x", slug: "a", name: "X" }],
      ["a kept course's slug as its id", { _id: "tea", slug: "x", name: "X" }],
    ])("refuse a course with %s, at its location", async (_what, course) => {
      await importAs([{ _id: "a", slug: "tea", name: "Tea" }, ...named("b")]);
      for (const dryRun of [true, false]) {
        expect(await importAs([...named("c"), course], { merge: true, dryRun })).toEqual({
          outcome: { status: "invalid" },
          problems: [
            'courses.ndjson:2: error: the id or slug of this course clashes with the course "a" (slug "tea"), which the ' +
              "source does not contain and --merge keeps",
          ],
        });
      }
      expect(await idsOf()).toEqual(["a", "b"]);
    });
  });

  describe("on channels", () => {
    test("without changes publish the live release on a new channel, without a new release", async () => {
      const preview = await createKey(database.store, project, { channel: "pr-1" });
      await run(named("a", "b"));
      const first = await run(named("b", "a"), "--channel", "pr-1");
      expect(first).toMatchObject({ exitCode: 0, stderr: "" });
      expect(first.stdout).toStartWith(`Published release 1 of ${project} on channel pr-1: 2 courses, 0 lessons.\n`);
      expect(releaseOf(await ask("/courses", preview))).toBe(1);
      expect((await run(named("a", "b"), "--channel", "pr-1")).stdout).toBe(
        `Nothing changed. Release 1 of ${project} stays on pr-1.\n`,
      );
      const log = await database.store.publishing.listPublications(project);
      expect(log.map(({ channel, release }) => [channel, release?.number])).toEqual([
        ["live", 1],
        ["pr-1", 1],
      ]);
      expect(await database.execute(`select id from releases where project = '${project}'`)).toHaveLength(1);
      expect(await database.execute(`select id from course_versions where project = '${project}'`)).toHaveLength(2);
    });

    test("need channel names of 1 to 64 characters A-Z a-z 0-9 . _ -", async () => {
      const wrong = ["", "a/b", "học", "a".repeat(65)];
      for (const channel of wrong) {
        expect([channel, (await run(named("a"), "--channel", channel)).exitCode]).toEqual([channel, 2]);
      }
      expect((await run(named("a"), "--channel", "A.b_c-9")).exitCode).toBe(0);
    });
  });
});
