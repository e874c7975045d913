// Exports a catalog in the authoring form. Importing the export produces the same documents.
import type { AssetReference } from "../catalog/compile-course.ts";
import { toWrittenTree } from "../catalog/course-tree.ts";
import type { LessonMetaDocument } from "../catalog/meta-document.ts";
import type { CourseDocument, LessonDocument } from "../catalog/documents.ts";
import type { CourseVersion, LessonRecord, PublishingReader, Release } from "../catalog/store.ts";
import { compareForList } from "./listed-courses.ts";
import { PublishingRefused } from "./publish.ts";

export interface ExportedLesson extends LessonDocument {
  derived?: string[];
  durationMinutes?: number;
  translationKey?: string;
}

/** A course in the authoring form. Optional fields without a value are absent. */
export interface ExportedCourse extends Omit<CourseDocument, "projectId" | "chapters"> {
  slug: string;
  published: boolean;
  derived?: string[];
  [meta: string]: unknown;
  chapters: { id: string; name: string; lessons: ExportedLesson[] }[];
}

/** Yields courses in list order, one at a time. Throws PublishingRefused if the release is pruned during the export. */
export async function* exportCatalog(
  store: PublishingReader,
  release: Release,
): AsyncGenerator<{ course: ExportedCourse; assets: AssetReference[] }> {
  const versions = await store.listVersions(release);
  for (const version of versions.sort(compareForList)) {
    const exported = await exportCourse(store, version).catch((error: unknown) => error);
    const assets = await store.listVersionAssets(version.versionId);
    // A prune might have started during the last read.
    const now = await store.findRelease(release.project, release.number);
    if (now === undefined || now.prunedAt !== undefined) {
      throw new PublishingRefused(`Release ${release.number} of ${release.project} was pruned during the export.`);
    }
    if (exported instanceof Error) throw exported;
    yield { course: exported as ExportedCourse, assets };
  }
}

async function exportCourse(store: PublishingReader, version: CourseVersion): Promise<ExportedCourse> {
  const { versionId, slug, published, own } = version;
  const records = await store.listLessonRecords(versionId);
  const { course, meta, tree, lessons } = await store.readVersion(versionId, [...records.keys()]);
  const { projectId: _, chapters: outline, ...document } = JSON.parse(course) as CourseDocument;
  const chapters = outline.map((chapter) => ({
    id: chapter.id,
    name: chapter.name,
    lessons: chapter.lessons.map(({ id }) => exportLesson(lessons.get(id), records.get(id))),
  }));
  const changes = chapters.flatMap((chapter) => chapter.lessons.map(({ updatedAt }) => updatedAt));
  const newest = [own.changedAt, ...changes].sort().at(-1);
  const isDerived = { createdAt: document.createdAt === own.firstSeenAt, updatedAt: document.updatedAt === newest };
  const written = tree === undefined ? {} : { tree: toWrittenTree(tree) };
  return { ...document, ...listDerived(isDerived), slug, published, ...toGivenMeta(meta), chapters, ...written };
}

type RenderedLesson = { document: string; meta: string; translationKey: string | undefined };

function exportLesson(rendered: RenderedLesson | undefined, record: LessonRecord | undefined): ExportedLesson {
  if (rendered === undefined) throw new Error("a lesson in the course is missing");
  const lesson = JSON.parse(rendered.document) as LessonDocument;
  const isDerived = {
    createdAt: lesson.createdAt === record?.firstSeenAt,
    updatedAt: lesson.updatedAt === record?.changedAt,
  };
  // Omits the other meta of a lesson, because an import derives it from names, tree and options.
  const { durationMinutes } = JSON.parse(rendered.meta) as LessonMetaDocument;
  const given = durationMinutes === null ? {} : { durationMinutes };
  const key = rendered.translationKey === undefined ? {} : { translationKey: rendered.translationKey };
  return { ...lesson, ...listDerived(isDerived), ...given, ...key };
}

function listDerived(isDerived: Record<"createdAt" | "updatedAt", boolean>): { derived?: string[] } {
  const derived = (["createdAt", "updatedAt"] as const).filter((date) => isDerived[date]);
  return derived.length === 0 ? {} : { derived };
}

/** Parses meta, and omits empty values. */
function toGivenMeta(meta: string | undefined): Record<string, unknown> {
  const members = Object.entries(JSON.parse(meta ?? "{}") as Record<string, unknown>);
  return Object.fromEntries(
    members.filter(([, value]) => value !== "" && value !== null && !(Array.isArray(value) && value.length === 0)),
  );
}
