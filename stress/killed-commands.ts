// Kills commands at random times. Readers must only see complete releases, and the next command must succeed. TEST_SEED
// repeats the choices (not the timing), TEST_ROUNDS increases their number.
import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataOf, releaseOf, type Content } from "../test/support/answers.ts";
import { runCommand, runProcess, startCommand, startFedCommand } from "../test/support/command.ts";
import { createAsk, type Ask } from "../test/support/in-process.ts";
import { createRandom, readRandomSettings, type Random } from "../test/support/random.ts";
import { listRemains } from "../test/support/remains.ts";
import { createKey, waitFor } from "../test/support/server.ts";
import { createTestFolder, engines, openTestStore, untilFree, type TestStore } from "../test/support/store.ts";

const { seed, rounds } = readRandomSettings(6);
// An import writes up to a hundred courses per transaction, a prune deletes about a thousand lessons. These numbers
// force both to use several transactions.
const [COURSES, LESSONS] = [240, 5];

/** All of an edition's text contains its number. */
function renderEdition(edition: number): string {
  return Array.from({ length: COURSES }, (_, course) => {
    const lessons = Array.from({ length: LESSONS }, (_unused, lesson) => ({
      id: `l${lesson}`,
      name: `Edition ${edition}`,
      additionalText: `Edition ${edition}. ${"Text. ".repeat(50)}`,
    }));
    const id = `c${course}`;
    return `${JSON.stringify({ _id: id, slug: id, name: `Edition ${edition}`, chapters: [{ name: "A", lessons }] })}\n`;
  }).join("");
}

class Trial {
  readonly done: string[] = [];
  #edition = 1;
  /** The edition of each release. */
  readonly #editions = new Map<number, number>();
  /** Durations in milliseconds of commands that were not killed, by name. */
  readonly #durations = new Map<string, number>();
  readonly #database: TestStore;
  readonly #source: string;
  readonly #ask: Ask;
  readonly #key: string;
  readonly #random: Random;

  constructor(database: TestStore, folder: string, key: string, random: Random) {
    this.#database = database;
    this.#source = join(folder, "courses.ndjson");
    this.#ask = createAsk({ store: database.store });
    this.#key = key;
    this.#random = random;
  }

  /** Publishes two releases and runs each command once. */
  async start(): Promise<void> {
    for (let time = 0; time < 3; time++) await this.#complete(["releases"]);
    for (let edition = 1; edition <= 3; edition++) await this.#importNext(false);
    await this.#age();
    await this.#complete(["prune", "--keep", "2"]);
    await this.#complete(["publish", "--release", "2"]);
    await this.check();
    await this.#killHalfway();
    await this.#expectNoRemains();
  }

  /** A kill after the command's writes: random kills may all come earlier. */
  async #killHalfway(): Promise<void> {
    const edition = this.#edition++;
    const text = renderEdition(edition);
    const importing = startFedCommand(["import", "-", "--project", "acme", "--database", this.#database.url]);
    await importing.feed(text);
    await waitFor(async () => (await this.#listRemains()).length > 0);
    await importing.kill();
    await this.check();
    await untilFree(this.#database);
    await this.#importNext(false);
  }

  async round(): Promise<void> {
    const choice = this.#random.below(10);
    // Without a grace period, imports have something to prune.
    await this.#age();
    if (choice < 5) await this.#importNext(true);
    else if (choice < 7) await this.#publishOther();
    else {
      await this.#kill(["prune", "--keep", "1"]);
      await this.check();
      await untilFree(this.#database);
      await this.#complete(["prune", "--keep", "1"], false);
      const kept = await this.#database.execute("select distinct release_id from release_courses");
      expect(kept).toHaveLength(1);
      await this.#importNext(false);
    }
    await this.#expectNoRemains();
  }

  async #importNext(isKilled: boolean): Promise<void> {
    const edition = this.#edition++;
    writeFileSync(this.#source, renderEdition(edition));
    const [last] = await this.#database.execute("select max(number) as number from releases");
    const number = ((last as { number: number | null }).number ?? 0) + 1;
    this.#editions.set(number, edition);
    const args = ["import", this.#source, "--keep", "2"];
    if (isKilled) {
      await this.#kill(args);
      await this.check();
      await untilFree(this.#database);
    }
    const stdout = await this.#complete(args, !isKilled);
    expect(stdout).toMatch(new RegExp(`^(Published release ${number} of|Nothing changed: release ${number} of) acme`));
    expect(await this.#currentRelease()).toBe(number);
  }

  async #publishOther(): Promise<void> {
    const kept = await this.#database.execute("select number from releases where pruned_at is null");
    const current = await this.#currentRelease();
    const numbers = kept.map((row) => (row as { number: number }).number).filter((number) => number !== current);
    const number = this.#random.pick(numbers);
    await this.#kill(["publish", "--release", String(number)]);
    await this.check();
    await untilFree(this.#database);
    await this.#complete(["publish", "--release", String(number)]);
    expect(await this.#currentRelease()).toBe(number);
  }

  /** Starts a command and kills it at a random moment of its work. */
  async #kill(args: string[]): Promise<void> {
    // Skips most of the start-up, during which nothing can go wrong.
    const fromMs = 0.9 * this.#durationOf("releases");
    const untilMs = 1.05 * this.#durationOf(args[0] ?? "");
    const afterMs = fromMs + this.#random.below(Math.max(1, Math.round(untilMs - fromMs)));
    const child = startCommand([...args, "--project", "acme", "--database", this.#database.url]);
    await Bun.sleep(afterMs);
    child.kill("SIGKILL");
    await child.exited;
    this.done.push(`${args.join(" ")} killed after ${Math.round(afterMs)} ms of ${Math.round(untilMs)}`);
  }

  #durationOf(command: string): number {
    return this.#durations.get(command) ?? 0;
  }

  /** Runs a command that must succeed. Timings exclude cleanup after an earlier kill. */
  async #complete(args: string[], isTypical = true): Promise<string> {
    const startedAt = performance.now();
    const result = await runCommand([...args, "--project", "acme", "--database", this.#database.url]);
    const [name = ""] = args;
    const durationMs = performance.now() - startedAt;
    if (isTypical) this.#durations.set(name, (durationMs + (this.#durations.get(name) ?? durationMs)) / 2);
    expect([result.exitCode, result.stderr.slice(0, 1000)]).toEqual([0, ""]);
    return result.stdout;
  }

  async #currentRelease(): Promise<number> {
    return releaseOf(await this.#ask("/courses?limit=1", this.#key));
  }

  /**
   * Checks that every readable release is complete, including the current one. PostgreSQL may still commit a killed
   * client's transaction, so each answer is judged by the release that it names.
   */
  async check(): Promise<void> {
    const { release: current } = await this.#readWhole("/courses");
    await this.#checkRelease(current);
    for (const number of this.#editions.keys()) await this.#checkRelease(number);
    if (this.#database.url.startsWith("sqlite:")) {
      expect(await this.#database.execute("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
    }
  }

  /** Reads a path that must exist; the answer's edition must match its release. */
  async #readWhole(path: string): Promise<{ release: number; data: Content }> {
    const answer = await this.#ask(path, this.#key);
    const release = releaseOf(answer);
    const editions = new Set([...answer.text.matchAll(/Edition (\d+)/g)].map((match) => Number(match[1])));
    expect([path, answer.status, [...editions]]).toEqual([path, 200, [this.#editions.get(release) ?? 0]]);
    return { release, data: dataOf(answer) };
  }

  /** Checks a release, unless it is unpublished or pruned, even during the check. */
  async #checkRelease(number: number): Promise<void> {
    const query = `?release=${number}`;
    const status = async (): Promise<number> => (await this.#ask(`/courses${query}&limit=1`, this.#key)).status;
    const first = await status();
    expect([200, 404, 410]).toContain(first);
    if (first !== 200) return;
    try {
      const { total, results } = (await this.#readWhole(`/courses${query}`)).data;
      expect([total, results.length]).toEqual([COURSES, COURSES]);
      for (const { _id: id } of this.#random.shuffle(results).slice(0, 4)) {
        const lessons = (await this.#readWhole(`/courses/${id}/lessons${query}`)).data;
        expect(lessons.total).toBe(LESSONS);
        for (const lesson of lessons.results) await this.#readWhole(`/courses/${id}/lessons/${lesson.id}${query}`);
      }
      const rows = await this.#database.execute(`
        select count(*) as lessons from (
          select vl.version_id, vl.lesson_id from releases r
          join release_courses rc on rc.release_id = r.id join version_lessons vl on vl.version_id = rc.version_id
          join lesson_versions l on l.id = vl.lesson_version_id
          where r.number = ${number}
        ) as stored`);
      expect(rows).toEqual([{ lessons: COURSES * LESSONS }]);
    } catch (error) {
      if ((await status()) !== 410) throw error;
    }
  }

  async #expectNoRemains(): Promise<void> {
    expect(await this.#listRemains()).toEqual([]);
  }

  async #listRemains(): Promise<unknown[]> {
    const unfinished = await this.#database.execute("select project from unfinished_imports");
    return [...unfinished, ...(await listRemains(this.#database))];
  }

  async #age(): Promise<void> {
    await this.#database.execute("update publications set published_at = '2026-01-01T00:00:00.000Z'");
  }
}

test("plans for a new database that were killed leave nothing behind the next one", async () => {
  const folder = createTestFolder();
  const options = { env: { TMPDIR: folder.path }, stdin: renderEdition(1) };
  const args = ["import", "-", "--project", "acme", "--dry-run", "--database", `sqlite:${join(folder.path, "no.db")}`];
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const killed = startCommand(args, options);
    await waitFor(() => readdirSync(folder.path).some((name) => name.includes(`-${killed.pid}-`)));
    killed.kill(signal);
    await killed.exited;
  }
  const { exitCode } = await runProcess(args, options);
  expect([exitCode, readdirSync(folder.path)]).toEqual([0, []]);
  folder.remove();
});

describe.each(engines)("killed commands on $name", (engine) => {
  test(
    `leave complete releases and nothing to clean up, seed ${seed}`,
    async () => {
      const database = await openTestStore(engine);
      const folder = createTestFolder();
      const key = await createKey(database.store, "acme");
      const trial = new Trial(database, folder.path, key, createRandom(seed));
      try {
        await trial.start();
        for (let round = 0; round < rounds; round++) await trial.round();
        await trial.check();
      } catch (error) {
        console.error(`TEST_SEED=${seed} after:\n  ${trial.done.join("\n  ")}`);
        throw error;
      } finally {
        await database.drop();
        folder.remove();
      }
    },
    120_000 + rounds * 60_000,
  );
});
