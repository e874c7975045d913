// Tables that a vacuum has seen empty: what PostgreSQL takes for granted of them must not make a publication endless.
import { expect, test } from "bun:test";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { openTestStore, postgres } from "../support/store.ts";

const TABLES = ["former_slugs", "publications", "release_courses", "releases", "course_versions"];
const createCourses = (edition: string, length = 800): AuthoredCourse[] =>
  Array.from({ length }, (_, index) => ({
    _id: `c${index}`,
    slug: `${edition}-${index}`,
    name: `C${index} ${edition}`,
  }));

test("a publication of many courses finishes even if statistics estimate none", async () => {
  // Not one that is used again: it keeps its statistics.
  const database = await openTestStore(postgres, await postgres.createDatabase());
  await publish(database.store, "acme", createCourses("first", 10));
  for (const table of TABLES) await database.execute(`delete from ${table}`);
  for (const table of TABLES) await database.execute(`vacuum (analyze, truncate off) ${table}`);
  await publish(database.store, "acme", createCourses("second"));
  expect(await publish(database.store, "acme", createCourses("third"))).toBe(2);
  expect(await database.execute("select slug from former_slugs")).toHaveLength(800);
  await database.drop();
});
