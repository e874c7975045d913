// The first five minutes: what `npm start` runs, on an empty machine and again.
import { afterAll, expect, test } from "bun:test";
import { runCommand, startServing } from "../support/command.ts";
import { send, waitFor } from "../support/server.ts";
import { createTestFolder } from "../support/store.ts";

const KEY = /lectern_\w{36}/;
let key: string;

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

const folder = createTestFolder();
afterAll(() => folder.remove());

// The next two tests build on one another, in one folder.
test("lectern demo in an empty folder publishes the examples, creates a key, prints curl lines that work, and serves an image", async () => {
  const { server, text, end } = await startDemo();
  const base = `http://localhost:${new URL(server.url).port}`;
  expect(text).toContain(`${base}/api/v1`);
  key = KEY.exec(text)?.[0] ?? "";
  const lines = text.match(/curl .*/g) ?? [];
  // One for each operation: a list, a course, its lessons, a lesson with its content.
  for (const shape of ["", "/X", "/X/lessons", "/X/lessons/X"])
    expect(lines.join("\n")).toMatch(new RegExp(`/courses${shape.replaceAll("X", "[^/]+")}['"?]`));
  for (const line of lines) {
    const printed = Bun.spawnSync(["sh", "-c", line]).stdout.toString();
    expect([line, printed]).toEqual([line, expect.stringMatching(/"success": ?true/)]);
    expect(printed).not.toMatch(/"total": ?0/);
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

test("lectern demo when restarted keeps its data and key, and prints a working command for another key", async () => {
  const { server, text, end } = await startDemo();
  expect(text).not.toMatch(KEY);
  const first = await send(server.url, "/api/v1/courses", { key });
  expect([first.status, first.headers.get("catalog-release")]).toEqual([200, "1"]);

  const [, args = ""] = /lectern (keys create.*)/.exec(text) ?? [];
  const { stdout } = await runCommand(args.trim().split(" "), { cwd: folder.path });
  const another = KEY.exec(stdout)?.[0] ?? "";
  await waitFor(async () => (await send(server.url, "/api/v1/courses", { key: another })).status === 200);
  await end();
});
