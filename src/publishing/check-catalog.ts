import { completeCourse } from "../catalog/complete-course.ts";
import type { Course } from "../catalog/course.ts";
import { findOrigin, listEmbedOrigins } from "../content/html/embeds.ts";
import { judged, type ContentSource, type Inspection, type Report } from "../content/source.ts";
import { CatalogLinks } from "./catalog-links.ts";
import { CatalogNames } from "./catalog-names.ts";

export type CheckedCatalog = Awaited<ReturnType<typeof checkCatalog>>;

interface CheckOptions {
  project: string;
  /** Names the source in problems without a file. */
  path: string;
  openSource: (inspection: Inspection) => Promise<ContentSource>;
  report: Report;
  strict?: boolean | undefined;
}

/** Reports every problem within courses and between courses. Throws the source's errors. */
export async function checkCatalog({ project, path, openSource, report, strict }: CheckOptions) {
  let hasErrors = false;
  const reportAndNote = judged((problem) => {
    hasErrors ||= problem.severity === "error";
    report(problem);
  }, strict);
  const counts = { courses: 0, lessons: 0 };
  const onCourse = (lessons: number): void => {
    counts.courses++;
    counts.lessons += lessons;
  };
  const names = new CatalogNames();
  // A check delivers nothing, so links need no URL.
  const links = new CatalogLinks(undefined, reportAndNote);
  const origins = new Map<string, number>();
  const idsByPath = new Map<string, string>();
  const source = await openSource({ onCourse });
  try {
    for await (const sourceCourse of source.read(reportAndNote)) {
      const { sourcePath } = sourceCourse.course;
      const course = completeCourse(project, sourceCourse.course, undefined, idsByPath);
      if (sourcePath !== undefined) idsByPath.set(sourcePath.normalize("NFC"), course.id);
      names.add(course, sourceCourse, reportAndNote);
      links.settle(sourceCourse.key, course);
      for (const origin of listOrigins(course)) origins.set(origin, (origins.get(origin) ?? 0) + 1);
    }
  } finally {
    await source.close?.();
  }
  links.finish();
  names.reportMissingOriginals(reportAndNote, "this source");
  if (counts.courses === 0 && !hasErrors) {
    const message = "contains no course: expected one course per line";
    report({ severity: "error", kind: "no-course", file: path, message });
  }
  const embedOrigins = [...origins].sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1));
  return { ...counts, embedOrigins };
}

function listOrigins({ chapters }: Course): string[] {
  return chapters
    .flatMap(({ lessons }) => lessons)
    .flatMap(({ url, quizHtml, additionalText }) => [
      ...[findOrigin(url)].filter((origin) => origin !== undefined),
      ...listEmbedOrigins(quizHtml),
      ...listEmbedOrigins(additionalText),
    ]);
}
