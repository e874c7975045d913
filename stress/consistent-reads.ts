// Readers while releases come and go. Every text names the edition that it is of, so that an answer made of two would show
// it. TEST_ROUNDS makes more of them.
import { describe, expect, test } from "bun:test";
import { publishExisting, rollBack } from "../src/publishing/publish.ts";
import { dataOf, linkOf, releaseOf } from "../test/support/answers.ts";
import { importNdjson, toNdjson } from "../test/support/catalog.ts";
import { startServing, type RunningCommand } from "../test/support/command.ts";
import { publishingAt } from "../test/support/in-process.ts";
import { createRandom, readRandomSettings, type Random } from "../test/support/random.ts";
import { createKey, send, waitFor, type Answer } from "../test/support/server.ts";
import { engines, useTestStore } from "../test/support/store.ts";

/** The stress run makes more. */
const PUBLICATIONS = 3;
/** So many between two publications, some of them in each of its moments, on however slow a machine. */
const ANSWERS_EACH = 64;
const READERS = 32;
const COURSES = 12;
const LESSONS = 6;

/** A catalog in which every name and text says which edition it is of. */
function renderEdition(edition: number): string {
  const name = `Edition ${edition}.`;
  const lessons = Array.from({ length: LESSONS }, (_, lesson) => {
    return { id: `l${lesson}`, name, additionalText: `<p>${name}</p>` };
  });
  const courses = Array.from({ length: COURSES }, (_, course) => {
    // Every other course is another one in each edition, and every course has another slug.
    const id = course % 2 === 0 ? `c${course}` : `c${course}-${edition}`;
    return { _id: id, slug: `${id}-of-${edition}`, name, chapters: [{ name, lessons }] };
  });
  return toNdjson(courses);
}

describe.each(engines)("reading while releases change on $name", (engine) => {
  const { seed, rounds } = readRandomSettings(PUBLICATIONS);
  let server: RunningCommand;
  let get: (path: string) => Promise<Answer>;
  const database = useTestStore(engine, async () => {
    const key = await createKey(database.store, "acme");
    server = await startServing(["serve", "--database", database.url]);
    get = (path) => send(server.url, `/api/v1${path}`, { key });
    return async () => {
      server.kill();
      await server.exited;
    };
  });

  /** Releases have the numbers of their editions. */
  let editions = 0;
  const importNext = async (): Promise<number> => {
    const { outcome } = await importNdjson(database.store, "acme", renderEdition(++editions), new Date().toISOString());
    expect(outcome).toMatchObject({ status: "published", release: { number: editions } });
    return editions;
  };
  /** Publishes a new edition or an earlier one. */
  const publishAny = async (random: Random): Promise<number> => {
    const choice = random.below(4);
    if (choice < 2) return importNext();
    const context = publishingAt(database.store, "acme", new Date().toISOString());
    const number = 1 + random.below(editions);
    await (choice === 2 ? publishExisting(context, number, "live") : rollBack(context, "live", number));
    return number;
  };

  test(
    `never mixes releases in an answer, and never leaves a pinned release, seed ${seed}`,
    async () => {
      const random = createRandom(seed);
      /** Whatever does not fit. */
      const problems: string[] = [];
      let answers = 0;
      let last = 0;
      /** Reads what must be there, all of it of one release: of `release` where it is given. */
      const read = async (path: string, release?: number): Promise<Answer> => {
        const answer = await get(path);
        answers++;
        last = releaseOf(answer);
        const seen = new Set([...answer.text.matchAll(/Edition (\d+)\./g)].map((match) => Number(match[1])));
        const isWhole = answer.status === 200 && seen.size === 1 && seen.has(last);
        if (!isWhole || last !== (release ?? last))
          problems.push(`${path}: ${answer.status}, release ${last}, editions ${[...seen].join()}`);
        return answer;
      };
      /** From list to course to lesson, in the release of the first answer. */
      const walkPinned = async (): Promise<void> => {
        const courses: string[] = [];
        let page = await read("/courses?limit=5");
        const release = releaseOf(page);
        for (;;) {
          courses.push(...dataOf(page).results.map((course) => course._id));
          const next = linkOf("/courses", page, "next");
          if (next === undefined) break;
          page = await read(next, release);
        }
        if (new Set(courses).size !== COURSES) problems.push(`release ${release} has the courses ${courses.join()}`);
        const id = random.pick(courses);
        const course = await read(`/courses/${id}?release=${release}`, release);
        const sameCourse = await read(`/courses/${id}-of-${release}?release=${release}`, release);
        if (sameCourse.text !== course.text) problems.push(`release ${release} has two texts of ${id}`);
        const lessons = dataOf(await read(`/courses/${id}/lessons?release=${release}`, release)).results;
        if (lessons.length !== LESSONS) problems.push(`release ${release} has ${lessons.length} lessons of ${id}`);
        await read(`/courses/${id}/lessons/${random.pick(lessons).id}?release=${release}`, release);
      };
      /** Whatever is current at each request. The last slug is nearly always a former one. */
      const walkFreely = async (): Promise<void> => {
        const course = `/courses/c${2 * random.below(COURSES / 2)}`;
        const lesson = `${course}/lessons/l${random.below(LESSONS)}`;
        for (const path of ["/courses", "/courses?name=edition", course, lesson, `${course}-of-1/lessons`])
          await read(path);
      };

      let current = await importNext();
      await waitFor(async () => releaseOf(await get("/courses?limit=1")) === 1);
      const state = { isOver: false };
      const walks = Array.from({ length: READERS }, async (_, index) => {
        while (!state.isOver) await (index % 2 === 0 ? walkPinned() : walkFreely());
      });
      try {
        for (let publication = 0; publication < rounds; publication++) {
          current = await publishAny(random);
          const before = answers;
          await waitFor(() => answers >= before + ANSWERS_EACH);
        }
        // One that stays is met by all.
        await waitFor(() => last === current);
      } finally {
        state.isOver = true;
        await Promise.all(walks);
      }
      expect(problems.slice(0, 20)).toEqual([]);
    },
    120_000 + rounds * 5000,
  );
});
