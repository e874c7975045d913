import type { Dialect } from "./engine.ts";

/** The statements of schema 1, from Lectern 1.0.0. They never change: later changes are migrations (schema.ts). */
export const createFirstSchema = ({ text, bytes, keepAsIs, withoutRowid, ownStatements }: Dialect): string[] => [
  // One row: the schema version, the oldest versions that can read and write it, and the program that wrote it.
  `create table lectern_schema (
    version integer not null,
    oldest_reader integer not null,
    oldest_writer integer not null,
    program ${text} not null
  )`,
  // One row. A copy has another identity, so that a running server notices a replaced store.
  `create table store_identity (id integer primary key check (id = 1), identity ${text} not null)`,
  `insert into store_identity (id, identity) values (1, '${crypto.randomUUID()}')`,
  // Increasing numbers. As ids, they are never reused, even after a deletion: caches rely on that. As revisions, they
  // order commits, because the row stays locked until the commit.
  `create table counters (
    name ${text} primary key,
    value integer not null
  )`,
  // `course_digest` and `lesson_list_digest` become ETags; `digest` covers all that answers say about the course.
  // `source_path`, `format`, `language` and `translation_of` are null if unknown. `summary` begins with its checksum.
  // Bodies are last, so that SQLite can read the rest without them.
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
  // A separate table, because few courses have this JSON, and it would slow down lists.
  `create table course_meta (version_id integer primary key, document ${text} not null)`,
  // Trees of courses with nested sections.
  `create table course_trees (version_id integer primary key, digest ${text} not null, body ${bytes} not null)`,
  ...keepAsIs("course_trees", "body"),
  `create table version_chapters (
    version_id integer not null,
    number integer not null,
    chapter_id ${text} not null,
    name ${text} not null,
    primary key (version_id, number)
  )${withoutRowid}`,
  // Immutable: all versions of a course with the same lesson share a row. `digest` covers the document;
  // `written_digest` and `content_digest` cover the source text with and without the name (null without files).
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
  // The lessons of a version, from position 0. `chapter` is a number in `version_chapters`. Lessons of a course and its
  // translations correspond if they have the same `translation_key`. The key is here and not in `lesson_versions`,
  // because an index needs both the key and the version, and because a new key does not change the lesson.
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
  // Indexes the few unpruned releases.
  "create index releases_kept on releases (project, id) where pruned_at is null",
  // Published courses have positions 0 to releases.courses - 1 in list order; drafts follow. `source` is the named
  // source, per release, so that a rollback restores it. `translation_group` consists of the ids of the release
  // and the original; the original and its translations share it. It is null without translations. It includes the
  // release, because SQLite would otherwise search by release alone.
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
  // An append-only log. A channel's newest row contains its current release, or null after the channel was deleted.
  `create table publications (
    id integer primary key,
    project ${text} not null,
    channel ${text} not null,
    release_id integer,
    action ${text} not null,
    published_at ${text} not null
  )`,
  "create index publications_by_channel on publications (project, channel, id)",
  // Finds, without a scan of the log, whether a channel published a release, and when the channel was last deleted.
  "create index publications_by_release on publications (project, channel, release_id, id)",
  // Slugs that a publication on a channel removed from a course: the newest row names the last owner.
  `create table former_slugs (
    project ${text} not null,
    channel ${text} not null,
    slug ${text} not null,
    course_id ${text} not null,
    publication_id integer not null,
    primary key (project, channel, slug, course_id)
  )${withoutRowid}`,
  // Imports with unpublished course versions. A row without a running import belongs to an interrupted one.
  `create table unfinished_imports (
    project ${text} primary key
  )`,
  // Course files, stored once per digest. `content_id` locates the bytes in chunks or in a file in the folder. An
  // upload is content that belongs to no asset: not yet, or no longer.
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
  // The publication log is the outbox: a publication raises `newest_publication` of its channel's hooks, and each hook
  // advances its `last_publication` at its own pace. A server claims a hook for each attempt.
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
  // Cached answers from mirrored services, by URL without the release; `run` is the last import that used them.
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
  // One row for each source that `lectern follow` could not publish; `source_name` is empty for the whole catalog.
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
