// Further metrics, and that the dashboard and the alerts use existing ones.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { publish } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { anyEngine, engines, useTestStore } from "../support/store.ts";
import { readMetrics, type Metrics } from "./metrics.ts";

const courses = (name: string) => [{ _id: "a", slug: "a", name }];

describe.each(engines)("a server on $name", (engine) => {
  let server: RunningCommand;
  let key: string;
  const startedAt = Date.now();
  const database = useTestStore(engine, async () => {
    await publish(database.store, "acme", courses("One"));
    key = await createKey(database.store, "acme");
    server = await startServing(["serve"], { env: { LECTERN_DATABASE: database.url } });
    return async () => {
      server.kill();
      await server.exited;
    };
  });
  const read = async (): Promise<Metrics> => readMetrics(server.adminUrl);

  test("reports its version, its start, its files and the size of the database", async () => {
    const metrics = await read();
    expect(metrics.sum("lectern_build_info", { version: packageJson.version })).toBe(1);
    const start = metrics.sum("process_start_time_seconds") * 1000;
    expect([start > startedAt - 1000, start < Date.now()]).toEqual([true, true]);
    expect(metrics.sum("process_open_fds")).toBeGreaterThan(5);
    expect(metrics.sum("lectern_database_bytes")).toBeGreaterThan(100_000);
    await waitFor(async () => (await read()).sum("lectern_event_loop_delay_seconds_count") > 1);
  });

  test("reports each channel's release and its age, and drops a deleted channel", async () => {
    const live = { project: "acme", channel: "live" };
    const [{ publishedAt } = { publishedAt: "" }] = await database.store.changes.publicationsSince(0);
    expect((await read()).sum("lectern_release", live)).toBe(1);
    const age = (await read()).sum("lectern_release_age_seconds", live);
    expect([age >= 0, age <= (Date.now() - Date.parse(publishedAt)) / 1000 + 1]).toEqual([true, true]);
    await publish(database.store, "acme", courses("Two"));
    await publish(database.store, "tea", courses("One"));
    await waitFor(async () => (await read()).sum("lectern_release", { project: "tea" }) === 1);
    expect((await read()).sum("lectern_release", live)).toBe(2);
    const env = { LECTERN_DATABASE: database.url };
    const preview = ["--project", "acme", "--channel", "pr-1"];
    await runCommand(["import", "-", ...preview], { env, stdin: JSON.stringify(courses("Three")[0]) });
    await waitFor(async () => (await read()).sum("lectern_release", { channel: "pr-1" }) === 3);
    await runCommand(["channels", "delete", "pr-1", "--project", "acme"], { env });
    await waitFor(async () => !(await read()).text.includes('"pr-1"'));
  });

  test("reports pending webhook events", async () => {
    expect((await read()).sum("lectern_outbox_events")).toBe(0);
    // No receiver listens there.
    const hook = ["webhooks", "create", "--project", "acme", "--url", "http://127.0.0.1:9/", "--allow-private"];
    expect((await runCommand(hook, { env: { LECTERN_DATABASE: database.url } })).exitCode).toBe(0);
    await publish(database.store, "acme", courses("Three"));
    expect(await database.store.measure()).toMatchObject({ outboxEvents: 1 });
  });

  test("reports why keys were rejected, without revealing it to clients", async () => {
    const path = "/api/v1/courses";
    const past = new Date(Date.now() - 1000).toISOString();
    const [expired, revoked] = [await createKey(database.store, "old"), await createKey(database.store, "gone")];
    for (const asked of [expired, revoked]) {
      await waitFor(async () => (await send(server.url, path, { key: asked })).status === 200);
    }
    const before = await read();
    const [old] = await database.store.keys.listKeys("old");
    const [gone] = await database.store.keys.listKeys("gone");
    await database.store.keys.expireKey(old?.id ?? "", past);
    await database.store.keys.revokeKey(gone?.id ?? "", past);
    await waitFor(async () => (await send(server.url, path, { key: revoked })).status === 401);
    const between = await read();
    for (const asked of [expired, revoked, revoked, "wrong", `${key}x`, undefined]) {
      await send(server.url, path, { key: asked });
    }
    const after = await read();
    const count = (reason: string): number =>
      after.sum("lectern_keys_refused_total", { reason }) - between.sum("lectern_keys_refused_total", { reason });
    expect(["expired", "revoked", "unknown", "missing"].map(count)).toEqual([1, 2, 2, 1]);
    expect(before.sum("lectern_project_requests_total", { project: "old" })).toBeGreaterThan(0);
  });
});

describe("a server with two workers", () => {
  let server: RunningCommand;
  const database = useTestStore(anyEngine, async () => {
    await publish(database.store, "acme", courses("One"));
    return async () => {
      server.kill();
      await server.exited;
    };
  });

  test("counts cache lookups, shed requests, and at most a hundred projects", async () => {
    const keys: string[] = [];
    for (let number = 0; number < 103; number++) keys.push(await createKey(database.store, `project-${number}`));
    const key = await createKey(database.store, "acme");
    const env = { LECTERN_DATABASE: database.url };
    server = await startServing(["serve", "--workers", "2", "--asset-limit", "2/3600"], { env });
    const ask = async (path: string, asked = key) =>
      send(server.url, path, { key: asked, headers: { connection: "close" } });
    for (let time = 0; time < 20; time++) await ask("/api/v1/courses/a");
    for (let time = 0; time < 20; time++) await ask(`/assets/${"0".repeat(32)}/a.png`, "");
    await readMetrics(server.adminUrl);
    for (const asked of keys) for (let time = 0; time < 2; time++) await ask("/api/v1/courses", asked);
    const sum = (metrics: Metrics, name: string, labels = {}): number => metrics.sum(name, labels);
    const name = "lectern_project_requests_total";
    await waitFor(async () => sum(await readMetrics(server.adminUrl), name) === 226);
    const metrics = await readMetrics(server.adminUrl);
    const projects = metrics.samples.filter((sample) => sample.name === name).map(({ labels }) => labels["project"]);
    expect(projects).toHaveLength(101);
    expect([sum(metrics, name, { project: "acme" }), sum(metrics, name, { project: "other" })]).toEqual([20, 8]);
    const made = sum(metrics, "lectern_cache_requests_total", { outcome: "miss" });
    const found = sum(metrics, "lectern_cache_requests_total", { outcome: "hit" });
    // The answers of a course, and those of the lists of empty catalogs, which nothing keeps.
    expect(made + found).toBe(226);
    expect(found).toBeGreaterThanOrEqual(18);
    expect(sum(metrics, "lectern_requests_shed_total", { reason: "asset-limit" })).toBe(18);
    expect(sum(metrics, "process_open_fds")).toBeGreaterThan(15);
    expect(sum(metrics, "lectern_build_info")).toBe(1);
  });

  const readDeployed = (name: string): string =>
    readFileSync(fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url)), "utf8");
  interface Dashboard {
    panels: { title: string; targets: { expr: string }[] }[];
    annotations: { list: { expr: string }[] };
  }
  const dashboard = JSON.parse(readDeployed("grafana-dashboard.json")) as Dashboard;
  const alerts = parse(readDeployed("alerts.yaml")) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const expressions: [title: string, expression: string][] = [
    ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }): [string, string] => [title, expr])),
    ...dashboard.annotations.list.map(({ expr }): [string, string] => ["annotation", expr]),
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }): [string, string] => [alert, expr])),
  ];

  test("has every metric and label of the dashboard and the alerts", async () => {
    const { samples, types } = await readMetrics(server.adminUrl);
    const labels = new Map<string, Set<string>>();
    for (const sample of samples) labels.set(sample.name, new Set(Object.keys(sample.labels)));
    // Prometheus adds these.
    const added = ["instance", "job"];
    const unknown = expressions.flatMap(([title, expression]) => {
      const bare = expression.replace(/"[^"]*"/g, '""');
      const names = bare.match(/\b(lectern|process)_\w+/g) ?? [];
      const known = names.filter((name) => labels.has(name));
      const found = new Set(known.flatMap((name) => [...(labels.get(name) ?? [])]).concat(added));
      const asked = [...bare.matchAll(/by \(([^)]*)\)|\{([^}]*)\}/g)].flatMap(([, by = "", matchers = ""]) =>
        [...by.split(","), ...matchers.split(",").map((each) => each.split(/[=!]/)[0] ?? "")].map((each) =>
          each.trim(),
        ),
      );
      const missing = asked.filter((label) => label !== "" && !found.has(label));
      return [...names.filter((name) => !labels.has(name)), ...missing].map((each) => `${title}: ${each}`);
    });
    expect(unknown).toEqual([]);
    // What nobody looks at needs no counter.
    const text = expressions.map(([, expression]) => expression).join(" ");
    expect(["lectern_requests_shed_total", "lectern_release"].filter((name) => !text.includes(name))).toEqual([]);
    expect(types.get("lectern_event_loop_delay_seconds")).toBe("histogram");
  });
});
