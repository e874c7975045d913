// A database that an earlier version has written: it is opened, its answers stay the same to the byte, and importing the
// same courses again changes nothing but what Markdown has become since.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { LessonDocument } from "../src/catalog/documents.ts";
import answers from "./stored/answers.json" with { type: "json" };
import { openFolderSource } from "../src/content/readers/folder.ts";
import { openNdjsonFile } from "../src/content/readers/ndjson.ts";
import { importCatalog } from "../src/publishing/import-catalog.ts";
import { openStore, type Store } from "../src/store/open-store.ts";
import { publishingAt } from "./support/in-process.ts";
import { startTestServer, type TestServer } from "./support/server.ts";
import { createTestFolder } from "./support/store.ts";

const STORED = join(import.meta.dir, "stored");

const folder = createTestFolder();
let store: Store;
let server: TestServer;

beforeAll(async () => {
  const path = join(folder.path, "lectern.db");
  copyFileSync(join(STORED, "lectern.db"), path);
  store = await openStore(`sqlite:${path}`, { create: false });
  server = await startTestServer(store);
});
afterAll(async () => {
  await server.stop();
  await store.close();
  folder.remove();
});

async function expectStoredAnswers(): Promise<void> {
  for (const { project, path, etag, release, body } of answers) {
    const { status, headers, text } = await server.get(`/api/v1${path}`, { key: `stored-${project}-key-0123` });
    expect({ path, status, etag: headers.get("etag"), release: headers.get("catalog-release"), text }).toEqual({
      path,
      status: 200,
      etag,
      release,
      text: body,
    });
  }
}

test("answers as it did, with the same ETags", expectStoredAnswers);

const SOURCES = {
  folder: openFolderSource(join(STORED, "courses"), { assetBase: undefined }),
  lines: openNdjsonFile(join(STORED, "courses.ndjson"), { assetBase: undefined }),
};

async function importAgain(project: keyof typeof SOURCES) {
  const problems: string[] = [];
  const { status } = await importCatalog({
    ...publishingAt(store, project, "2030-01-01T00:00:00.000Z"),
    channel: "live",
    source: SOURCES[project],
    dryRun: false,
    merge: false,
    report: ({ severity, message }) => problems.push(`${severity}: ${message}`),
    confirmRemovals: undefined,
  });
  expect(problems.filter((problem) => problem.startsWith("error"))).toEqual([]);
  await server.looksTwice();
  return status;
}

test("makes no release of the NDJSON that it was made from, and answers as it did after that import", async () => {
  expect(await importAgain("lines")).toBe("unchanged");
  await expectStoredAnswers();
});

test("makes one release of the Markdown that it was made from, in which only texts are others", async () => {
  expect(await importAgain("folder")).toBe("published");
  expect(await importAgain("folder")).toBe("unchanged");
  const withoutTexts = (body: string): unknown =>
    JSON.parse(body, (key, value: unknown) => (key === "additionalText" || key === "updatedAt" ? key : value));
  for (const { path, body } of answers.filter(({ project }) => project === "folder")) {
    const { text } = await server.get(`/api/v1${path}`, { key: "stored-folder-key-0123" });
    expect(withoutTexts(text)).toEqual(withoutTexts(body));
  }
});

test("dates a lesson by these imports where readers get something else of it, and only there", async () => {
  const kept = new Map<boolean, number>();
  for (const { project, path, body } of answers.filter((answer) => /\/lessons\/[^/]+$/.test(answer.path))) {
    const { text } = await server.get(`/api/v1${path}`, { key: `stored-${project}-key-0123` });
    const { updatedAt: before, ...old } = (JSON.parse(body) as { data: LessonDocument }).data;
    const { updatedAt: after, ...now } = (JSON.parse(text) as { data: LessonDocument }).data;
    const isSame = JSON.stringify(old) === JSON.stringify(now);
    // An author gives no milliseconds.
    const isGiven = before.endsWith(":00.000Z");
    expect({ path, after }).toEqual({ path, after: isSame || isGiven ? before : "2030-01-01T00:00:00.000Z" });
    kept.set(isSame, (kept.get(isSame) ?? 0) + 1);
  }
  expect(new Set(kept.keys())).toEqual(new Set([false, true]));
});
