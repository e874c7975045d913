// Bodies and summaries that are damaged.
import { expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { publish } from "../support/catalog.ts";
import { createKey, startTestServer } from "../support/server.ts";
import { readMetrics } from "./metrics.ts";
import { renewStore } from "../support/shared-store.ts";

const database = renewStore();

test.each<[name: string, damage: (bytes: Uint8Array) => Uint8Array]>([
  ["a flipped bit", (bytes) => bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1)],
  ["nothing left", () => new Uint8Array()],
])(
  "a body with %s is 500 at each request, counted and logged each time, without affecting other content",
  async (_, damage) => {
    const text = Array.from({ length: 20_000 }, (_unused, n) => Bun.hash(String(n)).toString(36)).join(" ");
    const texts = { short: "Plain", small: text.slice(0, 5000), large: text, whole: text };
    const lessons = Object.entries(texts).map(([id, additionalText]) => ({ id, name: id, additionalText }));
    const courses = ["a", "b"].map((id) => ({ _id: id, name: id, chapters: [{ name: "C", lessons }] }));
    await publish(database.store, "acme", courses);
    const damageColumn = async (table: string, column: string, where: string): Promise<void> => {
      const rows = await database.execute(`select ${column} as body from ${table} where ${where}`);
      const damaged = Buffer.from(damage((rows[0] as { body: Uint8Array }).body)).toString("hex");
      await database.execute(`update ${table} set ${column} = x'${damaged}' where ${where}`);
    };
    for (const id of ["short", "small", "large"]) {
      await damageColumn("lesson_versions", "body", `course_id = 'a' and lesson_id = '${id}'`);
    }
    for (const column of ["course", "lesson_list"]) await damageColumn("course_versions", column, "course_id = 'b'");
    const key = await createKey(database.store, "acme");
    const server = await startTestServer(database.store);
    let asked = 0;
    const ask = async (path: string, encoding: string, method = "GET"): Promise<number> => {
      asked++;
      const headers = { "accept-encoding": encoding };
      const answer = await server.get(`/api/v1/courses/${path}`, { key, headers, method });
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const id = /Internal error, request ([0-9a-f-]{36})/.exec(answer.text)?.[1];
      if (method === "GET") expect(server.log()).toContain(id ?? "no id");
      return answer.status;
    };
    const ofLessons = ["short", "small", "large"].flatMap((id) => [`a/lessons/${id}`, `a/lessons/${id}?include=nav`]);
    for (const path of [...ofLessons, "a/lessons/small?release=1", "b", "b/lessons"]) {
      const both = ["gzip", "identity"].map((encoding) => ask(path, encoding));
      expect([path, await ask(path, "gzip", "HEAD"), ...(await Promise.all(both))]).toEqual([path, 500, 500, 500]);
    }
    expect(server.log().split('"msg":"request failed"')).toHaveLength(asked + 1);
    const { sum } = await readMetrics(server.adminUrl);
    expect(sum("lectern_http_requests_total", { status: "500" })).toBe(asked);
    expect((await server.get("/api/v1/courses/a?include=lessons", { key })).status).toBe(500);
    const whole = await server.get("/api/v1/courses/a/lessons/whole", { key });
    expect([whole.status, whole.text.includes(text.slice(0, 5000))]).toEqual([200, true]);
    await server.stop();

    const scope = ["--project", "acme", "--database", database.url];
    const exported = await runCommand(["export", "-", ...scope]);
    expect([exported.exitCode, exported.stdout, exported.stderr.split("\n").length]).toEqual([1, "", 2]);
    const isDamaged = "of project acme is damaged in the database. Restore";
    expect(exported.stderr).toMatch(new RegExp(`Lesson (short|large) of course a ${isDamaged}`));
    const got = await runCommand(["get", "/api/v1/courses/a/lessons/small", ...scope]);
    expect([got.exitCode, got.stderr.split("\n").length]).toEqual([1, 2]);
    expect(got.stderr).toContain(`/api/v1/courses/a/lessons/small ${isDamaged}`);
  },
);

test("a damaged summary is 500 in each answer that contains it, and in no other", async () => {
  const chapters = [{ name: "C", lessons: [{ id: "l", name: "L" }] }];
  await publish(database.store, "acme", [
    { _id: "a", name: "Apple", chapters },
    { _id: "b", name: "Pear", chapters },
  ]);
  await database.execute("update course_versions set summary = replace(summary, 'Apple', 'Apply')");
  const key = await createKey(database.store, "acme");
  const server = await startTestServer(database.store);
  const ask = async (path: string) => `${(await server.get(`/api/v1/courses${path}`, { key })).status} ${path}`;
  const shown = ["", "?name=app", "?ids=a,b", "?sort=name", "/a?include=meta", "/a?include=lessons"];
  const others = ["?name=pear", "?ids=b", "/a", "/a/lessons", "/a/lessons/l", "/b?include=meta,lessons"];
  for (const path of shown) expect([await ask(path), await ask(path)]).toEqual([`500 ${path}`, `500 ${path}`]);
  for (const path of others) expect(await ask(path)).toBe(`200 ${path}`);
  await server.stop();
});
