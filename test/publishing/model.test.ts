// Random sequences of everything that moves a catalog, against the model: after each step, whatever anybody may read
// must be what the model says. TEST_SEED repeats a run; TEST_ROUNDS makes more of them.
import { describe, expect, test } from "bun:test";
import {
  deleteChannel,
  pruneReleases,
  publishExisting,
  PublishingRefused,
  removeSource,
  rollBack,
} from "../../src/publishing/publish.ts";
import { ExpectedError } from "../../src/catalog/expected-error.ts";
import { issueKey } from "../../src/keys/issue-key.ts";
import type { ImportOutcome } from "../../src/publishing/import-options.ts";
import { importNdjson } from "../support/catalog.ts";
import { createAsk, publishingAt, type Ask } from "../support/in-process.ts";
import { createRandom, readRandomSettings, type Random } from "../support/random.ts";
import { listRemains } from "../support/remains.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";
import { authorCourse, CatalogModel, type ModelCourse, type Reader } from "./catalog-model.ts";

/** Of a run that nobody has asked for; the stress run makes longer ones. */
const STEPS = process.env["TEST_ROUNDS"] === undefined ? 20 : 40;
const CHANNELS = ["live", "pr-1", "pr-2"];
const COURSE_IDS = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"];
const MAX_COURSES = 4;
// Few, so that courses take each other's; two of them are ids as well.
const SLUGS = ["s1", "s2", "s3", "s4", "s5", "s6", "c1", "c5"];
const LESSON_IDS = ["l1", "l2", "l3"];
const NAMES = ["Ăn", "tea", "Tea"];
const SOURCES = ["a", "b"];

interface HeldKey extends Reader {
  secret: string;
}

/** A project with its model, and what was done to it. */
class Trial {
  readonly keys: HeldKey[] = [];
  readonly done: string[] = [];
  readonly #model: CatalogModel;
  readonly #database: TestStore;
  readonly #ask: Ask;
  readonly #random: Random;
  readonly #bodies: Map<string, string>;

  constructor(project: string, database: TestStore, random: Random, bodies: Map<string, string>) {
    this.#model = new CatalogModel(project);
    this.#database = database;
    this.#ask = createAsk(database);
    this.#random = random;
    this.#bodies = bodies;
  }

  async start(): Promise<void> {
    for (const channel of CHANNELS) {
      await this.#createKey(channel, false);
      await this.#createKey(channel, true);
    }
  }

  /** Does something at random, to the store and to the model; both must say the same of it. */
  async step(atMs: number): Promise<void> {
    const random = this.#random;
    const channel = random.pick(CHANNELS);
    const { store } = this.#database;
    const context = publishingAt(store, this.#model.project, new Date(atMs).toISOString());
    const number = random.below(this.#model.releases.length + 2);
    const choice = random.below(20);
    if (choice < 9) return this.#import(channel, atMs);
    if (choice < 12) {
      const done = await describeSwitch(publishExisting(context, number, channel));
      return this.#compare(`publish ${number} on ${channel}`, done, this.#model.publish(number, channel, atMs));
    }
    if (choice < 16) {
      const to = random.oneIn(3) ? number : undefined;
      const done = await describeSwitch(rollBack(context, channel, to));
      return this.#compare(`rollback ${channel} to ${to}`, done, this.#model.rollBack(channel, to, atMs));
    }
    if (choice === 16) {
      const done = await describeSwitch(deleteChannel(context, channel));
      return this.#compare(`delete ${channel}`, done, this.#model.deleteChannel(channel, atMs));
    }
    if (choice < 19) {
      const keep = 1 + random.below(3);
      const pruned = (await pruneReleases(context, keep)).map((release) => release.number);
      const expected = this.#model.prune(keep, atMs);
      return this.#compare(`prune ${keep}`, `pruned ${pruned.sort((a, b) => a - b).join(" ")}`, expected);
    }
    const source = random.oneIn(4) ? undefined : random.pick(SOURCES);
    const done = await describeSwitch(removeSource(context, channel, source).then((after) => ({ after })));
    return this.#compare(`remove ${source} of ${channel}`, done, this.#model.removeSource(channel, source, atMs));
  }

  /** Compares a sample of all that can be read. */
  async check(): Promise<void> {
    const random = this.#random;
    const key = random.pick(this.keys);
    const release = random.oneIn(2) ? undefined : random.below(this.#model.releases.length + 2);
    const names = [...COURSE_IDS, ...SLUGS];
    await this.#checkRead(key, [], release);
    for (const name of names) await this.#checkRead(key, [name], release);
    for (const name of names) {
      const other = random.pick(this.keys);
      const pinned = random.oneIn(2) ? undefined : 1 + random.below(this.#model.releases.length + 1);
      await this.#checkRead(other, [name, "lessons"], pinned);
      await this.#checkRead(other, [name, "lessons", random.pick(LESSON_IDS)], pinned);
    }
  }

  async #import(channel: string, atMs: number): Promise<void> {
    const random = this.#random;
    const { releases, project } = this.#model;
    const current = this.#model.current(channel) ?? this.#model.current("live");
    const from = random.oneIn(4) && releases.length > 0 ? random.pick(releases) : current;
    const merge = random.oneIn(3);
    // A project keeps to named sources for a while, or to none.
    const isNamed = from?.courses.some((course) => course.source !== undefined) ?? false;
    const source = isNamed === random.oneIn(8) ? undefined : random.pick(SOURCES);
    const takeOver = random.oneIn(2);
    let given = structuredClone(from?.courses ?? []);
    if (source !== undefined) given = given.filter((course) => course.source === source || random.oneIn(8));
    for (let changes = random.below(4); changes > 0; changes--) given = changeCatalog(given, random);
    if (merge) given = given.filter(() => !random.oneIn(3));
    if (given.length === 0) given = [createCourse(random, [])];
    given = random.shuffle(given);
    const ndjson = given.map((course) => `${JSON.stringify(authorCourse(course))}\n`).join("");
    const at = new Date(atMs).toISOString();
    const options = { channel, merge, sourceName: source, takeOver };
    const run = async (dryRun: boolean): Promise<ImportOutcome> => {
      try {
        return (await importNdjson(this.#database.store, project, ndjson, at, { ...options, dryRun })).outcome;
      } catch (error) {
        if (error instanceof ExpectedError) return { status: "refused", removals: { ofCourses: [] } };
        throw error;
      }
    };
    const dryRun = await run(true);
    const outcome = await run(false);
    const done = outcome.status === "published" ? `published ${outcome.release.number}` : outcome.status;
    const courses = given.map(({ id, slug, published }) => `${id}/${slug}${published ? "" : " draft"}`).join(", ");
    const flags = `${merge ? " --merge" : ""}${takeOver ? " --take-over" : ""}`;
    const what = `import${source === undefined ? "" : ` --source ${source}`}${flags} on ${channel}: ${courses}`;
    this.#compare(what, done, this.#model.import(channel, { merge, source, takeOver }, given, atMs));
    if (outcome.status === "invalid" || outcome.status === "refused") expect(dryRun).toEqual(outcome);
    else if (dryRun.status !== "planned" || outcome.status === "planned") {
      throw new Error(`${dryRun.status} before, ${outcome.status} then`);
    } else expect(dryRun.plan.changes).toEqual(outcome.changes);
  }

  async #createKey(channel: string, drafts: boolean): Promise<void> {
    const { project } = this.#model;
    const { secret } = await issueKey(this.#database.store.keys, { project, channel, drafts, name: "" });
    this.keys.push({ secret, channel, readsDrafts: drafts });
  }

  #compare(what: string, actual: string, expected: string): void {
    this.done.push(`${what} -> ${expected}`);
    expect(`${what} -> ${actual}`).toBe(`${what} -> ${expected}`);
  }

  async #checkRead(key: HeldKey, segments: string[], pinned: number | undefined): Promise<void> {
    const path = ["/courses", ...segments].join("/") + (pinned === undefined ? "" : `?release=${pinned}`);
    const expected = this.#model.read(key, segments, pinned);
    const { status, headers, text } = await this.#ask(path, key.secret);
    const reader = `${key.channel}${key.readsDrafts ? " with drafts" : ""}`;
    const location = headers.get("content-location");
    const { pathname, search } = new URL(location ?? "", `http://localhost/api/v1${path}`);
    const body = `{"data":${expected.data},"success":true,"message":"","code":200}`;
    const release = headers.get("catalog-release");
    const actual = [status, release, location === null ? "" : pathname + search, status === 200 ? text : ""];
    const { contentLocation = "" } = expected;
    const wanted = [
      expected.status,
      expected.release?.toString() ?? null,
      contentLocation,
      expected.status === 200 ? body : "",
    ];
    expect([reader, path, ...actual]).toEqual([reader, path, ...wanted]);
    if (status !== 200) return;
    // An ETag is of the bytes: of the same ones in every release, and never of two.
    const etag = headers.get("etag") ?? "";
    expect(this.#bodies.get(etag) ?? text).toBe(text);
    expect(this.#bodies.get(text) ?? etag).toBe(etag);
    this.#bodies.set(etag, text).set(text, etag);
  }
}

async function describeSwitch(change: Promise<{ after: { number: number } | undefined }>): Promise<string> {
  try {
    const { after } = await change;
    return `at ${after?.number ?? "none"}`;
  } catch (error) {
    if (error instanceof PublishingRefused) return "refused";
    throw error;
  }
}

/** A catalog with one thing other than before. */
function changeCatalog(courses: ModelCourse[], random: Random): ModelCourse[] {
  const others = random.shuffle(courses);
  const course = others.pop();
  if (course === undefined) return [createCourse(random, [])];
  if (random.oneIn(4)) return courses.length < MAX_COURSES ? [...courses, createCourse(random, courses)] : courses;
  switch (random.below(7)) {
    case 0:
      return others;
    case 1:
      return [...others, { ...course, published: !course.published }];
    case 2:
      return [...others, { ...course, chapters: createChapters(random) }];
    case 3:
      return [...others, { ...course, name: random.pick(NAMES) }];
    case 6:
      return [...others, { ...course, description: random.pick(["", ...NAMES]) }];
    case 4: {
      const other = others.pop();
      if (other === undefined || [course.id, other.id].some((id) => [course.slug, other.slug].includes(id)))
        return courses;
      // They exchange slugs, or one takes the other's.
      const slug = random.oneIn(2) ? course.slug : pickSlug(other.id, [course, ...others], random);
      return [...others, { ...course, slug: other.slug }, { ...other, slug }];
    }
    default:
      return [...others, { ...course, slug: pickSlug(course.id, others, random) }];
  }
}

function createCourse(random: Random, others: ModelCourse[]): ModelCourse {
  const id = random.pick(
    COURSE_IDS.filter((free) => others.every((other) => other.id !== free && other.slug !== free)),
  );
  const slug = pickSlug(id, others, random);
  const [name, description] = [random.pick(NAMES), random.pick(["", ...NAMES])];
  return { id, slug, name, published: !random.oneIn(4), description, chapters: createChapters(random) };
}

function pickSlug(id: string, others: ModelCourse[], random: Random): string {
  const free = SLUGS.filter((slug) => others.every((other) => other.slug !== slug && other.id !== slug));
  return random.pick([...free, `own-${id}`]);
}

function createChapters(random: Random): ModelCourse["chapters"] {
  const lessons = random
    .shuffle(LESSON_IDS)
    .slice(random.below(2))
    .map((id) => ({ id, name: random.pick(NAMES), edition: 1 + random.below(2) }));
  const middle = random.below(3);
  return [
    { id: "a", name: "A", lessons: lessons.slice(0, middle) },
    { id: "b", name: "B", lessons: lessons.slice(middle) },
  ];
}

describe.each(engines)("any sequence of commands on $name", (engine) => {
  const { seed: firstSeed, rounds } = readRandomSettings(1);
  test.each(Array.from({ length: rounds }, (_, round) => firstSeed + round))(
    "reads like the model, seed %i",
    async (seed) => {
      const random = createRandom(seed);
      const database = await openTestStore(engine);
      const bodies = new Map<string, string>();
      // Two projects of the same ids in one database: neither may show in the other.
      const trials = ["acme", "other"].map((project) => new Trial(project, database, random, bodies));
      let atMs = Date.parse("2026-01-01T00:00:00.000Z");
      let trial: Trial | undefined;
      try {
        for (trial of trials) await trial.start();
        for (let step = 0; step < STEPS; step++) {
          atMs += 1 + random.below(40_000);
          trial = random.oneIn(4) ? trials[1] : trials[0];
          await trial?.step(atMs);
          await trial?.check();
        }
        for (const table of ["release_courses", "release_sources"]) {
          const query = `select 1 from ${table} x join releases r on r.id = x.release_id where r.pruned_at is not null`;
          expect([table, ...(await database.execute(query))]).toEqual([table]);
        }
        expect(await listRemains(database)).toEqual([]);
      } catch (error) {
        console.error(`TEST_SEED=${seed} TEST_ROUNDS=1 repeats this:\n  ${trial?.done.join("\n  ")}`);
        throw error;
      } finally {
        await database.drop();
      }
    },
  );
});
