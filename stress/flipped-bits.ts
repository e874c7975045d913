// Flips bits in each kind of page of a SQLite file: checks what a server still answers, and what doctor finds.
// PostgreSQL has page checksums.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../src/store/open-store.ts";
import { storeFile } from "../test/support/assets.ts";
import { publish } from "../test/support/catalog.ts";
import { runCommand } from "../test/support/command.ts";
import { createUnboundServer } from "../test/support/in-process.ts";
import { createRandom, readRandomSettings } from "../test/support/random.ts";
import { createKey } from "../test/support/server.ts";
import { createTestFolder, sqlite, useTestStore } from "../test/support/store.ts";

// Stress runs use more.
const { seed, rounds } = readRandomSettings(30);
const COURSES = 60;

/** Enough sizes to fill pages of every kind. Each text names its project. */
const createCourses = (project: string, edition: number) =>
  Array.from({ length: COURSES }, (_, n) => {
    const word = (at: number): string => `${project} ${Bun.hash(`${edition} ${n} ${at}`).toString(36)}`;
    const lessons = [5, 200, n === 0 ? 20_000 : 20].map((length, at) => ({
      id: `l${at}`,
      name: `${project} lesson ${at}`,
      additionalText: Array.from({ length }, (_word, index) => word(index)).join(" "),
    }));
    const chapters = [{ id: "c", name: `${project} chapter`, lessons }];
    return { _id: `${project}-${n}`, slug: `${project}-s${n}`, name: `${project} ${n} of ${edition}`, chapters };
  });

const folder = createTestFolder();
let whole: Buffer;
let key: string;
let pageBytes: number;
/** Documents, which are stored as they are sent. */
const stored = [0, 1, 17, 58].flatMap((n) => {
  const lessons = `/api/v1/courses/mine-${n}/lessons`;
  return [`/api/v1/courses/mine-${n}`, lessons, ...[0, 1, 2].map((lesson) => `${lessons}/l${lesson}`)];
});
/** Answers that are made from rows. */
const made = [
  ...["", "?limit=7&offset=30", "?name=mine+1", "?include=meta&limit=3"].map((query) => `/api/v1/courses${query}`),
  "/api/v1/courses/mine-1/lessons/l1?include=nav",
  "/api/v1/courses/mine-s17?include=meta",
  "/api/v1/changes?since=1",
  "/api/v1/releases",
];

const database = useTestStore(sqlite, async () => {
  for (const project of ["mine", "hidden"])
    for (const edition of [1, 2]) await publish(database.store, project, createCourses(project, edition));
  key = await createKey(database.store, "mine");
  await createKey(database.store, "hidden");
  stored.push(await storeFile(database.store, "a.txt", "mine ".repeat(2000)));
  await database.execute("pragma wal_checkpoint(truncate)");
  const [row] = (await database.execute("pragma page_size")) as [{ page_size: number }];
  pageBytes = row.page_size;
  whole = readFileSync(database.url.slice("sqlite:".length));
  return folder.remove;
});

/** A server's answers on a file with these bytes, by path; all 500 if it does not start. */
async function readAll(bytes: Buffer, paths: string[]): Promise<Map<string, { status: number; text: string }>> {
  const path = join(folder.path, "lectern.db");
  writeFileSync(path, bytes, { mode: 0o600 });
  const answers = new Map(paths.map((each) => [each, { status: 500, text: "" }]));
  const store = await openStore(`sqlite:${path}`, { create: false }).catch(() => undefined);
  try {
    const server = store && (await createUnboundServer(store, { cacheBytes: 0 }).catch(() => undefined));
    if (server !== undefined) for (const each of paths) answers.set(each, await server.get(each, { key }));
  } finally {
    // A damaged database may fail to close.
    await store?.close().catch(() => undefined);
  }
  return answers;
}

test(`${rounds} flipped bits: no changed body or file and nothing of another project is sent, and doctor finds the damage, seed ${seed}`, async () => {
  const random = createRandom(seed);
  const rows = await database.execute("select pagetype || ' of ' || name as kind, pageno as page from dbstat");
  const pages = Map.groupBy(rows as { kind: string; page: number }[], ({ kind }) => kind);
  const kinds = random.shuffle([...pages.keys()]);
  const current = await readAll(whole, [...stored, ...made]);
  for (const [path, { status }] of current) expect([path, status]).toEqual([path, 200]);
  const pinned = stored.filter((path) => path.startsWith("/api/")).map((path) => `${path}?release=1`);
  const before = await readAll(whole, pinned);
  let failed = 0;
  // Most flips change nothing that is read: go on until one does.
  for (let round = 0; round < rounds || (failed === 0 && round < 20 * rounds); round++) {
    const kind = kinds[round % kinds.length] ?? "";
    const { page } = random.pick(pages.get(kind) ?? []);
    const from = (page - 1) * pageBytes;
    // Most of a page may be unused, which is zero.
    const used = Array.from({ length: pageBytes }, (_, index) => from + index).filter((index) => whole[index] !== 0);
    const at = random.pick(used.length === 0 ? [from] : used);
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    const place = `seed ${seed}, round ${round}: byte ${at - from} of page ${page}, ${kind}`;
    const answers = await readAll(bytes, [...stored, ...made]);
    for (const [path, { status, text }] of answers) {
      expect([place, path, text.includes("hidden")]).toEqual([place, path, false]);
      if (status !== 200 || !stored.includes(path)) continue;
      // An index that lost its newest entry shows the release before.
      const whatIsWhole = [current.get(path)?.text, before.get(`${path}?release=1`)?.text];
      expect([place, path, whatIsWhole.includes(text)]).toEqual([place, path, true]);
    }
    if (![...answers.values()].some(({ status }) => status === 500)) continue;
    failed++;
    const damaged = ["--database", `sqlite:${join(folder.path, "lectern.db")}`, "--host", "127.0.0.1"];
    const { exitCode, stdout } = await runCommand(["doctor", "--deep", ...damaged]);
    expect([place, exitCode === 0 ? stdout : ""]).toEqual([place, ""]);
  }
  expect(failed).toBeGreaterThan(0);
});
