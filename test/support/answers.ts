// Reads answers.
import type {
  CourseDocument,
  CourseSummaryDocument,
  LessonDocument,
  LessonSummaryDocument,
} from "../../src/catalog/documents.ts";
import type { Answer } from "./server.ts";

/** `data` of any operation: only the members of the requested one exist. */
export type Content = CourseDocument &
  LessonDocument & { total: number; results: (CourseSummaryDocument & LessonSummaryDocument)[] };

/** The content of a success. Throws otherwise. */
export function dataOf({ status, text }: Answer): Content {
  if (status !== 200) throw new Error(`expected 200, got ${status}: ${text}`);
  return (JSON.parse(text) as { data: Content }).data;
}

/** The release of an answer; 0 without one. */
export function releaseOf(answer: Answer): number {
  return Number(answer.headers.get("catalog-release"));
}

/** Path and query of the next or previous page of `path`; undefined if there is none. */
export function linkOf(path: string, answer: Answer, relation: "next" | "prev"): string | undefined {
  const links = answer.headers.get("link")?.split(", ") ?? [];
  const target = links
    .find((link) => link.endsWith(`>; rel="${relation}"`))
    ?.slice(1)
    .split(">")[0];
  if (target === undefined) return undefined;
  const { pathname, search } = new URL(target, `http://localhost${path}`);
  return pathname + search;
}
