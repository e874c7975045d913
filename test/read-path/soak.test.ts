// A server with workers at full load while a release is published every two seconds. LECTERN_SOAK_SECONDS makes it longer.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { importCourses, type AuthoredCourse } from "../support/catalog.ts";
import { startServing, type RunningCommand } from "../support/command.ts";
import { publishingAt } from "../support/in-process.ts";
import { createRandom, readRandomSettings } from "../support/random.ts";
import { createKey } from "../support/server.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";
import { decodeBody, startAsker, type Asker, type SentAnswer } from "./connection.ts";
import { readMetrics } from "./metrics.ts";
import { listChildren, residentMegabytes } from "./processes.ts";

const SECONDS = Number(process.env.LECTERN_SOAK_SECONDS ?? 6);
const PUBLISH_EVERY_MS = 2000;
const ASKERS = 16;
const COURSES = 40;
const LESSONS = 10;
/** So small that it is full soon: from then on memory must not grow. */
const CACHE_MEGABYTES = 4;

/** Every text names the edition that it is of; one course is the same in all of them. */
function createEdition(edition: number): AuthoredCourse[] {
  return Array.from({ length: COURSES }, (_, course) => {
    const name = course === 0 ? "Always" : `Edition ${edition}.`;
    const text = `<p>${`${name} `.repeat(200)}${Bun.hash(String(course)).toString(36)}</p>`;
    const lessons = Array.from({ length: LESSONS }, (_unused, lesson) => ({
      id: `l${lesson}`,
      name,
      additionalText: text,
    }));
    return {
      _id: `c${course}`,
      slug: `s${course}`,
      name,
      createdAt: "2025-01-01",
      chapters: [{ id: "c", name, lessons }],
    };
  });
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

describe.each(engines)("a server under load on $name", (engine) => {
  let database: TestStore;
  let server: RunningCommand;
  let key: string;

  beforeAll(async () => {
    database = await openTestStore(engine);
    await importCourses(database.store, "acme", createEdition(1));
    key = await createKey(database.store, "acme");
    const args = ["serve", "--workers", "2", "--cache-size", String(CACHE_MEGABYTES)];
    server = await startServing(args, { env: { LECTERN_DATABASE: database.url } });
  });
  afterAll(async () => {
    server.kill();
    await server.exited;
    await database.drop();
  });

  test(
    `gives whole answers of one release each for ${SECONDS} seconds, without an error, in memory that does not grow`,
    async () => {
      const { seed } = readRandomSettings(0);
      const random = createRandom(seed);
      let published = 1;
      const etags = new Map<string, string>();
      const next = (): [string, { key: string; headers: Record<string, string> }] => {
        const course = `/api/v1/courses/${random.pick(["c", "s"])}${random.below(COURSES)}`;
        const path = random.pick([
          "/api/v1/courses",
          `/api/v1/courses?name=edition&limit=${1 + random.below(COURSES)}`,
          course,
          course,
          `${course}/lessons`,
          `${course}/lessons/l${random.below(LESSONS)}`,
          `${course}/lessons/l${random.below(LESSONS)}?_=${random.below(1e9)}`,
          `${course}?release=${1 + random.below(published)}`,
        ]);
        const headers: Record<string, string> = { "accept-encoding": random.pick(["identity", "br", "zstd", "gzip"]) };
        const etag = etags.get(path);
        if (etag !== undefined && random.oneIn(3)) headers["if-none-match"] = etag;
        return [path, { key, headers }];
      };
      const check = (answer: SentAnswer, path: string): string | undefined => {
        const { status, headers } = answer;
        if (status === 410 && path.includes("release=")) return undefined;
        if (status !== 200 && status !== 304) return `${path}: ${status} ${answer.body.toString()}`;
        const release = headers["catalog-release"];
        const asked = /release=(\d+)/.exec(path)?.[1] ?? release;
        if (release !== asked || release === undefined) return `${path}: release ${release}`;
        if (etags.size < 1000) etags.set(path, headers["etag"] ?? "");
        if (status === 304) return undefined;
        const text = decodeBody(answer);
        if (!text.endsWith(',"success":true,"message":"","code":200}')) return `${path}: cut off`;
        const editions = new Set(text.match(/Edition \d+\./g) ?? []);
        const isAlways = /\/[cs]0(\/|\?|$)/.test(path);
        const expected = isAlways ? [] : [`Edition ${release}.`];
        if (Bun.deepEquals([...editions], expected)) return undefined;
        return `${path}: release ${release} with ${[...editions].join(" ")}`;
      };
      const askers: Asker[] = Array.from({ length: ASKERS }, () => startAsker(server.url, next, check));

      const endsAt = Date.now() + SECONDS * 1000;
      const megabytes: number[] = [];
      while (Date.now() < endsAt) {
        const edition = published + 1;
        const { outcome } = await importCourses(
          database.store,
          "acme",
          createEdition(edition),
          new Date().toISOString(),
        );
        expect(outcome.status === "published" && outcome.release.number).toBe(edition);
        published = edition;
        await pruneReleases(publishingAt(database.store, "acme", new Date().toISOString()), 3);
        const nextAt = Date.now() + PUBLISH_EVERY_MS;
        while (Date.now() < nextAt) {
          megabytes.push(listChildren(server.pid).reduce((sum, pid) => sum + residentMegabytes(pid), 0));
          await Bun.sleep(250);
        }
      }
      await Promise.all(askers.map(async (asker) => asker.stop()));
      const failures = askers.flatMap((asker) => asker.failures);
      expect({ seed, failures: failures.slice(0, 5) }).toEqual({ seed, failures: [] });
      const answers = askers.reduce((sum, asker) => sum + asker.answers, 0);
      expect(answers).toBeGreaterThan(500 * SECONDS);

      // The first third is for filling the cache.
      const third = Math.floor(megabytes.length / 3);
      const [middle, end] = [median(megabytes.slice(third, 2 * third)), median(megabytes.slice(-third))];
      if (process.env.LECTERN_SOAK_SECONDS !== undefined) {
        const [first = 0] = megabytes;
        const rounded = [first, middle, end].map((figure) => Math.round(figure)).join(", ");
        console.log(`${answers} answers, ${published} releases, workers' memory ${rounded} MB (first, middle, end)`);
      }
      expect(end).toBeLessThan(middle * 1.15 + 15);
      const metrics = await readMetrics(server.adminUrl);
      expect(metrics.sum("lectern_cache_bytes")).toBeLessThanOrEqual(2 * CACHE_MEGABYTES * 1024 * 1024);
      expect(metrics.sum("lectern_http_requests_total", { status: "500" })).toBe(0);
      expect(metrics.sum("lectern_http_requests_total")).toBe(answers);
      const lines = server.stderr().trimEnd().split("\n");
      expect(lines.filter((line) => !line.includes('"msg":"serving"'))).toEqual([]);
    },
    (SECONDS + 30) * 1000,
  );
});
