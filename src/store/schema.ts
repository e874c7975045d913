import { ExpectedError } from "../catalog/expected-error.ts";
import type { Connection, Dialect, Transact } from "./engine.ts";
import { raw, sql } from "./query.ts";

/** The marker of the statements below. Raise it with each change of them. */
export const SCHEMA_VERSION = 9;

const createStatements = ({ text, bytes, keepAsIs, withoutRowid, ownStatements }: Dialect): string[] => [
  // One row. A program reads a schema whose `oldest_reader` it is not older than, and writes one likewise.
  "create table lectern_schema (version integer not null, oldest_reader integer not null, oldest_writer integer not null)",
  `insert into lectern_schema (version, oldest_reader, oldest_writer)
    values (${SCHEMA_VERSION}, ${SCHEMA_VERSION}, ${SCHEMA_VERSION})`,
  // One row. A copy has another identity, by which a running server notices that its store was replaced.
  `create table store_identity (id integer primary key check (id = 1), identity ${text} not null)`,
  `insert into store_identity (id, identity) values (1, '${crypto.randomUUID()}')`,
  // Numbers that only grow. As ids they are never used again, also after a row was deleted: caches rely on that. As
  // revisions they tell servers what is new, in the order of the commits, because the row is locked until then.
  `create table counters (
    name ${text} primary key,
    value integer not null
  )`,
  // `course_digest` and `lesson_list_digest` become ETags; `digest` is that of all that is answered of the course, `source_path` where its source had it, `format` as which it was read;
  // null where there is none, as `language` and `translation_of` are. `summary` begins with its checksum. Bodies are last, so that SQLite reads the rest without them.
  `create table course_versions (
    id integer primary key,
    project ${text} not null,
    course_id ${text} not null,
    slug ${text} not null,
    folded_name ${text} not null,
    published integer not null,
    created_at ${text} not null,
    updated_at ${text} not null,
    source_digest ${text} not null,
    own_digest ${text} not null,
    first_seen_at ${text} not null,
    changed_at ${text} not null,
    lessons integer not null,
    source_path ${text},
    format ${text},
    language ${text},
    translation_of ${text},
    digest ${text} not null,
    course_digest ${text} not null,
    lesson_list_digest ${text} not null,
    summary ${text} not null,
    course ${bytes} not null,
    lesson_list ${bytes} not null
  )`,
  ...keepAsIs("course_versions", "course"),
  ...keepAsIs("course_versions", "lesson_list"),
  "create index course_versions_by_id on course_versions (project, course_id, published)",
  "create index course_versions_by_slug on course_versions (project, slug, published)",
  // A table of its own for JSON text that few courses have: in the rows of versions it would make lists longer to read.
  `create table course_meta (version_id integer primary key, document ${text} not null)`,
  // Of courses whose sections are more than chapters.
  `create table course_trees (version_id integer primary key, digest ${text} not null, body ${bytes} not null)`,
  ...keepAsIs("course_trees", "body"),
  `create table version_chapters (
    version_id integer not null,
    number integer not null,
    chapter_id ${text} not null,
    name ${text} not null,
    primary key (version_id, number)
  )${withoutRowid}`,
  // Immutable, of one course: every version of the course that has the lesson unchanged names the same row. `digest` is that of
  // the document, `written_digest` and `content_digest` of what the author wrote, with and without the name; null where there
  // are no files.
  `create table lesson_versions (
    id integer primary key,
    project ${text} not null,
    course_id ${text} not null,
    lesson_id ${text} not null,
    name ${text} not null,
    source_path ${text},
    first_seen_at ${text} not null,
    changed_at ${text} not null,
    updated_at ${text} not null,
    source_digest ${text} not null,
    written_digest ${text},
    content_digest ${text},
    digest ${text} not null,
    has_video integer not null,
    has_quiz integer not null,
    meta ${text} not null,
    body ${bytes} not null
  )`,
  ...keepAsIs("lesson_versions", "body"),
  "create index lesson_versions_by_lesson on lesson_versions (project, course_id, lesson_id)",
  // The lessons of a version, in order from position 0. `chapter` is the number of the chapter in `version_chapters`. Lessons of
  // a course and of its translations with one `translation_key` are each other's translations; null where there is none. It
  // stands here and not in `lesson_versions`, because an index of a version's keys needs both, and another key is no other lesson.
  `create table version_lessons (
    version_id integer not null,
    lesson_id ${text} not null,
    position integer not null,
    chapter integer not null,
    lesson_version_id integer not null,
    translation_key ${text},
    primary key (version_id, lesson_id)
  )`,
  `create index version_lessons_by_translation on version_lessons (version_id, translation_key)
    where translation_key is not null`,
  "create index version_lessons_by_position on version_lessons (version_id, position)",
  "create index version_lessons_by_version on version_lessons (lesson_version_id)",
  `create table releases (
    id integer primary key,
    project ${text} not null,
    number integer not null,
    created_at ${text} not null,
    source ${text} not null,
    source_name ${text},
    courses integer not null,
    drafts integer not null,
    lessons integer not null,
    changes ${text} not null,
    pruned_at ${text},
    unique (project, number)
  )`,
  // The few that can be read, among all that there ever were.
  "create index releases_kept on releases (project, id) where pruned_at is null",
  // Published courses stand at 0 to releases.courses - 1, in the order of the list; drafts follow. `source` is the named source
  // that brought the course: a matter of the release, so that a rollback brings that back as well. `translation_group` is the
  // release and the id of the original, the same for it and its translations; null for a course of which the release has none.
  // The release is part of it, because SQLite would look for a group by the release alone, and walk that.
  `create table release_courses (
    release_id integer not null,
    position integer not null,
    version_id integer not null,
    source ${text},
    translation_group ${text},
    primary key (release_id, position)
  )${withoutRowid}`,
  "create unique index release_courses_by_version on release_courses (version_id, release_id)",
  `create index release_courses_by_group on release_courses (translation_group) where translation_group is not null`,
  `create table release_sources (
    release_id integer not null,
    name ${text} not null,
    label ${text} not null,
    changed_at ${text} not null,
    courses integer not null,
    drafts integer not null,
    lessons integer not null,
    primary key (release_id, name)
  )${withoutRowid}`,
  // A log: rows are only ever added, and the newest of a channel names its current release; none after a deletion.
  `create table publications (
    id integer primary key,
    project ${text} not null,
    channel ${text} not null,
    release_id integer,
    action ${text} not null,
    published_at ${text} not null
  )`,
  "create index publications_by_channel on publications (project, channel, id)",
  // Whether a channel has published a release, and when it was last deleted, without a walk through its log.
  "create index publications_by_release on publications (project, channel, release_id, id)",
  // Slugs that a course had on a channel until a publication took them away: the newest row tells the last owner.
  `create table former_slugs (
    project ${text} not null,
    channel ${text} not null,
    slug ${text} not null,
    course_id ${text} not null,
    publication_id integer not null,
    primary key (project, channel, slug, course_id)
  )${withoutRowid}`,
  // Imports that have written course versions and not published them yet. A row without a running import is an interrupted one.
  `create table unfinished_imports (
    project ${text} primary key
  )`,
  // Files that travel with releases. One content per digest; `content_id` says where it is, in chunks or in a file of the
  // folder. An upload is content that no asset has, or not yet.
  `create table assets (
    digest ${text} primary key,
    content_id integer not null,
    in_folder integer not null,
    bytes integer not null,
    marked_at ${text} not null
  )`,
  "create unique index assets_by_content on assets (content_id)",
  `create table asset_names (
    digest ${text} not null,
    name ${text} not null,
    media_type ${text} not null,
    primary key (digest, name)
  )${withoutRowid}`,
  `create table asset_chunks (
    content_id integer not null,
    position integer not null,
    content ${bytes} not null,
    primary key (content_id, position)
  )`,
  ...keepAsIs("asset_chunks", "content"),
  `create table asset_uploads (
    content_id integer primary key,
    digest ${text} not null,
    in_folder integer not null,
    begun_at ${text} not null
  )`,
  `create table version_assets (
    version_id integer not null,
    digest ${text} not null,
    name ${text} not null,
    primary key (version_id, digest, name)
  )${withoutRowid}`,
  "create index version_assets_by_digest on version_assets (digest)",
  `create table keys (
    id ${text} primary key,
    revision integer not null,
    project ${text} not null,
    channel ${text} not null,
    name ${text} not null,
    digest ${text} not null unique,
    last_four ${text} not null,
    drafts integer not null,
    created_at ${text} not null,
    expires_at ${text},
    revoked_at ${text},
    last_used_at ${text}
  )`,
  "create index keys_by_revision on keys (revision)",
  "create index keys_by_project on keys (project)",
  // The log of publications is the outbox: a publication names itself in each hook of its channel, which goes from
  // `last_publication` to `newest_publication` at its own pace. A server claims a hook for each attempt.
  `create table hooks (
    id ${text} primary key,
    identity ${text} not null,
    project ${text} not null,
    channel ${text} not null,
    url ${text} not null,
    secret ${text} not null,
    old_secret ${text},
    old_secret_ends_at ${text},
    allows_private integer not null,
    created_at ${text} not null,
    last_publication integer not null,
    newest_publication integer not null,
    failures integer not null,
    failing_since ${text},
    last_fault ${text},
    next_attempt_at ${text} not null,
    paused_at ${text},
    pause_reason ${text},
    claimed_by ${text} not null,
    claimed_until ${text} not null
  )`,
  "create index hooks_by_channel on hooks (project, channel)",
  `create index hooks_waiting on hooks (next_attempt_at, id)
    where newest_publication > last_publication and paused_at is null`,
  // Answers of services that are mirrored, by the URL without its release; `run` is the last import that relied on them.
  `create table kept_answers (
    project ${text} not null,
    url ${text} not null,
    run ${text} not null,
    etag ${text} not null,
    link ${text},
    body ${bytes} not null,
    primary key (project, url)
  )`,
  ...keepAsIs("kept_answers", "body"),
  // One row for each source that `lectern follow` could not publish; `source_name` is empty where the source is the whole catalog.
  `create table follow_failures (
    project ${text} not null,
    channel ${text} not null,
    source_name ${text} not null,
    source ${text} not null,
    failing_since ${text} not null,
    fault ${text} not null,
    primary key (project, channel, source_name)
  )`,
  ...ownStatements(),
];

/** The tables and indexes that a database should have. */
export function listSchemaNames(dialect: Dialect): { tables: string[]; indexes: string[] } {
  const list = (kind: RegExp): string[] =>
    createStatements(dialect).flatMap((statement) => kind.exec(statement)?.[1] ?? []);
  return { tables: list(/^create table (\w+)/), indexes: list(/^create (?:unique )?index (\w+)/) };
}

/** Makes the schema in one transaction, unless another process has made it meanwhile. Throws ExpectedError. */
export async function createSchema(transact: Transact, dialect: Dialect, place: string): Promise<void> {
  await transact(async (transaction) => {
    if (await findSchema(transaction, dialect, place)) return;
    for (const statement of createStatements(dialect)) await transaction.run(raw(statement));
  });
}

/** False for a database without a schema. `place` names it. Throws ExpectedError. */
export async function findSchema(connection: Connection, dialect: Dialect, place: string): Promise<boolean> {
  const tables = await connection.run(sql<{ name: string }>`${dialect.schemaTables}`);
  const names = new Set(tables.map(({ name }) => name));
  if (!names.has("lectern_schema") && !names.has("schema_version")) return false;
  const [row] = names.has("lectern_schema")
    ? await connection.run(sql<{ version: number }>`select version from lectern_schema`)
    : [];
  if (row?.version === SCHEMA_VERSION) return true;
  throw new ExpectedError(
    `The database ${place} was made by an unreleased version of Lectern and was left as it is. Name a new database and import ` +
      "the content again; register keys again with `lectern keys create --stdin`, which needs their plain text.",
  );
}

/** Raises a counter by `count` and gives its new value: the last of `count` new numbers. */
export async function nextNumber(
  transaction: Connection,
  counter: "course_versions" | "lesson_versions" | "releases" | "publications" | "keys" | "asset_contents",
  count = 1,
): Promise<number> {
  const [row] = await transaction.run(sql<{ value: number }>`
    insert into counters (name, value) values (${counter}, ${count})
    on conflict (name) do update set value = counters.value + excluded.value
    returning value`);
  return row?.value ?? 0;
}
