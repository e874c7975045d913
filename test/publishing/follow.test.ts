// `lectern follow`: it publishes changes, reports failures, and runs nothing from a source, even from a hostile one.
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeZip } from "../support/archives.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startCommand, startServing } from "../support/command.ts";
import { plantBomb } from "../support/delta-bomb.ts";
import {
  course,
  createRepository,
  git,
  lesson,
  listFailures,
  listSources,
  startFollowing,
  toMembers,
} from "../support/follow.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey, startTestServer, waitFor } from "../support/server.ts";
import { setClock, showCommand } from "../support/shown-command.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { postgres, useTestStore } from "../support/store.ts";
import { makeFolder, writeFiles } from "../support/written-folder.ts";

const PEM = new URL("../hooks/localhost.pem", import.meta.url).pathname;
const serve = (fetch: (request: Request) => Response | Promise<Response>) =>
  Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch });

describe("lectern follow on PostgreSQL", () => {
  const database = useTestStore(postgres);

  test("publishes a Git branch commit by commit, and reports a broken commit", async () => {
    const repository = createRepository();
    const first = repository.commit(course("leaf"));
    const source = [repository.url, "--branch", "main", "--folder", "courses"];
    const following = startFollowing([...source, "--project", "acme", "--database", database.url]);
    expect((await following.until("Published release 1")).revision).toBe(first);
    repository.commit({ "courses/tea/course.yaml": "name: Tea\nchapters: 7\n" });
    const refused = await following.until("Nothing was imported");
    expect(refused).toMatchObject({ level: "error", msg: expect.stringContaining("courses/tea/course.yaml:2") });
    expect(await listFailures(database.url)).toEqual([expect.stringContaining("courses/tea/course.yaml:2")]);
    const server = await startServing(["serve", "--database", database.url]);
    const metrics = (): Promise<string> => fetch(`${server.adminUrl}/metrics`).then(async (answer) => answer.text());
    await waitFor(async () => (await metrics()).includes("lectern_follow_failing 1\n"));
    server.kill();
    const mended = repository.commit(course("leaf", "water"));
    await following.until("Published release 2");
    expect(await listFailures(database.url)).toEqual([]);
    const shown = (commit: string): string => `git ${repository.url} main courses ${commit.slice(0, 12)}`;
    expect(await listSources(database.store, "acme")).toEqual([shown(first), shown(mended)]);
    await server.exited;
    expect(await following.end()).toBe(0);
  });
});

const database = useTestStore();
const into = (project: string): string[] => ["--project", project, "--database", database.url];

const hasLessons = async (project: string, lessons: number): Promise<boolean> =>
  (await database.store.publishing.findCurrentRelease(project, "live"))?.lessons === lessons;
/** Waits until a source is refused, and returns what the log says. */
const untilRefused = async (message: string, ...args: string[]): Promise<string> => {
  const following = startFollowing(args);
  const { msg } = await following.until(message);
  await following.end();
  return msg;
};

describe.concurrent("lectern follow", () => {
  test("runs nothing from a repository, and reveals nothing about this machine", async () => {
    const repository = createRepository();
    const home = makeFolder();
    const mark = join(home, "ran");
    // Settings that the user's own Git would run.
    const filter = `[filter "evil"]\n smudge = touch ${mark}\n required = true\n`;
    writeFiles(home, {
      ".gitconfig": `${filter}[core]\n hooksPath = ${home}/hooks\n fsmonitor = touch ${mark}\n`,
      "hooks/post-checkout": `#!/bin/sh\ntouch ${mark}\n`,
      "secret.md": "secret",
    });
    chmodSync(join(home, "hooks/post-checkout"), 0o755);
    mkdirSync(join(repository.work, "courses/tea"), { recursive: true });
    symlinkSync(join(home, "secret.md"), join(repository.work, "courses/tea/02-secret.md"));
    const module = `[submodule "other"]\n path = other\n url = ext::sh -c touch% ${mark}\n`;
    repository.commit({
      ".gitmodules": module,
      ".gitattributes": "* filter=evil ident eol=crlf\n",
      "courses/tea/01-leaf.md": lesson("leaf", "one $Id$"),
    });
    const push = (): void => {
      git(repository.work, "commit", "--quiet", "-m", "b");
      git(repository.work, "push", "--quiet", repository.url, "HEAD:main");
    };
    git(repository.work, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},other`);
    push();
    const following = startFollowing([repository.url, ...into("hostile")], { env: { HOME: home } });
    await following.until("02-secret.md: error: is a link that points outside");
    git(repository.work, "rm", "--quiet", "courses/tea/02-secret.md");
    push();
    await following.until("Published release 1");
    expect(await following.end()).toBe(0);
    expect(following.log()).toContain("1 submodule");
    const read = createAsk(database);
    const key = await createKey(database.store, "hostile");
    const [, id] = /"_id":"(.*?)"/.exec((await read("/courses", key)).text) ?? [];
    expect((await read(`/courses/${id}?include=lessons`, key)).text).toContain("one $Id$");
    expect(existsSync(mark)).toBe(false);
  });

  test.each([
    [["ext::sh -c touch% ran"], "over https, ssh or file"],
    [["http://127.0.0.1/courses.git"], "over https, ssh or file"],
    [["https://127.0.0.1/courses.git", "--branch=-x"], "not a valid branch name"],
    [["https://127.0.0.1/courses.git", "--folder=../x"], "a path in the repository"],
    [[".", "--branch=main"], "need the URL of a Git repository"],
    [["https://127.0.0.1/", "--api-key-file=/dev/null"], "The API key in /dev/null is missing or invalid."],
    [["https://user:hush@127.0.0.1/", "--api-key-stdin"], "Remove the user name and password from the URL"],
  ])("rejects the source %j", async (args, message) => {
    const { stderr } = await runCommand(["follow", ...args, ...into("none")], { stdin: "key" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("hush");
  });

  test("keeps user and password of a URL out of log and status, and refuses a repository over the limit", async () => {
    const shown = "https://127.0.0.1:1/courses.git";
    const following = startFollowing(["https://anna:hush@127.0.0.1:1/courses.git?token=hush", ...into("private")]);
    expect((await following.until("git ls-remote")).from).toBe(shown);
    const failures = await listFailures(database.url, "private");
    expect(failures).toEqual([expect.stringContaining(shown)]);
    await following.end();
    expect(following.log() + failures.join()).not.toContain("hush");

    const repository = createRepository("sha256");
    repository.commit({ ...course("leaf"), "large.txt": "0".repeat(3_000_000) });
    const tooLarge = "more than 2 MiB (--max-archive-size)";
    await untilRefused(tooLarge, repository.url, "--max-archive-size", "2", ...into("private"));
  });

  test("downloads an archive only when it has changed, and refuses large removals", async () => {
    const asked: number[] = [];
    let [zip, etag] = [makeZip(toMembers(course("leaf", "water"))), '"1"'];
    const server = serve(({ headers }) => {
      const isSame = headers.get("if-none-match") === etag;
      const isKnown = headers.get("authorization") === `Basic ${btoa("anna:hush")}`;
      const status = isKnown ? (isSame ? 304 : 200) : 401;
      asked.push(status);
      return new Response(status === 200 ? zip : null, { status, headers: { etag } });
    });
    const url = `http://anna:hush@127.0.0.1:${server.port}/courses.zip?v=hush`;
    const following = startFollowing([url, ...into("archive")]);
    const { revision = "" } = await following.until("Published release 1");
    await waitFor(() => asked.includes(304));
    expect(asked.slice(0, 2)).toEqual([200, 304]);
    const name = `archive http://127.0.0.1:${server.port}/courses.zip ${revision.slice(0, 12)}`;
    expect(await listSources(database.store, "archive")).toEqual([name]);
    [zip, etag] = [makeZip(toMembers({ "courses/coffee/01-bean.md": lesson("bean") })), '"2"'];
    await following.until("it would remove 1 of 1 course");
    expect(await listFailures(database.url, "archive")).toEqual([expect.stringContaining("--allow-removals")]);
    [zip, etag] = [makeZip(toMembers(course("leaf", "water", "cup"))), '"3"'];
    await following.until("Published release 2");
    expect(await listFailures(database.url, "archive")).toEqual([]);
    await following.end();
    expect(following.log()).not.toContain("hush");
    await server.stop(true);
  });

  test("follows several sources of a file: folder, service, archive and NDJSON", async () => {
    const [root, temporary] = [makeFolder(), makeFolder()];
    const config = join(root, "follow.yaml");
    await publish(database.store, "origin", [{ _id: "a", name: "first" }]);
    const key = await createKey(database.store, "origin");
    const origin = await startTestServer(database.store);
    writeFileSync(`${config}.key`, key);
    const writeAll = (...lessons: string[]): void => {
      writeFiles(join(root, "folder"), course(...lessons));
      writeFileSync(join(root, "tea.zip"), makeZip(toMembers(course(...lessons))));
      writeFileSync(join(root, "milk.ndjson"), JSON.stringify({ _id: "milk", name: lessons.join() }));
    };
    writeAll("leaf");
    // A link to itself in an ignored part is no fault, nor is a `.git` that is such a link or a pipe.
    writeFiles(join(root, "folder"), { ".lecternignore": "private\n", "private/notes.txt": "" });
    symlinkSync("loop", join(root, "folder/private/loop"));
    symlinkSync(".git", join(root, ".git"));
    Bun.spawnSync(["mkfifo", join(root, "folder/.git")]);
    // The archive's course is the folder's: they cannot be in one project.
    const entries = [
      `${root}/folder\n  project: several\n  source: folder\n`,
      `${root}/milk.ndjson\n  project: several\n  source: lines\n`,
      `${origin.url}\n  api-key-file: ${config}.key\n  project: several\n  source: service\n`,
      `${root}/tea.zip\n  project: zipped\n`,
    ];
    writeFileSync(config, `sources:\n- from: ${entries.join("- from: ")}`);
    const following = startFollowing(["--config", config, "--database", database.url], { env: { TMPDIR: temporary } });
    const published = (others: number, zipped: number): Promise<void> =>
      waitFor(async () => {
        const all = await Promise.all(["several", "zipped"].map((project) => listSources(database.store, project)));
        return all.map(({ length }) => length).join() === `${others},${zipped}`;
      });
    await published(3, 1);
    writeAll("leaf", "water");
    await published(5, 2);
    await publish(database.store, "origin", [{ _id: "a", name: "second" }]);
    await published(6, 2);
    expect(await following.end()).toBe(0);
    expect(following.log()).not.toContain(key);
    expect(readdirSync(temporary)).toEqual([]);
    await origin.stop();
  });

  test("reports a fault in the file with its line", async () => {
    const config = join(makeFolder(), "follow.yaml");
    const lines = ["source: x", "sources:", "- form: /srv", "  every: soon", "- from: a", "  project: acme"];
    writeFileSync(config, [...lines, "- from: b", "  project: acme", ""].join("\n"));
    const { exitCode, stderr } = await runCommand(["follow", "--config", config, "--database", database.url]);
    expect(exitCode).toBe(2);
    expect(stderr.replaceAll(`${config}:`, "").trimEnd().split("\n")).toEqual([
      '1:1: error: unknown key "source": the only valid key is sources',
      '3:3: error: unknown key "form"; did you mean from?',
      "4:3: error: every: Expected a number and a unit, such as 90d, 12h, 30m or 45s.",
      "3:3: error: from must be a source's URL or path",
      "3:3: error: an entry must name a project",
      "7:3: error: another entry also publishes to project acme and channel live: give each its own source name",
      `lectern: No source is followed: ${config} has 6 errors.`,
    ]);
  });

  test("ends on SIGTERM while Git or a service hangs, and leaves nothing", async () => {
    const [programs, temporary] = [makeFolder(), makeFolder()];
    writeFiles(programs, { git: '#!/bin/sh\ntouch "$(dirname "$0")/began"\nsleep 1000\n' });
    chmodSync(join(programs, "git"), 0o755);
    const env = { TMPDIR: temporary, PATH: `${programs}:${process.env.PATH}` };
    const asked = Promise.withResolvers<void>();
    const service = serve(() => {
      asked.resolve();
      return new Promise<Response>(() => {});
    });
    const onGit = startFollowing(["https://127.0.0.1/courses.git", ...into("hangs")], { env });
    const url = `http://127.0.0.1:${service.port}`;
    const onService = startFollowing([url, "--api-key-stdin", ...into("hangs")], { env, stdin: "key" });
    await Promise.all([asked.promise, waitFor(() => existsSync(join(programs, "began")))]);
    expect(await Promise.all([onGit.end(), onService.end()])).toEqual([0, 0]);
    expect(readdirSync(temporary)).toEqual([]);
    expect(await listFailures(database.url, "hangs")).toEqual([]);
    await service.stop(true);
  });

  test("publishes a lesson with a future date on that date", async () => {
    const root = makeFolder();
    const later = "---\ntitle: B\ndate: 2026-07-01\n---\nx\n";
    writeFiles(root, { "hugo.toml": "", "a/01-a.md": lesson("A"), "a/02-b.md": later });
    setClock("2026-06-30T00:00:00.000Z");
    const following = showCommand(["follow", root, "--every", "1s", ...into("later")], {}, 0);
    await waitFor(() => hasLessons("later", 1));
    setClock("2026-07-01T00:00:01.000Z");
    await waitFor(() => hasLessons("later", 2));
    process.emit("SIGTERM", "SIGTERM");
    expect((await following).exitCode).toBe(0);
  });

  test("reports sources if their Git server redirects, and no other server is contacted", async () => {
    const pem = await Bun.file(PEM).text();
    const asked: string[] = [];
    const serveSafely = (fetch: (request: Request) => Response) =>
      Bun.serve({ port: 0, hostname: "localhost", tls: { cert: pem, key: pem }, fetch });
    const other = serveSafely(({ url }) => {
      asked.push(url);
      return new Response(null, { status: 404 });
    });
    const place = `localhost:${other.port}/courses.git`;
    const first = serveSafely(({ url }) =>
      Response.redirect(`https://anna:hush@${place}/info/refs${new URL(url).search}&token=hush`, 301),
    );
    const url = `https://anna:hush@localhost:${first.port}/courses.git`;
    const env = { GIT_SSL_CAINFO: PEM, NODE_EXTRA_CA_CERTS: PEM };
    const following = startFollowing([url, ...into("redirected")], { env });
    const { msg } = await following.until("redirects to");
    expect(msg).toBe(
      `https://localhost:${first.port}/courses.git redirects to https://${place}. Redirects are not followed: use that URL.`,
    );
    await following.end();
    expect(following.log()).not.toContain("hush");
    expect(asked).toEqual([]);
    await Promise.all([first.stop(true), other.stop(true)]);
  });

  // macOS has no limit of address space.
  test.skipIf(process.platform === "darwin")(
    "refuses a source before a small pack that unpacks to gigabytes takes memory",
    async () => {
      const repository = createRepository();
      plantBomb(repository.url.slice("file://".length), 2 ** 31);
      const args = [repository.url, "--branch", "main", "--max-archive-size", "1", ...into("bomb")];
      expect(await untilRefused("git fetch", ...args)).toBe(
        "git fetch needs more than 513 MiB of memory, probably for a file that is too large (--max-archive-size).",
      );
    },
  );

  test("counts folders as members and in paths, even empty ones", async () => {
    const repository = createRepository();
    const bare = repository.url.slice("file://".length);
    repository.commit(course("leaf"));
    const make = (entries: string): string => {
      const { stdout } = Bun.spawnSync(["git", "mktree"], { cwd: bare, stdin: new TextEncoder().encode(entries) });
      return stdout.toString().trim();
    };
    let tree = make("");
    for (let level = 0; level < 3; level++) {
      const below = tree;
      tree = make(Array.from({ length: 12 }, (_, n) => `040000 tree ${below}\tf${n}\n`).join(""));
    }
    const top = git(bare, "ls-tree", "main");
    const commit = git(bare, "commit-tree", "-m", "b", make(`${top}\n040000 tree ${tree}\tz\n`));
    git(bare, "update-ref", "refs/heads/main", commit);
    const args = [repository.url, "--branch", "main", ...into("folders")];
    await untilRefused("1000 files and folders (--max-archive-members)", ...args, "--max-archive-members", "1000");
    await untilRefused("more than 3 names (--max-archive-depth)", ...args, "--max-archive-depth", "3");
  });

  test("fails on an archive with a status other than 200 or a broken answer, and on a full disk", async () => {
    const disk = await openSmallDisk(32 * 1024);
    const statuses = [206, 304, 302];
    const data = (socket: Bun.Socket): void => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n");
    using odd = Bun.listen({ port: 0, hostname: "127.0.0.1", socket: { data } });
    const server = serve(() => {
      const status = statuses.shift() ?? 200;
      const headers = { location: `http://127.0.0.1:${odd.port}/?token=hush` };
      return new Response(status === 304 ? null : Buffer.alloc(40 * 1024), { status, headers });
    });
    const options = disk && { prefix: disk.prefix, env: { TMPDIR: disk.path } };
    const following = startFollowing([`http://127.0.0.1:${server.port}/courses.zip`, ...into("failing")], options);
    for (const status of [206, 304]) await following.until(`returned status ${status}`);
    expect((await following.until("courses.zip: Invalid")).msg).toEndWith(": InvalidContentLength");
    if (disk !== undefined) await following.until("/courses.zip: ENOSPC: no space left on device");
    await following.end();
    expect(await listFailures(database.url, "failing")).toHaveLength(1);
    await Promise.all([server.stop(true), disk?.drop()]);
  });
});

test("lectern follow goes on with other sources while a command changes a project, or its service does not answer", async () => {
  let requests = 0;
  const service = serve(() => {
    requests++;
    return new Response(new ReadableStream({ start: (body) => body.enqueue("{") }));
  });
  const [root, config] = [makeFolder(), join(makeFolder(), "follow.yaml")];
  writeFiles(root, course("leaf"));
  writeFileSync(`${config}.key`, "key");
  const held = `http://127.0.0.1:${service.port}\n  api-key-file: ${config}.key\n  project: held\n`;
  writeFileSync(config, `sources:\n- from: ${held}- from: ${root}\n  project: free\n`);
  const holder = { pid: process.pid, host: "here", since: new Date().toISOString(), task: "import" };
  const locked = await database.store.publishing.lockProject("held", holder, () => undefined);
  const following = startFollowing(["--config", config, "--log-level", "debug", "--database", database.url]);
  await following.until("another command is changing the project");
  writeFiles(root, course("leaf", "water"));
  await waitFor(() => hasLessons("free", 2));
  // Nothing was downloaded for a project that could not be changed.
  expect(requests).toBe(0);
  await locked.unlock();
  await waitFor(() => requests > 0);
  writeFiles(root, course("leaf", "water", "cup"));
  await waitFor(() => hasLessons("free", 3));
  expect(await following.end()).toBe(0);
  await service.stop(true);
});

const NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child"];
const hasNamespaces = process.platform === "linux" && Bun.spawnSync([...NAMESPACE, "true"]).exitCode === 0;

// Their process IDs are equal.
test.skipIf(!hasNamespaces)(
  "temporary folders are kept while another container uses them, and removed by a prune after hours",
  async () => {
    const [root, shared] = [makeFolder(), makeFolder()];
    writeFiles(root, course("leaf"));
    const args = ["follow", root, "--every", "1h", "--project", "acme", "--database", database.url];
    const env = { TMPDIR: shared };
    const listFolders = (): string[] => readdirSync(shared).filter((name) => name.startsWith("lectern-follow-1-"));
    const first = startCommand(args, { prefix: NAMESPACE, env });
    await waitFor(() => listFolders().length === 1);
    const [folder = ""] = listFolders();
    const second = startCommand(args, { prefix: NAMESPACE, env });
    await waitFor(() => listFolders().length === 2);
    for (const each of [first, second]) each.kill("SIGKILL");
    await Promise.all([first.exited, second.exited]);
    const [kept] = listFolders().filter((name) => name !== folder);

    const hoursAgo = Date.now() / 1000 - 7 * 3600;
    utimesSync(join(shared, folder), hoursAgo, hoursAgo);
    await runCommand(["prune", "--keep", "1", ...args.slice(4)], { env });
    expect(listFolders()).toEqual([kept ?? ""]);
  },
);
