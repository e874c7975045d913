// npm run stress -- --soak MINUTES [--engine sqlite|postgres] [--page FILE.svg]
// Loads two servers on one database at 70 % of their capacity while everything around them fails in turn. One server is
// never touched: its memory shows growth, and no connection to it may fail. The other loses workers, crashes and restarts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { issueKey } from "../src/keys/issue-key.ts";
import { createHook, getHook, startReceiver, type Reply } from "../test/hooks/receiver.ts";
import { startAsker, type Asker, type SentAnswer } from "../test/read-path/connection.ts";
import { readMetrics } from "../test/read-path/metrics.ts";
import { listChildren, signal } from "../test/read-path/processes.ts";
import { publish, toNdjson } from "../test/support/catalog.ts";
import { runProcess, startCommand, startServing, type RunningCommand } from "../test/support/command.ts";
import { findFreePort } from "../test/support/free-port.ts";
import { NGINX, startNginx } from "../test/support/nginx.ts";
import type { PostgresServer } from "../test/support/postgres.ts";
import { createRandom, readRandomSettings } from "../test/support/random.ts";
import { createKey, send, waitFor } from "../test/support/server.ts";
import { createTestFolder, openTestStore, type Engine, type TestStore } from "../test/support/store.ts";
import { hasAll } from "./hooks.ts";
import type { Judgement } from "./judgement.ts";
import { createEdition, MixedLoad, UNCHANGED_PATHS } from "./mixed-load.ts";
import { judgeSoak, type Sample } from "./soak-judgement.ts";
import { drawSoak } from "./soak-page.ts";
import { measureDatabase, publishFile, startPostgres } from "./soak-surroundings.ts";
import { startReader } from "./start-reader.ts";

const SHARE = 0.7;
const CAPACITY_MS = 5000;
const ASKERS_PER_SERVER = 8;
const MEASURED_MS = 8000;
const CYCLE_MS = 20_000;
/** How long after a fault's end clients may still see its effects. */
const AFTERMATH_MS = 3000;
const SETTLE_MS = 180_000;
const FAULTS = ["worker", "import", "restart", "worker", "crash", "database"] as const;

/** Runs for some minutes, writes plots to the page if named, and judges. */
export async function soak(engine: Engine, minutes: number, page: string | undefined): Promise<Judgement[]> {
  const postgres = engine.name === "sqlite" ? undefined : await startPostgres();
  const database = await openTestStore(engine, postgres?.database);
  const folder = createTestFolder();
  const run = new Soak(database, postgres?.server, folder.path);
  try {
    const { samples, judgements, text } = await run.run(minutes);
    if (page !== undefined) writeFileSync(page, drawSoak(`${engine.name}, ${text}`, samples));
    return judgements.map((judgement) => ({ ...judgement, text: `soak on ${engine.name}: ${judgement.text}` }));
  } finally {
    await run.end();
    await database.drop();
    await postgres?.server.stop();
    folder.remove();
  }
}

class Soak {
  readonly #random = createRandom(readRandomSettings(0).seed);
  readonly #database: TestStore;
  readonly #postgres: PostgresServer | undefined;
  readonly #folder: string;
  readonly #servers: RunningCommand[] = [];
  readonly #samples: Sample[] = [];
  readonly #failures: string[] = [];
  readonly #askers: Asker[] = [];
  readonly #counts = { kills: 0, restarts: 0, outages: 0, keys: 0, files: 0, away: 0 };
  #load!: MixedLoad;
  #key = "";
  /** Until this time, failures of the second server and a 503 from either are due to a fault. */
  #triedUntilMs = 0;
  #awayUntilMs = 0;

  constructor(database: TestStore, postgres: PostgresServer | undefined, folder: string) {
    this.#database = database;
    this.#postgres = postgres;
    this.#folder = folder;
  }

  async run(minutes: number): Promise<{ samples: Sample[]; judgements: Judgement[]; text: string }> {
    const { store } = this.#database;
    const receiver = startReceiver();
    const hook = await createHook(store, `${receiver.url}/hook`);
    const replies = Array.from({ length: 10_000 }, (): Reply => (this.#random.oneIn(10) ? 500 : 204));
    receiver.replies.set("/hook", replies);
    await publish(store, "acme", createEdition(1), new Date().toISOString());
    this.#key = await createKey(store, "acme");
    this.#load = new MixedLoad(this.#random, this.#key);
    for (const workers of ["1", "2"]) this.#servers.push(await this.#serve(workers));
    const capacity = await this.#measureCapacity();
    const perSecond = capacity * SHARE;
    await using nginx = await this.#startPeer();
    this.#startAskers(perSecond);
    const startedAt = Date.now();
    const endsAt = startedAt + minutes * 60_000;
    for (let cycle = 0; Date.now() < endsAt; cycle++) {
      const fault = FAULTS[cycle % FAULTS.length] ?? "worker";
      const nextAt = Date.now() + CYCLE_MS;
      await this.#sample((Date.now() - startedAt) / 60_000, nginx?.port);
      await this.#tryKeys();
      await this.#tryFile(cycle);
      await this.#fail(fault);
      await Bun.sleep(Math.max(0, nextAt - Date.now()));
    }
    await Promise.all(this.#askers.map(async (asker) => asker.stop()));
    const hooksEndAt = Date.now() + SETTLE_MS;
    const isTold = async (): Promise<boolean> => {
      const { lastPublication, newestPublication } = await getHook(store, hook.id);
      return lastPublication === newestPublication;
    };
    while (!(await isTold()) && Date.now() < hooksEndAt) await Bun.sleep(100);
    const isDelivered = hasAll(receiver, "/hook", this.#load.published);
    await receiver.stop();
    for (const server of this.#servers) {
      const errors = (await readMetrics(server.adminUrl)).sum("lectern_http_requests_total", { status: "500" });
      if (errors > 0) this.#failures.push(`${errors} answers 500`);
    }
    this.#failures.push(...this.#askers.flatMap((asker) => asker.failures));
    const answers = this.#askers.reduce((sum, asker) => sum + asker.answers, 0);
    const { kills, restarts, outages, keys, files, away } = this.#counts;
    const text =
      `${minutes} minutes at ${Math.round(perSecond)} of ${Math.round(capacity)} requests/s, ${answers} answers, ` +
      `${this.#load.published} releases, ${keys} keys, ${files} files, ${kills} kills, ${restarts} restarts, ` +
      `${outages} outages of the database (${away} answers 503)`;
    return { samples: this.#samples, judgements: judgeSoak(this.#samples, this.#failures, isDelivered, text), text };
  }

  async end(): Promise<void> {
    for (const server of this.#servers) server.kill("SIGKILL");
    await Promise.all(this.#servers.map(async ({ exited }) => exited));
  }

  async #serve(workers: string, port = 0): Promise<RunningCommand> {
    const args = ["serve", "--workers", workers, "--cache-size", "4", "--search-dir", join(this.#folder, workers)];
    return startServing(args, { port, env: { LECTERN_DATABASE: this.#database.url, LECTERN_WRONG_KEY_LIMIT: "off" } });
  }

  async #measureCapacity(): Promise<number> {
    this.#startAskers(Infinity);
    await Bun.sleep(CAPACITY_MS);
    const askers = this.#askers.splice(0);
    await Promise.all(askers.map(async (asker) => asker.stop()));
    this.#failures.push(...askers.flatMap((asker) => asker.failures));
    return (askers.reduce((sum, asker) => sum + asker.answers, 0) / CAPACITY_MS) * 1000;
  }

  #startAskers(perSecond: number): void {
    let dueMs = performance.now();
    // Requests that a fault prevents are not sent later.
    const waitForTurn = async (): Promise<void> => {
      dueMs = Math.max(dueMs + 1000 / perSecond, performance.now() - 100);
      if (dueMs > performance.now()) await Bun.sleep(dueMs - performance.now());
    };
    const next = async () => {
      await waitForTurn();
      return this.#load.next();
    };
    const check = (answer: SentAnswer, path: string): string | undefined => {
      if (answer.status !== 503 || Date.now() > this.#awayUntilMs) return this.#load.check(answer, path);
      this.#counts.away++;
      return undefined;
    };
    for (const [index, { url }] of this.#servers.entries())
      for (let count = 0; count < ASKERS_PER_SERVER; count++)
        this.#askers.push(startAsker(url, next, check, () => index === 1 && Date.now() < this.#triedUntilMs));
  }

  /** Starts nginx, if installed, with the same bytes in files. */
  async #startPeer(): Promise<(AsyncDisposable & { port: number }) | undefined> {
    if (NGINX === null) return undefined;
    const port = findFreePort();
    for (const path of UNCHANGED_PATHS) {
      mkdirSync(join(this.#folder, "www", path, ".."), { recursive: true });
      writeFileSync(
        join(this.#folder, "www", path),
        (await send(this.#servers[0]?.url ?? "", path, { key: this.#key })).text,
      );
    }
    const nginx = await startNginx(`server { listen 127.0.0.1:${port}; root ${this.#folder}/www; }`, port);
    return { port, [Symbol.asyncDispose]: async () => nginx.stop() };
  }

  /** Reads the same lessons from the untouched server and from nginx for some seconds, while a release is published. */
  async #sample(atMinutes: number, nginxPort: number | undefined): Promise<void> {
    const [steady] = this.#servers;
    if (steady === undefined) throw new Error("no server");
    const ports = [Number(new URL(steady.url).port), ...(nginxPort === undefined ? [] : [nginxPort])];
    const readers = ports.map((port) => startReader(port, this.#key, UNCHANGED_PATHS));
    const before = this.#askers.reduce((sum, asker) => sum + asker.answers, 0);
    const startedAt = performance.now();
    await this.#publish();
    await Bun.sleep(Math.max(0, MEASURED_MS - (performance.now() - startedAt)));
    const perSecond =
      ((this.#askers.reduce((sum, asker) => sum + asker.answers, 0) - before) / (performance.now() - startedAt)) * 1000;
    const [own, peer] = await Promise.all(readers.map(async (reader) => reader.finish()));
    if (own === undefined || own.refused > 0) this.#failures.push(`${own?.refused} requests of a reader refused`);
    const { sum } = await readMetrics(steady.adminUrl);
    const [memoryMb, files] = [sum("process_resident_memory_bytes") / 2 ** 20, sum("process_open_fds")];
    const [databaseMb, logMb] = await measureDatabase(this.#database, this.#postgres !== undefined);
    const p99 = { p99Ms: own?.p99Ms ?? NaN, nginxP99Ms: peer?.p99Ms };
    this.#samples.push({ atMinutes, perSecond, ...p99, memoryMb, files, databaseMb, logMb, fault: "" });
  }

  /** Imports the next edition by command. `isKilled` kills the first attempt at a random moment. */
  async #publish(isKilled = false): Promise<void> {
    const edition = this.#load.published + 1;
    const args = ["import", "-", "--project", "acme", "--keep", "3", "--database", this.#database.url];
    const stdin = toNdjson(createEdition(edition));
    if (isKilled) {
      const child = startCommand(args, { stdin });
      await Bun.sleep(this.#random.below(1000));
      child.kill("SIGKILL");
      await child.exited;
      this.#counts.kills++;
    }
    for (;;) {
      const { exitCode, stderr } = await runProcess(args, { stdin });
      if (exitCode === 0) break;
      if (Date.now() > this.#awayUntilMs) throw new Error(`import exited with ${exitCode}: ${stderr}`);
    }
    this.#load.published = edition;
  }

  /** Checks that both servers accept a created key and refuse a revoked one. */
  async #tryKeys(): Promise<void> {
    const { keys } = this.#database.store;
    const asked = { project: "acme", channel: "live", name: "soak", drafts: false };
    const { id, secret } = await issueKey(keys, asked);
    const expect = async (status: number): Promise<void> => {
      for (const { url } of this.#servers)
        await waitFor(
          async () =>
            (await send(url, "/api/v1/courses?limit=1", { key: secret }).catch(() => undefined))?.status === status,
        );
    };
    await expect(200);
    await keys.revokeKey(id, new Date().toISOString());
    await expect(401);
    this.#counts.keys++;
  }

  async #tryFile(cycle: number): Promise<void> {
    const problem = await publishFile(this.#database.url, this.#servers[0]?.url ?? "", this.#folder, cycle);
    if (problem !== undefined) this.#failures.push(problem);
    this.#counts.files++;
  }

  async #fail(fault: (typeof FAULTS)[number]): Promise<void> {
    const [, tried] = this.#servers;
    if (tried === undefined) throw new Error("no server");
    const last = this.#samples.at(-1);
    if (last !== undefined) last.fault = fault;
    if (fault === "import") return this.#publish(true);
    if (fault === "database") return this.#breakDatabase();
    this.#triedUntilMs = Infinity;
    if (fault === "worker") {
      signal(this.#random.pick(listChildren(tried.pid)), "SIGKILL");
      this.#counts.kills++;
      await waitFor(async () => (await send(tried.adminUrl, "/ready")).status === 200);
    } else {
      tried.kill(fault === "crash" ? "SIGKILL" : "SIGTERM");
      await tried.exited;
      this.#counts[fault === "crash" ? "kills" : "restarts"]++;
      this.#servers[1] = await this.#serve("2", Number(new URL(tried.url).port));
    }
    this.#triedUntilMs = Date.now() + AFTERMATH_MS;
  }

  /**
   * Makes PostgreSQL crash and recover during an import. SQLite has no server: it is backed up under load.
   */
  async #breakDatabase(): Promise<void> {
    if (this.#postgres === undefined) {
      const backup = ["backup", join(this.#folder, "backup.db"), "--database", this.#database.url];
      const { exitCode, stderr } = await runProcess(backup);
      if (exitCode !== 0) this.#failures.push(`backup exited with ${exitCode}: ${stderr}`);
      await Bun.file(join(this.#folder, "backup.db")).delete();
      return;
    }
    this.#awayUntilMs = Infinity;
    const publishing = this.#publish();
    await Bun.sleep(this.#random.below(500));
    await this.#postgres.stop();
    await Bun.sleep(1000 + this.#random.below(3000));
    await this.#postgres.start();
    await publishing;
    for (const { adminUrl } of this.#servers)
      await waitFor(async () => (await send(adminUrl, "/ready")).status === 200);
    this.#counts.outages++;
    this.#awayUntilMs = Date.now() + AFTERMATH_MS;
  }
}
