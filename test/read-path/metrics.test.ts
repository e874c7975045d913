// `/metrics`, in one process and in several, and that the dashboard and the alerts use existing ones.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { publish } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { postgres, sqlite, useTestStore } from "../support/store.ts";
import { readMetrics, type Metrics } from "./metrics.ts";
import { listChildren, processorSeconds, residentMegabytes } from "./processes.ts";

const LIST = "/api/v1/courses";
const REQUESTS = "lectern_http_requests_total";
const DURATION = "lectern_http_request_duration_seconds";
const PROJECTS = "lectern_project_requests_total";

const createCourses = (name: string) => [
  { _id: "a", slug: "a", name, chapters: [{ id: "c", name: "C", lessons: [{ id: "l", name: "L" }] }] },
];
const countRequests = ({ samples }: Metrics): Record<string, number> => {
  const counts = samples.filter(({ name }) => name === REQUESTS);
  return Object.fromEntries(counts.map(({ labels, value }) => [`${labels["route"]} ${labels["status"]}`, value]));
};

describe.each([
  { engine: sqlite, workers: 1 },
  { engine: postgres, workers: 2 },
])("the metrics of $workers process(es) that answer", ({ engine, workers }) => {
  let key: string;
  let env: Record<string, string>;
  let server: RunningCommand;
  const startedAtMs = Date.now();

  // One server for all of them: the first finds it as it has started, the last ends one of its workers.
  const database = useTestStore(engine, async () => {
    await publish(database.store, "acme", createCourses("A"));
    key = await createKey(database.store, "acme");
    env = { LECTERN_DATABASE: database.url, LECTERN_WRONG_KEY_LIMIT: "off" };
    server = await startServing(["serve", "--workers", String(workers), "--asset-limit", "2/3600"], { env });
    return async () => {
      server.kill();
      await server.exited;
    };
  });
  const read = (): Promise<Metrics> => readMetrics(server.adminUrl);
  const ask = async (path: string, options: Parameters<typeof send>[2] = {}) =>
    // A connection each, so that all workers get some.
    send(server.url, path, { key, ...options, headers: { ...options.headers, connection: "close" } });

  /** The numbers, once they have these counts: a slow worker reports late. */
  const readCounts = async (expected: Record<string, number>): Promise<Metrics> => {
    let metrics = await read();
    while (!Bun.deepEquals(countRequests(metrics), expected)) metrics = await read();
    return metrics;
  };
  /** Asks for the list so often, and waits until the numbers have it. */
  const askForList = async (times: number): Promise<Metrics> => {
    const counts = countRequests(await read());
    for (let time = 0; time < times; time++) await ask(LIST);
    return readCounts({ ...counts, "courses 200": (counts["courses 200"] ?? 0) + times });
  };

  test("count every request by route and status, in valid Prometheus text with consistent histograms", async () => {
    for (const [times, path, options] of [
      [5, `${LIST}?name=a&limit=1`],
      [1, `${LIST}?limit=0`],
      [4, `${LIST}/a`, { headers: { "if-none-match": "*" } }],
      [2, `${LIST}/a`, { method: "HEAD" }],
      [3, `${LIST}/a`, { key: "wrong-key-0123456789" }],
      [2, `${LIST}/a/lessons`, { method: "OPTIONS" }],
      [7, `${LIST}/a/lessons/l/`],
      [3, "/nothing"],
      [1, `${LIST}/${"x".repeat(9000)}`],
    ] as [times: number, path: string, options?: Parameters<typeof send>[2]][]) {
      for (let time = 0; time < times; time++) await ask(path, options);
    }
    const metrics = await readCounts({
      "courses 200": 5,
      "courses 400": 1,
      "course 200": 2,
      "course 304": 4,
      "course 401": 3,
      "lessons 204": 2,
      "lesson 200": 7,
      "unknown 404": 3,
      "unknown 414": 1,
    });
    const names = new Set(metrics.samples.map(({ name }) => name.replace(/_(bucket|sum|count)$/, "")));
    expect([...names].toSorted()).toEqual([...metrics.types.keys()].toSorted());
    expect([...metrics.helps.keys()].toSorted()).toEqual([...metrics.types.keys()].toSorted());
    expect(new Set(metrics.types.values())).toEqual(new Set(["counter", "gauge", "histogram"]));
    for (const [name, type] of metrics.types) expect(name.endsWith("_total")).toBe(type === "counter");
    const keys = metrics.samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
    expect(new Set(keys).size).toBe(keys.length);
    const allBuckets = metrics.samples.filter(({ name }) => name === `${DURATION}_bucket`);
    for (const route of ["courses", "course", "lessons", "lesson", "unknown"]) {
      const buckets = allBuckets.filter(({ labels }) => labels["route"] === route);
      const bounds = buckets.map(({ labels }) => Number(labels["le"]?.replace("+Inf", "Infinity")));
      const counts = buckets.map(({ value }) => value);
      for (const numbers of [bounds, counts]) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      const count = metrics.sum(REQUESTS, { route });
      const ends = [bounds.at(-1), counts.at(-1), metrics.sum(`${DURATION}_count`, { route })];
      expect(ends).toEqual([Infinity, count, count]);
      const seconds = metrics.sum(`${DURATION}_sum`, { route });
      expect(seconds > 0 && seconds < (Date.now() - startedAtMs) / 1000).toBe(true);
    }
    expect([metrics.sum("lectern_store_reachable"), metrics.sum("lectern_workers")]).toEqual([1, workers]);
    expect(metrics.sum("lectern_cache_entries")).toBeGreaterThanOrEqual(2);
  });

  const listProcesses = (): number[] => [server.pid, ...listChildren(server.pid)];
  /** Memory comes and goes: that it is told right shows when nothing is asked of the server. */
  const tellsMemory = async (): Promise<boolean> => {
    const megabytes = (await read()).sum("process_resident_memory_bytes") / 1024 / 1024;
    const expected = listProcesses().reduce((sum, pid) => sum + residentMegabytes(pid), 0);
    return Math.abs(megabytes - expected) < 0.15 * expected;
  };

  test("report memory and CPU time of all processes of the server", async () => {
    const pids = listProcesses();
    expect(pids).toHaveLength(workers === 1 ? 1 : workers + 1);
    await waitFor(tellsMemory);
    const readSeconds = (): number => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
    const before = readSeconds();
    const told = (await read()).sum("process_cpu_seconds_total");
    // The system counts in hundredths, and each process in two numbers.
    const inaccuracy = 0.02 * pids.length;
    expect(told).toBeGreaterThan(before - inaccuracy);
    expect(told).toBeLessThan(readSeconds() + inaccuracy);
  });

  test("have its version, its start, its files, the size of the database and pending webhook events", async () => {
    const metrics = await read();
    expect(metrics.sum("lectern_build_info", { version: packageJson.version })).toBe(1);
    const start = metrics.sum("process_start_time_seconds") * 1000;
    expect([start > startedAtMs - 1000, start < Date.now()]).toEqual([true, true]);
    expect(metrics.sum("process_open_fds")).toBeGreaterThan(5);
    expect(metrics.sum("lectern_database_bytes")).toBeGreaterThan(100_000);
    expect(metrics.sum("lectern_outbox_events")).toBe(0);
    await waitFor(async () => (await read()).sum("lectern_event_loop_delay_seconds_count") > 1);
    // No receiver listens there.
    const hook = ["webhooks", "create", "--project", "hooked", "--url", "http://127.0.0.1:9/", "--allow-private"];
    expect((await runCommand(hook, { env })).exitCode).toBe(0);
    await publish(database.store, "hooked", createCourses("One"));
    expect(await database.store.measure()).toMatchObject({ outboxEvents: 1 });
  });

  if (workers === 1) {
    test("have each channel's release and its age, and no deleted channel", async () => {
      const live = { project: "acme", channel: "live" };
      const [{ publishedAt } = { publishedAt: "" }] = await database.store.changes.publicationsSince(0);
      expect((await read()).sum("lectern_release", live)).toBe(1);
      const age = (await read()).sum("lectern_release_age_seconds", live);
      expect([age >= 0, age <= (Date.now() - Date.parse(publishedAt)) / 1000 + 1]).toEqual([true, true]);
      await publish(database.store, "acme", createCourses("Two"));
      await waitFor(async () => (await read()).sum("lectern_release", live) === 2);
      const preview = ["--project", "acme", "--channel", "pr-1"];
      await runCommand(["import", "-", ...preview], { env, stdin: JSON.stringify(createCourses("Three")[0]) });
      await waitFor(async () => (await read()).sum("lectern_release", { channel: "pr-1" }) === 3);
      await runCommand(["channels", "delete", "pr-1", "--project", "acme"], { env });
      await waitFor(async () => !(await read()).text.includes('"pr-1"'));
    });

    test("have why keys were rejected, which clients do not see", async () => {
      const past = new Date(Date.now() - 1000).toISOString();
      const { store } = database;
      const [expired, revoked] = [await createKey(store, "old"), await createKey(store, "gone")];
      const isAnswered = (secret: string, status: number) =>
        waitFor(async () => (await send(server.url, LIST, { key: secret })).status === status);
      await isAnswered(expired, 200);
      await isAnswered(revoked, 200);
      const [[old], [gone]] = [await store.keys.listKeys("old"), await store.keys.listKeys("gone")];
      await store.keys.expireKey(old?.id ?? "", past);
      await store.keys.revokeKey(gone?.id ?? "", past);
      await isAnswered(revoked, 401);
      const before = await read();
      const keys = [expired, revoked, revoked, "wrong", `${expired}x`, undefined];
      const texts = [];
      for (const secret of keys) texts.push((await send(server.url, LIST, { key: secret })).text);
      expect(new Set(texts.slice(0, 5)).size).toBe(1);
      const after = await read();
      const count = (reason: string): number =>
        after.sum("lectern_keys_refused_total", { reason }) - before.sum("lectern_keys_refused_total", { reason });
      expect(["expired", "revoked", "unknown", "missing"].map(count)).toEqual([1, 2, 2, 1]);
      expect(before.sum(PROJECTS, { project: "old" })).toBeGreaterThan(0);
    });
    return;
  }

  test("count cache lookups, shed requests, and at most a hundred projects", async () => {
    const before = await askForList(0);
    const keys: string[] = [];
    for (let number = 0; number < 102; number++) keys.push(await createKey(database.store, `project-${number}`));
    await waitFor(async () => (await ask(LIST, { key: keys.at(-1) })).status === 200);
    const missing = `/assets/${"0".repeat(32)}/a.png`;
    for (let time = 0; time < 20; time++) await ask(missing, { key: undefined });
    for (const asked of keys) await ask(LIST, { key: asked });
    const count = (metrics: Metrics, name: string, labels = {}): number =>
      metrics.sum(name, labels) - before.sum(name, labels);
    await waitFor(async () => count(await read(), PROJECTS, { project: "other" }) > 0);
    await waitFor(async () => count(await read(), "lectern_requests_shed_total", { reason: "asset-limit" }) === 18);
    const metrics = await read();
    // A hundred, and all others under one name.
    expect(metrics.samples.filter(({ name }) => name === PROJECTS)).toHaveLength(101);
    const lookups = "lectern_cache_requests_total";
    expect(count(metrics, lookups, { outcome: "miss" })).toBeGreaterThan(0);
    expect(metrics.sum(lookups, { outcome: "hit" })).toBeGreaterThan(0);
  });

  test("have every metric and label of the dashboard and the alerts", async () => {
    const deployed = ["grafana-dashboard.json", "alerts.yaml"].map((name) => {
      const path = fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));
      return JSON.stringify(parse(readFileSync(path, "utf8")));
    });
    const expressions = deployed
      .flatMap((json) => json.match(/(?<="expr":)"(?:[^"\\]|\\.)*"/g) ?? [])
      .map((text) => JSON.parse(text) as string);
    const { samples, types } = await read();
    const labels = new Map(samples.map((sample) => [sample.name, Object.keys(sample.labels)]));
    const unknown = expressions.flatMap((expression) => {
      const bare = expression.replace(/"[^"]*"/g, '""');
      const names = bare.match(/\b(lectern|process)_\w+/g) ?? [];
      // Prometheus adds two, and no label is where none is asked for.
      const known = new Set(["", "instance", "job", ...names.flatMap((name) => labels.get(name) ?? [])]);
      const asked = [...bare.matchAll(/by \(([^)]*)\)|\{([^}]*)\}/g)].flatMap(([, by = "", matchers = ""]) =>
        `${by},${matchers}`.split(",").map((each) => each.replace(/[=!].*/, "").trim()),
      );
      const missing = [...names.filter((name) => !labels.has(name)), ...asked.filter((label) => !known.has(label))];
      return missing.map((each) => `${each} in ${expression}`);
    });
    expect(unknown).toEqual([]);
    expect(expressions.length).toBeGreaterThan(10);
    expect(types.get("lectern_event_loop_delay_seconds")).toBe("histogram");
  });

  test("omit a worker that does not respond, but keep its counts; none decreases when one exits", async () => {
    const before = await askForList(40);
    const [victim = 0] = listChildren(server.pid);
    process.kill(victim, "SIGSTOP");
    expect(countRequests(await read())).toEqual(countRequests(before));
    process.kill(victim, "SIGKILL");
    await waitFor(() => !listChildren(server.pid).includes(victim));
    const told = [await read()];
    await waitFor(async () => (await read()).sum("lectern_workers") === workers);
    told.push(await read());
    for (const after of told) {
      expect(countRequests(after)).toEqual(countRequests(before));
      const isCount = ({ name }: { name: string }): boolean => /(_total|_bucket|_sum|_count)$/.test(name);
      const fallen = before.samples.filter((each) => isCount(each) && after.sum(each.name, each.labels) < each.value);
      expect(fallen).toEqual([]);
    }
    await askForList(10);
    // Memory is what there is now, not what there was.
    await waitFor(tellsMemory);
  });
});
