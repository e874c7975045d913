// What the schema is made of, from its first version to that of this program.
import type { Connection, Dialect } from "./engine.ts";

/** A statement, or what takes more than one. */
type Step = string | ((transaction: Connection) => Promise<void>);

/** Each takes the schema one version up, to the number of its place, and never changes once it was shipped. */
export const migrations: ((dialect: Dialect) => Step[])[] = [
  ({ text, withoutRowid, ownTables }) => [
    // Numbers that only grow. As ids they are never used again, also after a row was deleted: caches rely on that. As
    // revisions they tell servers what is new, in the order of the commits, because the row is locked until then.
    `create table counters (
      name ${text} primary key,
      value integer not null
    )`,
    `create table course_versions (
      id integer primary key,
      project ${text} not null,
      course_id ${text} not null,
      slug ${text} not null,
      folded_name ${text} not null,
      published integer not null,
      created_at ${text} not null,
      source_digest ${text} not null,
      own_digest ${text} not null,
      first_seen_at ${text} not null,
      changed_at ${text} not null,
      lessons integer not null,
      summary ${text} not null,
      course_digest ${text} not null,
      lesson_list_digest ${text} not null,
      course ${text} not null,
      lesson_list ${text} not null
    )`,
    `create index course_versions_by_id on course_versions (project, course_id, published)`,
    `create index course_versions_by_slug on course_versions (project, slug, published)`,
    `create table lessons (
      version_id integer not null,
      lesson_id ${text} not null,
      source_path ${text},
      source_digest ${text} not null,
      first_seen_at ${text} not null,
      changed_at ${text} not null,
      digest ${text} not null,
      document ${text} not null,
      primary key (version_id, lesson_id)
    )`,
    `create table releases (
      id integer primary key,
      project ${text} not null,
      number integer not null,
      created_at ${text} not null,
      source ${text} not null,
      courses integer not null,
      drafts integer not null,
      lessons integer not null,
      changes ${text} not null,
      pruned_at ${text},
      unique (project, number)
    )`,
    // Published courses stand at 0 to releases.courses - 1, in the order of the list; drafts follow.
    `create table release_courses (
      release_id integer not null,
      position integer not null,
      version_id integer not null,
      primary key (release_id, position)
    )${withoutRowid}`,
    `create unique index release_courses_by_version on release_courses (version_id, release_id)`,
    // A log: rows are only ever added, and the newest of a channel names its current release; none after a deletion.
    `create table publications (
      id integer primary key,
      project ${text} not null,
      channel ${text} not null,
      release_id integer,
      action ${text} not null,
      published_at ${text} not null
    )`,
    `create index publications_by_channel on publications (project, channel, id)`,
    // Slugs that a course had on a channel until a publication took them away: the newest row tells the last owner.
    `create table former_slugs (
      project ${text} not null,
      channel ${text} not null,
      slug ${text} not null,
      course_id ${text} not null,
      publication_id integer not null,
      primary key (project, channel, slug, course_id)
    )${withoutRowid}`,
    // Imports that have written course versions and not published them yet. An entry without a running import says
    // that one was cut off.
    `create table unfinished_imports (
      project ${text} primary key
    )`,
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
    `create index keys_by_revision on keys (revision)`,
    `create index keys_by_project on keys (project)`,
    ...ownTables,
  ],
  // Whether a channel has published a release, and when it was last deleted, without a walk through its log.
  () => [`create index publications_by_release on publications (project, channel, release_id, id)`],
  ({ text, markFile }) => [
    // One row. A copy has another identity, so that servers under which it is put in place see that it is another store.
    // A dump of the version before, loaded over a database of this one, leaves the table there.
    "drop table if exists store_identity",
    `create table store_identity (id integer primary key check (id = 1), identity ${text} not null)`,
    `insert into store_identity (id, identity) values (1, '${crypto.randomUUID()}')`,
    ...markFile(),
  ],
  // Whole bodies in gzip, in columns of their own: a row has a text or a body. The text is null then, not empty: a server of
  // the version before fails on null, but would send an empty text, under the ETag of the whole document.
  (dialect) => [
    ...addBody(dialect, "course_versions", "course", "course_body"),
    ...addBody(dialect, "course_versions", "lesson_list", "lesson_list_body"),
    ...addBody(dialect, "lessons", "document", "body"),
  ],
  // A version has the lessons of its base, but for those of which it has rows of its own. One of them with neither text nor
  // body stands for a lesson that the version does not have. A base has none itself.
  () => [
    "alter table course_versions add column base_id integer",
    "create index course_versions_by_base on course_versions (base_id) where base_id is not null",
    // SQLite reads it from here: in a row it comes after the bodies.
    "drop index course_versions_by_id",
    "drop index course_versions_by_slug",
    "create index course_versions_by_id on course_versions (project, course_id, published, base_id)",
    "create index course_versions_by_slug on course_versions (project, slug, published, base_id)",
  ],
  // JSON texts; none where an author gave nothing. Of courses in a table of its own: a list has many, and in their rows SQLite
  // would read through the bodies before.
  ({ text }) => [
    `create table course_meta (version_id integer primary key, document ${text} not null)`,
    `alter table lessons add column meta ${text}`,
  ],
  // Files that travel with releases. One content per digest; `content_id` says where it is, in chunks or in a file of the
  // folder. An upload is content that no asset has, or not yet.
  ({ text, bytes, keepAsIs, withoutRowid }) => [
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
  ],
  // Which source brought a course is a matter of the release, so that a rollback brings that back as well. Null: no named one.
  ({ text, withoutRowid }) => [
    `alter table release_courses add column source ${text}`,
    `alter table releases add column source_name ${text}`,
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
  ],
  // What an author wrote of a lesson, with and without its name. Null where there are no files, and in rows from before.
  ({ text }) => [
    `alter table lessons add column written_digest ${text}`,
    `alter table lessons add column content_digest ${text}`,
    // SQLite reads them from here: in a row they come after the body.
    `create index lessons_by_digest on lessons (version_id, lesson_id, written_digest, content_digest)
      where written_digest is not null`,
  ],
  // The few that can be read, among all that there ever were.
  () => ["create index releases_kept on releases (project, id) where pruned_at is null"],
  // Answers of services that are mirrored, by the URL without its release; `run` is the last one that relied on them.
  ({ text, bytes, keepAsIs }) => [
    `create table kept_answers (
      project ${text} not null,
      url ${text} not null,
      run ${text} not null,
      etag ${text} not null,
      body ${bytes} not null,
      primary key (project, url)
    )`,
    ...keepAsIs("kept_answers", "body"),
  ],
  // Hooks. The log of publications is their outbox: a publication names itself in each hook of its channel, which goes from
  // `last_publication` to `newest_publication` at its own pace. One row of `hook_lease` says which server delivers.
  ({ text, withoutRowid }) => [
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
      attempts integer not null,
      failures integer not null,
      failing_since ${text},
      next_attempt_at ${text} not null,
      paused_at ${text},
      pause_reason ${text}
    )`,
    "create index hooks_by_channel on hooks (project, channel)",
    `create index hooks_waiting on hooks (next_attempt_at, id)
      where newest_publication > last_publication and paused_at is null`,
    `create table hook_attempts (
      hook_id ${text} not null,
      number integer not null,
      event_id ${text} not null,
      event ${text} not null,
      at ${text} not null,
      duration_ms integer not null,
      status integer,
      fault ${text},
      primary key (hook_id, number)
    )${withoutRowid}`,
    `create table hook_lease (id integer primary key check (id = 1), holder ${text} not null, ends_at ${text} not null)`,
    "insert into hook_lease (id, holder, ends_at) values (1, '', '')",
  ],
  // What lists tell of a version beyond its documents: a digest of the whole, and in gzip a line for each lesson. Versions from before
  // have none until they are converted.
  ({ text, bytes, keepAsIs }) => [
    `create table course_contents (
      version_id integer primary key,
      digest ${text} not null,
      lessons ${bytes} not null
    )`,
    ...keepAsIs("course_contents", "lessons"),
  ],
];

function addBody({ bytes, keepAsIs, makeNullable }: Dialect, table: string, text: string, body: string): Step[] {
  return [
    (transaction) => makeNullable(transaction, table, text),
    `alter table ${table} add column ${body} ${bytes}`,
    ...keepAsIs(table, body),
  ];
}
