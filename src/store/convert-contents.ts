// Stores what lists tell of a course and its lessons for versions that were stored without it.
import { toLessonTraits, type LessonSource } from "../catalog/course-contents.ts";
import type { CourseDocument, LessonDocument } from "../catalog/documents.ts";
import { decodeDocument, toStoredDocument, type DocumentColumns } from "../catalog/stored-document.ts";
import { pickOwn } from "./base-lessons.ts";
import { toContentsRow, type ContentsRow } from "./course-contents-row.ts";
import type { Engine } from "./engine.ts";
import { list, sql } from "./query.ts";

const VERSIONS_PER_READ = 100;
/** Lessons may be megabytes each. */
const LESSONS_PER_READ = 16;

interface VersionRow extends DocumentColumns {
  id: number;
  base_id: number | null;
  slug: string;
  published: number;
  meta: string | null;
}

interface LessonRow extends DocumentColumns {
  version: number;
  meta: string | null;
}

/**
 * Stores the contents of all versions that have none, each in a short transaction. It can end anywhere: the next call does the
 * rest. `onVersion` is called after each. Returns how many there were.
 */
export async function convertContents(engine: Engine, onVersion: (converted: number) => void): Promise<number> {
  const { read } = engine;
  let converted = 0;
  for (let after = 0; ;) {
    const versions = await read.run(sql<{ id: number }>`
      select v.id from course_versions v where v.id > ${after}
        and not exists (select 1 from course_contents c where c.version_id = v.id)
      order by v.id limit ${VERSIONS_PER_READ}`);
    const last = versions.at(-1);
    if (last === undefined) return converted;
    after = last.id;
    for (const { id } of versions) {
      const row = await readVersion(engine, id);
      if (row !== undefined && (await store(engine, row))) onVersion(++converted);
    }
  }
}

/** Undefined when the version is gone meanwhile. */
async function readVersion(engine: Engine, id: number): Promise<ContentsRow | undefined> {
  const [version] = await engine.read.run(sql<VersionRow>`
    select v.id, v.base_id, v.slug, v.published, v.course as text, v.course_body as body, v.course_digest as digest,
      m.document as meta
    from course_versions v left join course_meta m on m.version_id = v.id where v.id = ${id}`);
  if (version === undefined) return undefined;
  const { chapters } = JSON.parse(decodeDocument(toStoredDocument(version))) as CourseDocument;
  const ids = chapters.flatMap(({ lessons }) => lessons.map((lesson) => lesson.id));
  const lessons: LessonSource[] = [];
  for (let from = 0; from < ids.length; from += LESSONS_PER_READ) {
    const some = await readLessons(engine, version, ids.slice(from, from + LESSONS_PER_READ));
    if (some === undefined) return undefined;
    lessons.push(...some);
  }
  const { digest, slug, published, meta } = version;
  return toContentsRow(id, { digest, slug, published: published === 1, meta: meta ?? undefined }, lessons);
}

async function readLessons(
  { read }: Engine,
  { id, base_id: base }: VersionRow,
  ids: string[],
): Promise<LessonSource[] | undefined> {
  const rows = await read.run(sql<LessonRow & { id: string }>`
    select l.version_id as version, l.lesson_id as id, l.digest, l.document as text, l.body, l.meta from lessons l
    where l.version_id in (${id}, ${base ?? id}) and l.lesson_id in ${list(ids)}`);
  const byId = Map.groupBy(rows, (row) => row.id);
  const lessons: LessonSource[] = [];
  for (const lessonId of ids) {
    const own = pickOwn(byId.get(lessonId) ?? []);
    if (own === undefined) return undefined;
    const document = JSON.parse(decodeDocument(toStoredDocument(own))) as LessonDocument;
    lessons.push({ digest: own.digest, meta: own.meta ?? undefined, traits: toLessonTraits(document) });
  }
  return lessons;
}

/** False when the version is gone meanwhile, or another process has stored its contents. */
async function store({ transact, skipLocked }: Engine, row: ContentsRow): Promise<boolean> {
  return transact(async (transaction) => {
    // Locked, so that it is not deleted before its contents are there. Only a prune locks it: then they are not needed.
    const [version] = await transaction.run(sql`
      select v.id from course_versions v where v.id = ${row.version_id}
        and not exists (select 1 from course_contents c where c.version_id = v.id) ${skipLocked}`);
    if (version === undefined) return false;
    await transaction.insert("course_contents", [row]);
    return true;
  });
}
