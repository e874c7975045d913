// The first five minutes: what `npm start` runs, on an empty machine and again.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCommand, startServing } from "../support/command.ts";
import { send, waitFor } from "../support/server.ts";
import { createTestFolder } from "../support/store.ts";

const KEY = /lectern_\w{36}/;

/** A started demo, once it has printed all. */
async function startDemo() {
  const server = await startServing(["demo"], { cwd: folder.path });
  await waitFor(() => server.stdout().includes("curl "));
  const end = async (): Promise<void> => {
    server.kill();
    expect(await server.exited).toBe(0);
  };
  return { server, text: server.stdout(), end };
}

/** Runs a line in a shell, as users do who copy it. */
function runInShell(line: string): Record<string, unknown> & { data: Record<string, unknown> } {
  const { stdout, stderr, exitCode } = Bun.spawnSync(["sh", "-c", line]);
  if (exitCode !== 0) throw new Error(`${line}: ${exitCode} ${stderr.toString()}`);
  return JSON.parse(stdout.toString()) as ReturnType<typeof runInShell>;
}

const folder = createTestFolder();
afterAll(() => folder.remove());

describe("lectern demo", () => {
  let key: string;

  // The next two tests build on one another, in one folder.
  test("in an empty folder publishes the examples, creates a key, prints curl lines that work, and serves an image", async () => {
    const { server, text, end } = await startDemo();
    const base = `http://localhost:${new URL(server.url).port}`;
    expect(text).toContain(`${base}/api/v1`);
    key = KEY.exec(text)?.[0] ?? "";
    expect(key).not.toBe("");
    expect(existsSync(join(folder.path, "data/lectern.db"))).toBe(true);

    const lines = text.split("\n").map((line) => line.trim());
    const curlLines = lines.filter((line) => line.startsWith("curl "));
    // One line for each operation: a list, a course, its lessons, a lesson with its content.
    const paths = curlLines.map((line) => /\/api\/v1([^'"\s?]*)/.exec(line)?.[1] ?? "");
    for (const shape of ["/courses", "/courses/X", "/courses/X/lessons", "/courses/X/lessons/X"]) {
      const pattern = new RegExp(`^${shape.replaceAll("X", "[^/]+")}$`);
      expect([shape, paths.some((path) => pattern.test(path))]).toEqual([shape, true]);
    }
    for (const line of curlLines) {
      const { data, ...envelope } = runInShell(line);
      expect([line, envelope]).toEqual([line, { success: true, message: "", code: 200 }]);
      // Nothing that it shows is empty.
      expect([data["results"] ?? [data], data["total"]]).not.toEqual([[], 0]);
    }

    const get = async (path: string) => (await send(server.url, `/api/v1${path}`, { key })).text;
    const [, course] = /"_id":"([^"]+)"/.exec(await get("/courses?name=sound")) ?? [];
    const ids = (await get(`/courses/${course}/lessons`)).matchAll(/"id":"([^"]+)"/g);
    const texts = await Promise.all(Array.from(ids, ([, id]) => get(`/courses/${course}/lessons/${id}`)));
    const [address = ""] = /http:[^"\\]+\.svg/.exec(texts.join("")) ?? [];
    expect(address).toStartWith(`${base}/assets/`);
    const image = await send(server.url, new URL(address).pathname);
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(server.stderr()).not.toContain(key);
    await end();
  });

  test("when restarted keeps its data and key, and prints a working command for another key", async () => {
    const { server, text, end } = await startDemo();
    expect(text).not.toMatch(KEY);
    const first = await send(server.url, "/api/v1/courses", { key });
    expect([first.status, first.headers.get("catalog-release")]).toEqual([200, "1"]);
    // Of three examples, the list does not show the draft.
    expect(first.text).toContain('"total":2');

    const [, args = ""] = /lectern (keys create.*)/.exec(text) ?? [];
    const { exitCode, stdout } = await runCommand(args.trim().split(" "), { cwd: folder.path });
    expect(exitCode).toBe(0);
    const another = KEY.exec(stdout)?.[0] ?? "";
    await waitFor(async () => (await send(server.url, "/api/v1/courses", { key: another })).status === 200);
    await end();
  });
});
