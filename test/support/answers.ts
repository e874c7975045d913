// What answers hold.
import type {
  CourseDocument,
  CourseSummaryDocument,
  LessonDocument,
  LessonSummaryDocument,
} from "../../src/catalog/documents.ts";
import type { Answer } from "./server.ts";

/** `data` of any operation: the members of the one that was asked for are there. */
export type Content = CourseDocument & LessonDocument & { total: number; results: ListedDocument[] };

type ListedDocument = CourseSummaryDocument & LessonSummaryDocument;

/** The content of a success. Throws for anything else. */
export function dataOf(answer: Answer): Content {
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`);
  return (JSON.parse(answer.text) as { data: Content }).data;
}

/** The release that an answer was made from; 0 when it names none. */
export function releaseOf(answer: Answer): number {
  return Number(answer.headers.get("catalog-release"));
}

/** Path and query of the neighbour of a page that `path` has given; undefined when there is none. */
export function linkOf(path: string, answer: Answer, relation: "next" | "prev"): string | undefined {
  const link = answer.headers.get("link") ?? "";
  const target = link
    .split(", ")
    .map((part) => /^<([^>]+)>; rel="(\w+)"$/.exec(part))
    .find((match) => match?.[2] === relation)?.[1];
  if (target === undefined) return undefined;
  const { pathname, search } = new URL(target, `http://localhost${path}`);
  return pathname + search;
}
