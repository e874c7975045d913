// What `lectern follow` does where a server or a repository is hostile, beside another command that changes a project, and in
// containers that share /tmp.
import { describe, expect, test } from "bun:test";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand, startCommand } from "../support/command.ts";
import { plantBomb } from "../support/delta-bomb.ts";
import { course, createRepository, git, listFailures, startFollowing } from "../support/follow.ts";
import { waitFor } from "../support/server.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { useTestStore } from "../support/store.ts";
import { makeFolder, writeFiles } from "../support/written-folder.ts";

const PEM = new URL("../hooks/localhost.pem", import.meta.url).pathname;
const database = useTestStore();
const into = (project: string): string[] => ["--project", project, "--database", database.url];
const serve = (fetch: () => Response) => Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch });

describe.concurrent("followed sources", () => {
  test("are reported if their Git server redirects, and no other server is contacted", async () => {
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
    "are refused before a small pack that unpacks to gigabytes takes memory",
    async () => {
      const repository = createRepository();
      plantBomb(repository.url.slice("file://".length), 2 ** 31);
      const args = [repository.url, "--branch", "main", "--max-archive-size", "1", ...into("bomb")];
      const following = startFollowing(args);
      const { msg } = await following.until("git fetch");
      expect(msg).toBe(
        "git fetch needs more than 513 MiB of memory, probably for a file that is too large (--max-archive-size).",
      );
      await following.end();
    },
  );

  test("count folders as members, even empty ones", async () => {
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
    const args = [repository.url, "--branch", "main", "--max-archive-members", "1000", ...into("folders")];
    const following = startFollowing(args);
    await following.until("has more than 1000 files and folders (--max-archive-members)");
    await following.end();
  });

  test("fail on an archive with a status other than 200, and on a full disk", async () => {
    const disk = await openSmallDisk(32 * 1024);
    const statuses = [206, 304];
    const server = serve(() => {
      const status = statuses.shift() ?? 200;
      return new Response(status === 304 ? null : Buffer.alloc(40 * 1024), { status });
    });
    const options = disk && { prefix: disk.prefix, env: { TMPDIR: disk.path } };
    const following = startFollowing([`http://127.0.0.1:${server.port}/courses.zip`, ...into("failing")], options);
    await following.until("returned status 206");
    await following.until("returned status 304");
    if (disk !== undefined) await following.until("/courses.zip: ENOSPC: no space left on device");
    await following.end();
    expect(await listFailures(database.url, "failing")).toHaveLength(1);
    await server.stop(true);
    await disk?.drop();
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
  const hasLessons = async (lessons: number): Promise<boolean> =>
    (await database.store.publishing.findCurrentRelease("free", "live"))?.lessons === lessons;
  const holder = { pid: process.pid, host: "here", since: new Date().toISOString(), task: "import" };
  const locked = await database.store.publishing.lockProject("held", holder, () => undefined);
  const following = startFollowing(["--config", config, "--log-level", "debug", "--database", database.url]);
  await following.until("another command is changing the project");
  writeFiles(root, course("leaf", "water"));
  await waitFor(() => hasLessons(2));
  // Nothing was downloaded for a project that could not be changed.
  expect(requests).toBe(0);
  await locked.unlock();
  await waitFor(() => requests > 0);
  writeFiles(root, course("leaf", "water", "cup"));
  await waitFor(() => hasLessons(3));
  expect(await following.end()).toBe(0);
  await service.stop(true);
});

const NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child"];
const hasNamespaces = process.platform === "linux" && Bun.spawnSync([...NAMESPACE, "true"]).exitCode === 0;

// Their process IDs are equal.
test.skipIf(!hasNamespaces)(
  "temporary folders are kept while another container uses them, and removed after hours",
  async () => {
    const [root, shared] = [makeFolder(), makeFolder()];
    writeFiles(root, course("leaf"));
    const args = ["follow", root, "--every", "1h", "--project", "acme", "--database", database.url];
    const env = { TMPDIR: shared };
    const listFolders = (): string[] => readdirSync(shared).filter((name) => name.startsWith("lectern-follow-1."));
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
    await runCommand(["follow", join(root, "missing"), ...args.slice(2)], { env });
    expect(listFolders()).toEqual([kept ?? ""]);
  },
);
