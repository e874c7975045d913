// `lectern follow` beside another command that changes a project.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LockedProject } from "../../src/catalog/store.ts";
import { course, listFailures, makeFolder, startFollowing, writeFiles } from "../support/follow.ts";
import { waitFor } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const database = useTestStore(anyEngine);
const into = (project: string): string[] => ["--project", project, "--database", database.url];
const lock = async (project: string): Promise<LockedProject> => {
  const holder = { pid: process.pid, host: "here", since: new Date().toISOString(), task: "import" };
  return database.store.publishing.lockProject(project, holder, () => undefined);
};

test("waits while another command changes the project, and ends the wait on SIGTERM", async () => {
  const root = makeFolder();
  writeFiles(root, course("leaf"));
  const locked = await lock("busy");
  const following = startFollowing([root, "--log-level", "debug", ...into("busy")]);
  await following.until("another command is changing the project");
  expect(await following.end()).toBe(0);
  await locked.unlock();
  expect(await listFailures(database.url, "busy")).toEqual([]);
});

const serve = (fetch: () => Response) => Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch });

/** Follows a service, for project `held`, and the folder at the returned path. */
function followBoth(service: { port?: number | undefined }, project: string) {
  const [root, config] = [makeFolder(), join(makeFolder(), "follow.yaml")];
  writeFiles(root, course("leaf"));
  writeFileSync(`${config}.key`, "key");
  const held = `http://127.0.0.1:${service.port}\n  api-key-file: ${config}.key\n  project: held\n`;
  writeFileSync(config, `sources:\n- from: ${held}- from: ${root}\n  project: ${project}\n`);
  const following = startFollowing(["--config", config, "--log-level", "debug", "--database", database.url]);
  return { root, following };
}
const hasLessons = async (project: string, lessons: number): Promise<boolean> =>
  (await database.store.publishing.findCurrentRelease(project, "live"))?.lessons === lessons;

test("follows other sources while a service does not finish its answer", async () => {
  const asked = Promise.withResolvers<void>();
  const service = serve(() => {
    asked.resolve();
    return new Response(new ReadableStream({ start: (body) => body.enqueue("{") }));
  });
  const { root, following } = followBoth(service, "open");
  await asked.promise;
  writeFiles(root, course("leaf", "water"));
  await waitFor(async () => hasLessons("open", 2));
  expect(await following.end()).toBe(0);
  await service.stop(true);
});

test("follows other sources while another command changes a project, which downloads nothing meanwhile", async () => {
  let requests = 0;
  const service = serve(() => {
    requests++;
    return Response.json({ data: { total: 0, results: [] }, success: true, message: "", code: 200 });
  });
  const locked = await lock("held");
  const { root, following } = followBoth(service, "free");
  await following.until("another command is changing the project");
  writeFiles(root, course("leaf", "water"));
  await waitFor(async () => hasLessons("free", 2));
  expect(requests).toBe(0);
  await locked.unlock();
  await waitFor(() => requests > 0);
  expect(await following.end()).toBe(0);
  await service.stop(true);
});
