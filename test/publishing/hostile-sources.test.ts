// What `lectern follow` does where a server or a repository is hostile.
import { describe, expect, test } from "bun:test";
import { makeZip } from "../support/archives.ts";
import { plantBomb } from "../support/delta-bomb.ts";
import { course, createRepository, git, listFailures, startFollowing, toMembers } from "../support/follow.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const PEM = new URL("../hooks/localhost.pem", import.meta.url).pathname;

describe("followed sources", () => {
  const database = useTestStore(anyEngine);
  const into = (project: string): string[] => ["--project", project, "--database", database.url];

  test("are reported if their Git server redirects, and no other server is contacted", async () => {
    const pem = await Bun.file(PEM).text();
    const asked: string[] = [];
    const serve = (fetch: (request: Request) => Response) =>
      Bun.serve({ port: 0, hostname: "localhost", tls: { cert: pem, key: pem }, fetch });
    const other = serve(({ url }) => {
      asked.push(url);
      return new Response(null, { status: 404 });
    });
    const place = `localhost:${other.port}/courses.git`;
    const first = serve(({ url }) =>
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

  test.each([206, 304])("fail on the unrequested status %i for an archive", async (status) => {
    const zip = makeZip(toMembers(course("leaf")));
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(status === 206 ? zip : null, { status }),
    });
    const project = `status${status}`;
    const following = startFollowing([`http://127.0.0.1:${server.port}/courses.zip`, ...into(project)]);
    await following.until(`returned status ${status}`);
    await following.end();
    expect(await listFailures(database.url, project)).toHaveLength(1);
    await server.stop(true);
  });
});
