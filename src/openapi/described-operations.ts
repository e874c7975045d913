// What the description of the interface says of each operation, beside what follows from routes and schemas.
import type { successBodies } from "../catalog/documents.ts";

export type OperationName = keyof typeof successBodies;

export interface OperationDescription {
  /** As generated clients call it. */
  operationId: string;
  tag: string;
  summary: string;
  /** Markdown. */
  description: string;
  /** What the 200 of this operation is. */
  answer: string;
  /** Requests to the example catalog whose answers are shown, by a name; below `/api/v1`. */
  examples: Record<string, { summary: string; path: string }>;
}

export const DESCRIBED_OPERATIONS: Record<OperationName, OperationDescription> = {
  courses: {
    operationId: "listCourses",
    tag: "Courses",
    summary: "List courses",
    description:
      "The published courses, the newest first: by `createdAt`, those of the same time by `_id`. Drafts are never in it. " +
      "Without `limit` and `offset` it is the whole list, however long.",
    answer: "The courses, without their chapters.",
    examples: {
      all: { summary: "All courses", path: "/courses" },
      named: { summary: "Courses whose name contains a text", path: "/courses?name=CA+PHE" },
      page: { summary: "One page", path: "/courses?limit=1&offset=1" },
      meta: { summary: "With what cards show", path: "/courses?include=meta&tag=coffee" },
    },
  },
  course: {
    operationId: "getCourse",
    tag: "Courses",
    summary: "Get a course",
    description:
      "A course with its chapters, and the id and name of each lesson. It is found by its identifier, else by its slug, else by " +
      "a slug that it had before; then `Content-Location` leads to the same with the current slug.",
    answer: "The course.",
    examples: {
      id: { summary: "By identifier", path: "/courses/coffee" },
      slug: { summary: "By slug", path: "/courses/vietnamese-coffee" },
      meta: { summary: "With slug, language and tags", path: "/courses/coffee?include=meta" },
      tree: { summary: "With its tree", path: "/courses/coffee?include=tree" },
    },
  },
  lessons: {
    operationId: "listLessons",
    tag: "Lessons",
    summary: "List the lessons of a course",
    description:
      "The id and name of each lesson of a course, in the order of its chapters. Without `limit` and `offset` it is the whole list.",
    answer: "The lessons, without their content.",
    examples: {
      all: { summary: "All lessons of a course", path: "/courses/coffee/lessons" },
      page: { summary: "One page", path: "/courses/coffee/lessons?limit=2&offset=2" },
      digest: { summary: "With what tells of a change", path: "/courses/coffee/lessons?include=digest&limit=2" },
    },
  },
  lesson: {
    operationId: "getLesson",
    tag: "Lessons",
    summary: "Get a lesson",
    description:
      "A lesson of a course with its content. `quizHtml` and `additionalText` hold HTML as the author wrote it: sanitise it, " +
      "unless you trust the authors.",
    answer: "The lesson.",
    examples: {
      text: { summary: "A lesson with video, quiz and text", path: "/courses/coffee/lessons/phin" },
      nav: { summary: "With its neighbours", path: "/courses/coffee/lessons/pouring-video?include=nav" },
      video: { summary: "A lesson that is a video alone", path: "/courses/coffee/lessons/pouring-video" },
    },
  },
  search: {
    operationId: "search",
    tag: "Search",
    summary: "Search the texts of lessons",
    description:
      "The lessons that have all words of `q` in their name, headings or text, and the courses that have them in their name or " +
      "description. First those with all words in the name, then those with all in name and headings, then the rest; each in " +
      "the order of the catalog, a course before its lessons. Drafts are never in it. While a release is being indexed, the " +
      "answer is a 503 with `Retry-After`.",
    answer: "A page of results, at most 20.",
    examples: {
      words: { summary: "Words anywhere in a lesson", path: "/search?q=hot+coffee" },
      phrase: { summary: "A phrase, in one course", path: "/search?q=%22condensed+milk%22&course=coffee" },
    },
  },
  changes: {
    operationId: "getChanges",
    tag: "Releases",
    summary: "ReportFinding what has changed since a release",
    description:
      "What differs between release `since` and the one that is read: courses and lessons added, changed, moved, removed. A site " +
      "that was built from release `since` reads only these again. `since` may be the newer of the two, as after a rollback.",
    answer: "The courses that differ, in the order of the list, those that are gone last.",
    examples: { edited: { summary: "A lesson was edited, another one added", path: "/changes?since=2" } },
  },
  releases: {
    operationId: "listReleases",
    tag: "Releases",
    summary: "List the releases that can be read",
    description:
      "The releases that the channel of the key has published and that are kept, the last one published first. Each can be read " +
      "with `release`, and compared with in `since`.",
    answer: "The releases.",
    examples: { all: { summary: "All releases", path: "/releases" } },
  },
};

export const PATH_PARAMETERS: Record<string, { description: string; example: string }> = {
  id: { description: "Identifier or slug of the course.", example: "coffee" },
  courseId: { description: "Identifier or slug of the course.", example: "coffee" },
  lessonId: { description: "Identifier of the lesson.", example: "phin" },
  digest: {
    description: "The first 32 hexadecimal digits of the SHA-256 of the content.",
    example: "5d41402abc4b2a76b9719d911017c592",
  },
  name: { description: "A name under which an import has stored the content.", example: "contours.png" },
};

export const TAGS = [
  { name: "Courses", description: "What can be learned." },
  { name: "Lessons", description: "The lessons of a course, and what they hold." },
  { name: "Search", description: "Finds lessons by their texts." },
  { name: "Releases", description: "Published states of the catalog, and what changed between two of them." },
  { name: "Files", description: "Images and files that lessons show and link to." },
];

export const INTRODUCTION = `Reads a catalog of courses. Every request carries a key in the header \`x-api-key\`; a key reads one
channel of one project.

**Envelope.** Every answer with a body is one JSON object with \`data\`, \`success\`, \`message\` and \`code\`, in this order. An error has
an empty \`data\` and a \`message\`. The required members of \`data\` are in every answer, and none is \`null\`: a text that is not there
is \`""\`. The others are there when \`include\` asks for them.

**Methods.** \`HEAD\` answers as \`GET\` does, without a body. \`OPTIONS\` needs no key. Parameters that are not described are
ignored.

**Caching.** Send the \`ETag\` of an answer back in \`If-None-Match\`: an unchanged answer is a 304 without a body.

**Releases.** An answer names the release that it came from in \`Catalog-Release\`. With \`release\` several requests read one state.
`;
