import { unseal, unsealText, type Bytes } from "../../catalog/body.ts";
import { ContentMissing } from "../../catalog/catalog-reader.ts";
import type { CourseSummaryDocument } from "../../catalog/documents.ts";
import type { CourseMetaDocument } from "../../catalog/meta-document.ts";
import type { LoggedPublication, SearchReader } from "../../catalog/search-reader.ts";
import type { Release } from "../../catalog/store.ts";
import type { Connection } from "../engine.ts";
import { countNextBodies } from "./list-queries.ts";
import { list, raw, repeatLast, sql } from "./query.ts";

const VERSIONS_PER_READ = 2000;
const LESSONS_PER_READ = 5000;
export function createSearchQueries(read: Connection): SearchReader {
  return {
    async listKeptReleases(project) {
      const rows = await read.run(sql<Release & { is_current: number }>`
        select r.id, r.project, r.number, r.courses, r.drafts, r.lessons, case when r.id in (
          select p.release_id from publications p
          where p.id in (select max(id) from publications where project = ${project} group by channel)
        ) then 1 else 0 end as is_current
        from releases r where r.project = ${project} and r.pruned_at is null order by 7 desc, r.id desc`);
      return rows.map(({ is_current: isCurrent, ...release }) => ({ ...release, isCurrent: isCurrent === 1 }));
    },

    async findNewestPublication(project) {
      const [row] = await read.run(sql<{ id: number; published_at: string }>`
        select id, published_at from publications where id = (
          select max(id) from publications where project = ${project}
        )`);
      return row && { id: row.id, publishedAt: row.published_at };
    },

    async hasPublication({ id, publishedAt }: LoggedPublication) {
      const rows = await read.run(sql`
        select 1 from publications where id = ${id} and published_at = ${publishedAt}`);
      return rows.length > 0;
    },

    async *readCourseVersions({ id, courses }) {
      for (let from = 0; from < courses; from += VERSIONS_PER_READ) {
        const end = Math.min(from + VERSIONS_PER_READ, courses);
        const rows = await read.run(sql<{ version_id: number }>`
          select version_id from release_courses
          where release_id = ${id} and position >= ${from} and position < ${end} order by position`);
        if (rows.length < end - from) throw new ContentMissing(id);
        yield rows.map((row) => row.version_id);
      }
    },

    async listLessonVersions(versionId) {
      const ids: number[] = [];
      for (let from = 0; ; from += LESSONS_PER_READ) {
        const rows = await read.run(sql<{ lesson_version_id: number }>`
          select lesson_version_id from version_lessons
          where version_id = ${versionId} and position >= ${from} and position < ${from + LESSONS_PER_READ}
          order by position`);
        for (const row of rows) ids.push(row.lesson_version_id);
        if (rows.length < LESSONS_PER_READ) return ids;
      }
    },

    async *readSearchedLessons(ids) {
      let count = 1;
      for (let from = 0; from < ids.length;) {
        const some = ids.slice(from, from + count);
        const rows = await read.run(sql<{ id: number; lesson_id: string; name: string; body: Bytes }>`
          select id, lesson_id, name, body from lesson_versions where id in ${list(repeatLast(some))} order by id`);
        yield rows.map(({ id, lesson_id: lessonId, name, body }) => {
          return { lessonVersionId: id, lessonId, name, body: unseal(body) };
        });
        from += some.length;
        count = countNextBodies(rows);
      }
    },

    async readSearchedCourses(versionIds) {
      if (versionIds.length === 0) return [];
      const rows = await read.run(sql<{ id: number; summary: string; meta: string | null }>`
        select v.id, v.summary, m.document as meta from course_versions v left join course_meta m on m.version_id = v.id
        where v.id in ${list(repeatLast([...versionIds]))} order by v.id`);
      return rows.map(({ id, summary, meta }) => {
        const { _id: courseId, name } = JSON.parse(unsealText(summary)) as CourseSummaryDocument;
        const description = meta === null ? "" : (JSON.parse(meta) as CourseMetaDocument).description;
        return { versionId: id, courseId, name, description };
      });
    },

    async filterVersions(table, ids) {
      if (ids.length === 0) return [];
      const rows = await read.run(sql<{ id: number }>`
        select id from ${raw(table)} where id in ${list(repeatLast([...ids]))}`);
      return rows.map(({ id }) => id);
    },
  };
}
