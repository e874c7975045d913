// Finds unused rows in a store.
import type { TestDatabase } from "./store.ts";

/**
 * Course versions without a release, rows of missing versions, and lesson versions without a course version. Compare with
 * `[]`.
 */
export async function listRemains(database: Pick<TestDatabase, "execute">): Promise<unknown[]> {
  const tables = "version_lessons version_chapters version_assets course_meta course_trees release_courses".split(" ");
  const queries = [
    "select 'course_versions' as what, id from course_versions where id not in (select version_id from release_courses)",
    "select 'lesson_versions', id from lesson_versions where id not in (select lesson_version_id from version_lessons)",
    "select 'missing lesson', version_id from version_lessons where lesson_version_id not in (select id from lesson_versions)",
    ...tables.map(
      (name) => `select '${name}', version_id from ${name} where version_id not in (select id from course_versions)`,
    ),
  ];
  return database.execute(queries.join(" union all "));
}
