import { join } from "node:path";
import { splitSourcePath } from "../../catalog/source-path.ts";
import type { CourseVersion, PublishingReader, Release } from "../../catalog/store.ts";
import type { Problem } from "../../content/source.ts";
import type { PreviewState } from "../../explorer/preview/preview-state.ts";

/** Problems and drafts that a page shows. */
const MAX_SHOWN = 200;

interface LessonPlace {
  courseId: string;
  courseSlug: string;
  lessonId: string;
}

export async function createPreviewState(
  path: string,
  store: PublishingReader,
  release: Release | undefined,
  problems: readonly Problem[],
): Promise<PreviewState> {
  const errors = problems.filter(({ severity }) => severity === "error");
  const warnings = problems.filter(({ severity }) => severity === "warning");
  const shown = [...errors, ...warnings].slice(0, MAX_SHOWN);
  const versions = release === undefined ? [] : await store.listVersions(release);
  const places = shown.length === 0 ? undefined : await readPlaces(path, store, versions);
  return {
    release: release?.number ?? 0,
    errors: errors.length,
    warnings: warnings.length,
    problems: shown.map(({ severity, file, line, column, message, hints = [] }) => ({
      severity: severity === "error" ? "error" : "warning",
      file,
      line,
      column,
      message,
      hints,
      ...places?.get(file.normalize("NFC")),
    })),
    drafts: versions
      .filter(({ published }) => !published)
      .slice(0, MAX_SHOWN)
      .map(({ courseId, slug }) => ({ courseId, slug })),
  };
}

/** The first lesson of each file, by the path that problems show. */
async function readPlaces(
  path: string,
  store: PublishingReader,
  versions: CourseVersion[],
): Promise<Map<string, LessonPlace>> {
  const places = new Map<string, LessonPlace>();
  for (const { versionId, courseId, slug: courseSlug } of versions) {
    for (const [lessonId, { sourcePath }] of await store.listLessonRecords(versionId)) {
      if (sourcePath === undefined) continue;
      const file = join(path, splitSourcePath(sourcePath).file).normalize("NFC");
      if (!places.has(file)) places.set(file, { courseId, courseSlug, lessonId });
    }
  }
  return places;
}
