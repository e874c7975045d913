// The commands around releases and channels, and what they print. What imports do with courses that the source lacks,
// `model.test.ts` says.
import { beforeEach, describe, expect, test } from "bun:test";
import type { AuthoredCourse } from "../support/catalog.ts";
import { useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";

const day = (number: number): string => `2026-01-0${number}T00:00:00.000Z`;

const database = useTestStore();
const project = useProject(database);

const importAt = async (at: string, courses: AuthoredCourse[], channel = "live"): Promise<void> => {
  expect((await project.import(courses, { channel }, at)).outcome.status).toBe("published");
};
const edition = (number: number): AuthoredCourse[] => {
  const chapters = [{ name: "A", lessons: [{ id: "l", name: "L" }] }];
  const published = { _id: "a", slug: `a-${number}`, name: `Edition ${number}`, chapters };
  return [published, { _id: "d", slug: "d", name: "Draft", published: false }];
};
const importEditions = async (channels: string[]): Promise<void> => {
  for (const [index, channel] of channels.entries()) await importAt(day(index + 1), edition(index + 1), channel);
};
const fails = async (command: string, message: string): Promise<void> => {
  const args = command.split(" ");
  expect({ args, ...(await project.run(...args)) }).toEqual({
    args,
    exitCode: 1,
    stdout: "",
    stderr: `lectern: ${message}\n`,
  });
};
/** What a command says that must succeed, without the words that they have in common. */
const tell = async (command: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await project.run(...command.split(" "));
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout.replace(` of ${project.name} is`, "");
};
const toCells = (table: string): string[][] =>
  table
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

test("publish and rollback refuse missing releases and channels; publish creates a missing channel", async () => {
  await importEditions(["live", "live", "live", "pr-1"]);
  const noChannel = `Project ${project.name} has no channel pr-2. Did you mean channel pr-1?`;
  await fails("publish --release 5", `Project ${project.name} has no release 5.`);
  await fails(
    "rollback --to 4",
    `Channel live of ${project.name} has never published release 4; ` +
      "`lectern publish` publishes a release from another channel.",
  );
  await fails("rollback --channel pr-2", noChannel);
  await fails("channels delete pr-2", noChannel);
  for (const command of ["publish", "publish --release 0", "publish --release x", "rollback --to 1.5"])
    expect([command, (await project.run(...command.split(" "))).exitCode]).toEqual([command, 2]);
  expect(await database.store.publishing.listPublications(project.name)).toHaveLength(4);
  expect(await tell("publish --release 2 --channel pr-2")).toBe("Channel pr-2 now at release 2.\n");
  expect(await tell("rollback")).toBe("Channel live now at release 2 (was at release 3).\n");
  await tell("rollback");
  await fails("rollback", `Channel live of ${project.name} has no release before the current one.`);
});

test("import --merge refuses a course with the id or slug of a kept one, at its location", async () => {
  await importAt(day(1), [{ _id: "a", slug: "tea", name: "Tea" }]);
  const problem =
    'courses.ndjson:2: error: the id or slug of this course clashes with the course "a" (slug "tea"), which the ' +
    "source does not contain and --merge keeps";
  for (const [_id, slug] of Object.entries({ x: "tea", tea: "x" })) {
    const courses = [
      { _id: "c", name: "C" },
      { _id, slug, name: "X" },
    ];
    expect((await project.import(courses, { merge: true })).problems).toEqual([problem]);
  }
});

test("releases shows the log, newest first, with current, kept and pruned releases", async () => {
  await importAt(day(1), [{ _id: "a", name: "A" }]);
  await importAt(day(2), edition(2));
  await importAt(day(3), edition(3), "pr-1");
  await project.run("rollback");
  await project.run("channels", "delete", "pr-1");
  const at = day(5);
  await database.execute(`update publications set published_at = '${at}' where action <> 'import'`);
  await project.run("prune", "--keep", "1");
  const rows = toCells(await tell("releases")).slice(1);
  expect(rows.map((cells) => [cells[0], cells[1], cells[3], cells.at(-1)])).toEqual([
    ["", "pr-1", "delete", "delete"],
    ["1", "live", "rollback", "current"],
    ["3", "pr-1", "import", "pruned"],
    ["2", "live", "import", "pruned"],
    ["1", "live", "import", "kept"],
  ]);
  const log = JSON.parse(await tell("releases --json")) as object[];
  const rollback = { release: 1, channel: "live", publishedAt: at, action: "rollback", isCurrent: true };
  const from = { createdAt: day(1), prunedAt: null, source: "file courses.ndjson", sourceName: null };
  expect(log[1]).toMatchObject({ ...rollback, ...from, courses: 1, changes: { coursesAdded: 1, lessonsAdded: 0 } });
});

test("channels lists channels, and keys whose channel is missing or deleted", async () => {
  await importAt(day(1), edition(1));
  await importAt(day(1), edition(2), "pr-2");
  await project.run("channels", "delete", "pr-2");
  for (const channel of ["live", "pr-2", "later"]) await project.createKey({ channel });
  const { id: revoked } = JSON.parse(await tell("keys create --json")) as { id: string };
  await database.store.keys.revokeKey(revoked, new Date().toISOString());
  expect(toCells(await tell("channels"))).toEqual([
    ["CHANNEL", "RELEASE", "PUBLISHED", "LIVE KEYS"],
    ["later", "none", "1"],
    ["live", "1", day(1), "2"],
    ["pr-2", "none", "1"],
  ]);
});

describe("get", () => {
  beforeEach(() => importEditions(["live", "live", "pr-1"]));

  const get = async (path: string, ...args: string[]) => {
    const { exitCode, stdout, stderr } = await project.run("get", `/api/v1/${path}`, ...args);
    const [head = "", body = ""] = stdout.split("\n\n");
    const [status, ...fields] = head.split("\n");
    const headers = Object.fromEntries(fields.map((field) => field.split(": ") as [string, string]));
    return { exitCode, stderr, status, headers, body };
  };

  test("prints what a key would read, in full: pinned releases, former slugs, channels and drafts", async () => {
    const { exitCode, status, headers, body } = await get("courses/a");
    expect([exitCode, status, headers["catalog-release"]]).toEqual([0, "HTTP 200", "2"]);
    expect(JSON.parse(body)).toMatchObject({ data: { _id: "a", name: "Edition 2" }, success: true, code: 200 });
    expect((await get("courses/a?release=1")).body).toContain("Edition 1");
    expect((await get("courses/a-1/lessons")).headers["content-location"]).toBe("../a-2/lessons");
    expect((await get("courses/a", "--channel", "pr-1")).body).toContain("Edition 3");
    expect((await get("courses/d")).status).toBe("HTTP 404");
    expect((await get("courses/d", "--drafts")).status).toBe("HTTP 200");
    // It creates no key, and is no use of one.
    const keys = await database.store.keys.listKeys(project.name);
    expect(keys.map((key) => key.lastUsedAt)).toEqual([undefined]);
  });

  test("exits with 1 for every other answer, and prints it in full", async () => {
    const { body, headers, ...answer } = await get("courses/nothing");
    expect(answer).toEqual({ exitCode: 1, status: "HTTP 404", stderr: "lectern: The status is 404.\n" });
    expect([headers["catalog-release"], body]).toEqual(["2", expect.stringContaining('"code":404')]);
    await fails("get courses", "Invalid PATH `courses`. A path begins with a slash: /api/v1/courses.");
  });
});
