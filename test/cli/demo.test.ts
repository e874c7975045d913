// The first five minutes: what `npm start` runs, on an empty machine and again.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand, startServing } from "../support/command.ts";
import { send, waitFor } from "../support/server.ts";
import { createTestFolder } from "../support/store.ts";

const ROOT = join(import.meta.dir, "../..");

interface Envelope {
  success: boolean;
  message: string;
  code: number;
  data: Record<string, unknown>;
}

/** What the demo printed, once it is all there. */
async function startDemo(cwd: string) {
  const server = await startServing(["demo"], { cwd });
  await waitFor(() => server.stdout().includes("curl "));
  const text = server.stdout();
  const lines = text.split("\n").map((line) => line.trim());
  return { server, text, curlLines: lines.filter((line) => line.startsWith("curl ")) };
}

/** Runs a line in a shell, as users do who copy it. */
function runInShell(line: string): Envelope {
  const { stdout, stderr, exitCode } = Bun.spawnSync(["sh", "-c", line]);
  if (exitCode !== 0) throw new Error(`${line}: ${exitCode} ${stderr.toString()}`);
  return JSON.parse(stdout.toString()) as Envelope;
}

describe("lectern demo", () => {
  let folder: { path: string; remove: () => void };
  let key: string;
  beforeAll(() => {
    folder = createTestFolder();
  });
  afterAll(() => folder.remove());

  test("is what npm start runs", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: { start: string } };
    expect(scripts.start).toBe("node bin/lectern.mjs demo");
  });

  // The next two tests build on one another, in one folder.
  test("in an empty folder publishes the examples, creates a key, prints curl lines that work, and serves an image", async () => {
    const { server, text, curlLines } = await startDemo(folder.path);
    const base = `http://localhost:${new URL(server.url).port}/api/v1`;
    expect(text).toContain(base);
    key = /lectern_\w{36}/.exec(text)?.[0] ?? "";
    expect(key).not.toBe("");
    expect(existsSync(join(folder.path, "data/lectern.db"))).toBe(true);

    const answers = curlLines.map(runInShell);
    for (const [index, { success, message, code }] of answers.entries()) {
      expect([curlLines[index], success, message, code]).toEqual([curlLines[index], true, "", 200]);
    }
    // One line for each operation: a list, a course, its lessons, a lesson with its content.
    const paths = curlLines.map((line) => /\/api\/v1([^'"\s?]*)/.exec(line)?.[1] ?? "");
    for (const shape of [
      /^\/courses$/,
      /^\/courses\/[^/]+$/,
      /^\/courses\/[^/]+\/lessons$/,
      /^\/courses\/[^/]+\/lessons\/[^/]+$/,
    ]) {
      expect(paths.some((path) => shape.test(path))).toBe(true);
    }
    // Nothing that it shows is empty.
    for (const { data } of answers) expect(data["results"] ?? [data]).not.toEqual([]);
    for (const { data } of answers) expect(data["total"]).not.toBe(0);

    await expectImage(server.url, text);
    expect(server.stderr()).not.toContain(key);
    server.kill();
    expect(await server.exited).toBe(0);
  });

  /** An image of a lesson is there, at the address that was printed. */
  async function expectImage(url: string, text: string): Promise<void> {
    const [base = ""] = /http:\/\/localhost:\d+/.exec(text) ?? [];
    const courses = (await send(url, "/api/v1/courses?name=sound", { key })).text;
    const { results } = (JSON.parse(courses) as { data: { results: { _id: string }[] } }).data;
    const course = `/api/v1/courses/${results[0]?._id}/lessons`;
    const lessons = JSON.parse((await send(url, course, { key })).text) as { data: { results: { id: string }[] } };
    const texts = await Promise.all(
      lessons.data.results.map(async ({ id }) => (await send(url, `${course}/${id}`, { key })).text),
    );
    const [address = ""] = /http:[^"\\]+\.svg/.exec(texts.join("")) ?? [];
    expect(address.startsWith(`${base}/assets/`)).toBe(true);
    const image = await send(url, new URL(address).pathname);
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  }

  test("when restarted keeps its data and key, and prints a working command for another key", async () => {
    const { server, text } = await startDemo(folder.path);
    expect(text).not.toMatch(/lectern_\w{36}/);
    const first = await send(server.url, "/api/v1/courses", { key });
    expect([first.status, first.headers.get("catalog-release")]).toEqual([200, "1"]);
    // The examples as they are: a draft among them, which the list does not show.
    const folders = readdirSync(join(ROOT, "examples/catalog"), { withFileTypes: true });
    expect(folders.filter((entry) => entry.isDirectory())).toHaveLength(3);
    expect((JSON.parse(first.text) as { data: { total: number } }).data.total).toBe(2);

    const line = text.split("\n").find((candidate) => candidate.includes("lectern keys create")) ?? "";
    const args = line.slice(line.indexOf("lectern ") + "lectern ".length).trim();
    const { exitCode, stdout } = await runCommand(args.split(" "), { cwd: folder.path });
    expect(exitCode).toBe(0);
    const another = /lectern_\w{36}/.exec(stdout)?.[0] ?? "";
    await waitFor(async () => (await send(server.url, "/api/v1/courses", { key: another })).status === 200);
    server.kill();
    expect(await server.exited).toBe(0);
  });

  test("with another database names it in the command for a key, and leaves other projects alone", async () => {
    const elsewhere = createTestFolder();
    const database = `sqlite:${join(elsewhere.path, "my data/demo.db")}`;
    const run = async (args: string[], stdin = "") => runCommand([...args, "--database", database], { stdin });
    await run(["import", "-", "--project", "acme"], '{"_id":"a","name":"A"}');
    for (const start of [1, 2]) {
      const server = await startServing(["demo", "--database", database], { cwd: elsewhere.path });
      await waitFor(() => server.stdout().includes("curl "));
      if (start === 2) expect(server.stdout()).toContain(database);
      expect(JSON.parse((await run(["releases", "--project", "acme", "--json"])).stdout)).toHaveLength(1);
      server.kill();
      await server.exited;
    }
    expect(existsSync(join(elsewhere.path, "data"))).toBe(false);
    elsewhere.remove();
  });
});
