// `/metrics`, in one process and in several.
import { describe, expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startServing, type RunningCommand } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";
import { Connection } from "./connection.ts";
import { readMetrics, type Metrics } from "./metrics.ts";
import { listChildren, processorSeconds, residentMegabytes } from "./processes.ts";

const ROUTES = ["courses", "course", "lessons", "lesson", "unknown"];
const DURATION = "lectern_http_request_duration_seconds";

describe.each([1, 2])("the metrics of %d process(es) that answer", (workers) => {
  let key: string;
  let server: RunningCommand;
  const startedAt = performance.now();

  // One server for all of them: the first finds it as it has started, the last ends one of its workers.
  const database = useTestStore(anyEngine, async () => {
    const chapters = [{ id: "c", name: "C", lessons: [{ id: "l", name: "L" }] }];
    await publish(database.store, "acme", [{ _id: "a", slug: "a", name: "A", chapters }]);
    key = await createKey(database.store, "acme");
    const env = { LECTERN_DATABASE: database.url };
    server = await startServing(["serve", "--workers", String(workers)], { env });
    return async () => {
      server.kill();
      await server.exited;
    };
  });

  const ask = async (path: string, options: Parameters<typeof send>[2] = {}) => {
    // A connection each, so that all workers get some.
    const headers = { ...options.headers, connection: "close" };
    return send(server.url, path, { key, ...options, headers });
  };
  const countRequests = ({ samples }: Metrics): Record<string, number> =>
    Object.fromEntries(
      samples
        .filter(({ name }) => name === "lectern_http_requests_total")
        .map(({ labels, value }) => [`${labels["route"]} ${labels["status"]}`, value]),
    );

  /** Asks for the list so often, and waits until the numbers have it. */
  const askForList = async (times: number): Promise<Metrics> => {
    const counts = countRequests(await readMetrics(server.adminUrl));
    for (let time = 0; time < times; time++) await ask("/api/v1/courses");
    return readCounts({ ...counts, "courses 200": (counts["courses 200"] ?? 0) + times });
  };

  /** The numbers, once they have these counts: a slow worker reports late. */
  const readCounts = async (expected: Record<string, number>): Promise<Metrics> => {
    let metrics = await readMetrics(server.adminUrl);
    const areThere = async (): Promise<boolean> => {
      metrics = await readMetrics(server.adminUrl);
      return Bun.deepEquals(countRequests(metrics), expected);
    };
    await waitFor(areThere).catch(() => expect(countRequests(metrics)).toEqual(expected));
    return metrics;
  };

  test("count every request by route and status", async () => {
    const etag = (await ask("/api/v1/courses/a")).headers.get("etag") ?? "";
    const asked: [times: number, path: string, options: Parameters<typeof send>[2]][] = [
      [5, "/api/v1/courses?name=a&limit=1", {}],
      [1, "/api/v1/courses?limit=0", {}],
      [3, "/api/v1/courses/a", {}],
      [4, "/api/v1/courses/a", { headers: { "if-none-match": etag } }],
      [2, "/api/v1/courses/a", { method: "HEAD" }],
      [3, "/api/v1/courses/a", { key: "wrong-key-0123456789" }],
      [2, "/api/v1/courses/a/lessons", { method: "OPTIONS" }],
      [7, "/api/v1/courses/a/lessons/l/", {}],
      [1, "/api/v1/courses/a/lessons/l?release=9", {}],
      [2, "/api/v1/courses/a/lessons/l", { method: "DELETE" }],
      [3, "/nothing", {}],
      [1, `/api/v1/courses/${"x".repeat(9000)}`, {}],
    ];
    for (const [times, path, options] of asked) for (let time = 0; time < times; time++) await ask(path, options);
    const metrics = await readCounts({
      "courses 200": 5,
      "courses 400": 1,
      "course 200": 1 + 3 + 2,
      "course 304": 4,
      "course 401": 3,
      "lessons 204": 2,
      "lesson 200": 7,
      "lesson 404": 1,
      "lesson 405": 2,
      "unknown 404": 3,
      "unknown 414": 1,
    });
    for (const route of ROUTES) {
      const total = metrics.sum("lectern_http_requests_total", { route });
      expect([route, metrics.sum(`${DURATION}_count`, { route })]).toEqual([route, total]);
    }
  });

  test("are valid Prometheus text: types, help, and consistent histograms", async () => {
    for (const path of ["/api/v1/courses", "/api/v1/courses/a", "/nothing"]) await ask(path);
    const metrics = await readMetrics(server.adminUrl);
    const names = new Set(metrics.samples.map(({ name }) => name.replace(/_(bucket|sum|count)$/, "")));
    expect([...names].toSorted()).toEqual([...metrics.types.keys()].toSorted());
    expect([...metrics.helps.keys()].toSorted()).toEqual([...metrics.types.keys()].toSorted());
    expect(new Set(metrics.types.values())).toEqual(new Set(["counter", "gauge", "histogram"]));
    for (const [name, type] of metrics.types) expect(name.endsWith("_total")).toBe(type === "counter");
    const keys = metrics.samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const route of ROUTES) {
      const buckets = metrics.samples.filter(
        ({ name, labels }) => name === `${DURATION}_bucket` && labels["route"] === route,
      );
      const bounds = buckets.map(({ labels }) => Number(labels["le"]?.replace("+Inf", "Infinity")));
      expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
      expect(bounds.at(-1)).toBe(Infinity);
      const counts = buckets.map(({ value }) => value);
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      expect(counts.at(-1)).toBe(metrics.sum(`${DURATION}_count`, { route }));
      const seconds = metrics.sum(`${DURATION}_sum`, { route });
      expect(seconds > 0).toBe((counts.at(-1) ?? 0) > 0);
      expect(seconds).toBeLessThan((performance.now() - startedAt) / 1000);
    }
    expect(metrics.sum("lectern_store_reachable")).toBe(1);
    expect(metrics.sum("lectern_workers")).toBe(workers);
    expect(metrics.sum("lectern_cache_entries")).toBeGreaterThanOrEqual(2);
  });

  const listProcesses = (): number[] => [server.pid, ...listChildren(server.pid)];
  /** Memory comes and goes: that it is told right shows when nothing is asked of the server. */
  const tellsMemory = async (): Promise<boolean> => {
    const megabytes = (await readMetrics(server.adminUrl)).sum("process_resident_memory_bytes") / 1024 / 1024;
    const expected = listProcesses().reduce((sum, pid) => sum + residentMegabytes(pid), 0);
    return Math.abs(megabytes - expected) < 0.15 * expected;
  };

  test("report memory and CPU time of all processes of the server", async () => {
    const pids = listProcesses();
    expect(pids).toHaveLength(workers === 1 ? 1 : workers + 1);
    await waitFor(tellsMemory);
    const readSeconds = (): number => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
    const countBefore = countRequests(await readMetrics(server.adminUrl))["course 200"] ?? 0;
    const connection = await Connection.open(server.url);
    for (let time = 0; time < 1000; time++) await connection.ask("/api/v1/courses/a", { key });
    connection.close();
    await waitFor(async () => countRequests(await readMetrics(server.adminUrl))["course 200"] === countBefore + 1000);
    const before = readSeconds();
    const told = (await readMetrics(server.adminUrl)).sum("process_cpu_seconds_total");
    // The system counts in hundredths, and each process in two numbers.
    const inaccuracy = 0.02 * pids.length;
    expect(told).toBeGreaterThan(before - inaccuracy);
    expect(told).toBeLessThan(readSeconds() + inaccuracy);
  });

  if (workers > 1) {
    test("omit a worker that does not respond, but keep its counts", async () => {
      const counts = countRequests(await askForList(40));
      const [stuck = 0] = listChildren(server.pid);
      process.kill(stuck, "SIGSTOP");
      const metrics = await readMetrics(server.adminUrl);
      process.kill(stuck, "SIGCONT");
      expect(countRequests(metrics)).toEqual(counts);
    });

    test("never decrease when a worker exits, and lose at most its last requests", async () => {
      const before = await askForList(40);
      const counts = countRequests(before);
      const [victim = 0] = listChildren(server.pid);
      process.kill(victim, "SIGKILL");
      await waitFor(() => !listChildren(server.pid).includes(victim));
      for (const isBack of [false, true]) {
        if (isBack) await waitFor(async () => (await readMetrics(server.adminUrl)).sum("lectern_workers") === workers);
        const after = await readMetrics(server.adminUrl);
        expect(countRequests(after)).toEqual(counts);
        for (const { name, labels, value } of before.samples) {
          const isCount = /(_total|_bucket|_sum|_count)$/.test(name);
          if (isCount) expect([name, after.sum(name, labels) >= value]).toEqual([name, true]);
        }
      }
      await askForList(10);
      // Memory is what there is now, not what there was.
      await waitFor(tellsMemory);
    });
  }
});
