// The commands around releases and channels, and what they print.
import { beforeEach, describe, expect, test } from "bun:test";
import { type AuthoredCourse, importNdjson, toNdjson } from "../support/catalog.ts";
import { runCommand, type CommandResult } from "../support/command.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("lectern", () => {
  const database = useTestStore();
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;
  beforeEach(() => {
    project = `acme-${++count}`;
  });

  const run = (...args: string[]): Promise<CommandResult> =>
    runCommand([...args, "--project", project, "--database", database.url]);
  const importAt = async (at: string, courses: AuthoredCourse[], channel = "live"): Promise<void> => {
    const { outcome } = await importNdjson(database.store, project, toNdjson(courses), at, { channel });
    expect(outcome.status).toBe("published");
  };
  const edition = (number: number): AuthoredCourse[] => [
    {
      _id: "a",
      slug: `a-${number}`,
      name: `Edition ${number}`,
      chapters: [{ name: "A", lessons: [{ id: "l", name: "L" }] }],
    },
    { _id: "d", slug: "d", name: "Draft", published: false },
  ];
  const fails = async (args: string[], message: string): Promise<void> => {
    expect({ args, ...(await run(...args)) }).toEqual({
      args,
      exitCode: 1,
      stdout: "",
      stderr: `lectern: ${message}\n`,
    });
  };

  describe("publish and rollback", () => {
    beforeEach(async () => {
      for (const number of [1, 2, 3]) await importAt(`2026-01-0${number}T00:00:00.000Z`, edition(number));
      await importAt("2026-01-04T00:00:00.000Z", edition(4), "pr-1");
    });

    test("go one step further back on a second rollback, up to the first release", async () => {
      expect((await run("rollback")).stdout).toBe(
        `Channel live of ${project} is now at release 2 (was at release 3).\n`,
      );
      expect((await run("rollback")).stdout).toBe(
        `Channel live of ${project} is now at release 1 (was at release 2).\n`,
      );
      await fails(["rollback"], `Channel live of ${project} has no release before the current one.`);
      expect((await run("rollback", "--to", "3")).stdout).toBe(
        `Channel live of ${project} is now at release 3 (was at release 1).\n`,
      );
      expect((await run("rollback", "--to", "3")).stdout).toBe(`Channel live of ${project} is already at release 3.\n`);
    });

    test("take one step back to the publication before a rollback", async () => {
      await run("rollback");
      await run("publish", "--release", "4");
      expect((await run("rollback")).stdout).toBe(
        `Channel live of ${project} is now at release 2 (was at release 4).\n`,
      );
      expect((await run("rollback")).stdout).toBe(
        `Channel live of ${project} is now at release 1 (was at release 2).\n`,
      );
    });

    test("refuse missing projects, releases and channels", async () => {
      await fails(["publish", "--release", "5"], `Project ${project} has no release 5.`);
      await fails(
        ["rollback", "--to", "4"],
        `Channel live of ${project} has never published release 4; ` +
          "`lectern publish` publishes a release from another channel.",
      );
      await fails(
        ["rollback", "--channel", "pr-2"],
        `Project ${project} has no channel pr-2. Did you mean channel pr-1?`,
      );
      await fails(
        ["rollback", "--channel", "pr-1"],
        `Channel pr-1 of ${project} has no release before the current one.`,
      );
      await fails(["channels", "delete", "pr-2"], `Project ${project} has no channel pr-2. Did you mean channel pr-1?`);
      const wrong = [
        ["publish"],
        ["publish", "--release", "0"],
        ["publish", "--release", "x"],
        ["rollback", "--to", "1.5"],
      ];
      for (const args of wrong) expect([args, (await run(...args)).exitCode]).toEqual([args, 2]);
      expect(await database.store.publishing.listPublications(project)).toHaveLength(4);
    });

    test("create a missing channel, and say when there is nothing to do", async () => {
      expect((await run("publish", "--release", "2", "--channel", "pr-2")).stdout).toBe(
        `Channel pr-2 of ${project} is now at release 2.\n`,
      );
      expect((await run("publish", "--release", "2", "--channel", "pr-2")).stdout).toBe(
        `Channel pr-2 of ${project} is already at release 2.\n`,
      );
    });

    test("do not see other projects' releases", async () => {
      const result = await runCommand(["publish", "--release", "1", "--project", "other", "--database", database.url]);
      expect([result.exitCode, result.stderr]).toEqual([1, "lectern: Project other has no release 1.\n"]);
    });
  });

  describe("releases", () => {
    test("shows the log, newest first, with current, kept and pruned releases", async () => {
      await importAt("2026-01-01T00:00:00.000Z", [{ _id: "a", name: "A" }]);
      await importAt("2026-01-02T00:00:00.000Z", edition(2));
      await importAt("2026-01-03T00:00:00.000Z", edition(3), "pr-1");
      await run("rollback");
      await run("channels", "delete", "pr-1");
      await database.execute(
        "update publications set published_at = '2026-01-05T00:00:00.000Z' where action <> 'import'",
      );
      await run("prune", "--keep", "1");
      const { stdout } = await run("releases");
      const lines = stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split(/ {2,}/));
      const source = "file courses.ndjson";
      const at = "2026-01-05T00:00:00.000Z";
      expect(lines).toEqual([
        ["RELEASE", "CHANNEL", "PUBLISHED", "BY", "SOURCE", "COURSES", "DRAFTS", "LESSONS", "CHANGED", "STATE"],
        ["", "pr-1", at, "delete"],
        ["1", "live", at, "rollback", source, "1", "0", "0", "+1 ~0 -0", "current"],
        ["3", "pr-1", "2026-01-03T00:00:00.000Z", "import", source, "1", "1", "1", "+0 ~1 -0", "pruned"],
        ["2", "live", "2026-01-02T00:00:00.000Z", "import", source, "1", "1", "1", "+1 ~1 -0", "pruned"],
        ["1", "live", "2026-01-01T00:00:00.000Z", "import", source, "1", "0", "0", "+1 ~0 -0", "kept"],
      ]);
      const log = JSON.parse((await run("releases", "--json")).stdout) as object[];
      expect(log).toHaveLength(5);
      expect(log[0]).toEqual({ release: null, channel: "pr-1", publishedAt: at, action: "delete", isCurrent: false });
      const changes = { coursesChanged: 0, coursesRemoved: 0, lessonsAdded: 0, lessonsChanged: 0, lessonsRemoved: 0 };
      const entry = { release: 1, channel: "live", publishedAt: at, action: "rollback", isCurrent: true };
      const release = {
        createdAt: "2026-01-01T00:00:00.000Z",
        prunedAt: null,
        source,
        sourceName: null,
        courses: 1,
        drafts: 0,
        lessons: 0,
      };
      expect(log[1]).toEqual({ ...entry, ...release, changes: { coursesAdded: 1, ...changes } });
      expect(log[2]).toMatchObject({ release: 3, isCurrent: false, prunedAt: expect.stringMatching(TIMESTAMP) });
    });
  });

  describe("channels", () => {
    test("lists channels, and keys whose channel is missing or deleted", async () => {
      await importAt("2026-01-01T00:00:00.000Z", edition(1));
      await importAt(new Date(Date.now() - 5 * 3_600_000).toISOString(), edition(2), "pr-1");
      await importAt("2026-01-01T00:00:00.000Z", edition(3), "pr-2");
      await run("channels", "delete", "pr-2");
      for (const channel of ["live", "live", "pr-1", "pr-2", "later"])
        await createKey(database.store, project, { channel });
      const [first] = await database.store.keys.listKeys(project);
      const [revoked, expired] = [await run("keys", "create", "--json"), await run("keys", "create", "--json")].map(
        ({ stdout }) => (JSON.parse(stdout) as { id: string }).id,
      );
      await database.store.keys.revokeKey(revoked ?? "", new Date().toISOString());
      await database.store.keys.expireKey(expired ?? "", new Date().toISOString());
      expect(first?.channel).toBe("later");
      const { stdout } = await run("channels");
      expect(
        stdout
          .trimEnd()
          .split("\n")
          .map((line) => line.split(/ {2,}/)),
      ).toEqual([
        ["CHANNEL", "RELEASE", "PUBLISHED", "LIVE KEYS"],
        ["later", "none", "1"],
        ["live", "1", "2026-01-01T00:00:00.000Z", "2"],
        ["pr-1", "2", expect.stringMatching(TIMESTAMP), "1"],
        ["pr-2", "none", "1"],
      ]);
      expect(JSON.parse((await run("channels", "list", "--json")).stdout)).toEqual([
        { channel: "later", release: null, publishedAt: null, keys: 1 },
        { channel: "live", release: 1, publishedAt: "2026-01-01T00:00:00.000Z", keys: 2 },
        { channel: "pr-1", release: 2, publishedAt: expect.stringMatching(TIMESTAMP), keys: 1 },
        { channel: "pr-2", release: null, publishedAt: null, keys: 1 },
      ]);
    });

    test("says how to create one in a project without any", async () => {
      await importAt("2026-01-01T00:00:00.000Z", edition(1));
      const other = ["--project", "other", "--database", database.url];
      const stderr = "lectern: Project other has no channels. Create one: lectern import SOURCE --project other\n";
      expect(await runCommand(["channels", ...other])).toEqual({ exitCode: 1, stdout: "", stderr });
      expect(await runCommand(["channels", "--json", ...other])).toEqual({ exitCode: 1, stdout: "[]\n", stderr });
    });
  });

  describe("get", () => {
    beforeEach(async () => {
      await importAt("2026-01-01T00:00:00.000Z", edition(1));
      await importAt("2026-01-02T00:00:00.000Z", edition(2));
      await importAt("2026-01-03T00:00:00.000Z", edition(3), "pr-1");
    });

    const get = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await run("get", ...args);
      const [head = "", body = ""] = stdout.split("\n\n");
      const [status, ...fields] = head.split("\n");
      const headers = Object.fromEntries(fields.map((field) => field.split(": ") as [string, string]));
      return { exitCode, stderr, status, headers, body };
    };

    test("prints status, headers and body of a success, and exits with 0", async () => {
      const answer = await get("/api/v1/courses/a");
      expect([answer.exitCode, answer.stderr, answer.status]).toEqual([0, "", "HTTP 200"]);
      expect(answer.headers).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        "catalog-release": "2",
        etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      });
      expect(JSON.parse(answer.body)).toMatchObject({
        data: { _id: "a", name: "Edition 2" },
        success: true,
        code: 200,
      });
    });

    test("reads pinned releases, former slugs, channels and drafts as a key would", async () => {
      expect((await get("/api/v1/courses/a?release=1")).body).toContain("Edition 1");
      const former = await get("/api/v1/courses/a-1/lessons");
      expect([former.status, former.headers["content-location"]]).toEqual(["HTTP 200", "../a-2/lessons"]);
      expect((await get("/api/v1/courses/a", "--channel", "pr-1")).body).toContain("Edition 3");
      expect((await get("/api/v1/courses/d")).status).toBe("HTTP 404");
      expect((await get("/api/v1/courses/d", "--drafts")).status).toBe("HTTP 200");
    });

    test("exits with 1 for every other answer, and prints it in full", async () => {
      for (const [path, code, release] of [
        ["/api/v1/courses/nothing", 404, "2"],
        ["/api/v1/courses?release=3", 404, undefined],
        ["/api/v1/courses?release=x", 400, undefined],
        ["/api/v1/nothing", 404, undefined],
        ["/api/v1/courses/%zz", 400, undefined],
      ] as const) {
        const answer = await get(path);
        expect([answer.exitCode, answer.status]).toEqual([1, `HTTP ${code}`]);
        expect(answer.stderr).toBe(`lectern: The status is ${code}.\n`);
        expect(answer.headers["catalog-release"]).toBe(release as string);
        expect(JSON.parse(answer.body)).toMatchObject({ data: {}, success: false, code });
      }
      await fails(["get", "courses"], "Invalid PATH `courses`. A path begins with a slash: /api/v1/courses.");
    });

    test("creates no key and does not count as a use of one", async () => {
      await createKey(database.store, project);
      await get("/api/v1/courses");
      const keys = await database.store.keys.listKeys(project);
      expect(keys.map((key) => key.lastUsedAt)).toEqual([undefined]);
    });
  });
});
