// Describes what routes and schemas do not say about operations.
import type { successBodies } from "../catalog/documents.ts";

export type OperationName = keyof typeof successBodies;

export interface OperationDescription {
  /** The name in generated clients. */
  operationId: string;
  tag: string;
  summary: string;
  /** The description in Markdown. */
  description: string;
  /** Describes the 200 answer. */
  answer: string;
  /** Named requests whose answers from the example catalog are shown. Paths are relative to `/api/v1`. */
  examples: Record<string, { summary: string; path: string }>;
}

export const DESCRIBED_OPERATIONS: Record<OperationName, OperationDescription> = {
  courses: {
    operationId: "listCourses",
    tag: "Courses",
    summary: "List courses",
    description:
      "The published courses, newest first by `createdAt`, then by `_id`. Drafts are never listed. " +
      "Without `limit` and `offset`, the answer contains the whole list.",
    answer: "The courses, without their chapters.",
    examples: {
      all: { summary: "All courses", path: "/courses" },
      named: { summary: "Courses whose names contain a given string", path: "/courses?name=CA+PHE" },
      page: { summary: "One page", path: "/courses?limit=1&offset=1" },
      meta: { summary: "With members for cards", path: "/courses?include=meta&tag=coffee" },
    },
  },
  course: {
    operationId: "getCourse",
    tag: "Courses",
    summary: "Get a course",
    description:
      "A course with its chapters, and the id and name of each lesson. Looks up the identifier, then the slug, then former " +
      "slugs; for a former slug, `Content-Location` contains the URL with the current slug.",
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
    summary: "List a course's lessons",
    description:
      "Each lesson's id and name, in the order of the course's chapters. Without `limit` and `offset`, the answer contains the whole list.",
    answer: "The lessons, without their content.",
    examples: {
      all: { summary: "All lessons of a course", path: "/courses/coffee/lessons" },
      page: { summary: "One page", path: "/courses/coffee/lessons?limit=2&offset=2" },
      digest: { summary: "With digests, to detect changes", path: "/courses/coffee/lessons?include=digest&limit=2" },
    },
  },
  lesson: {
    operationId: "getLesson",
    tag: "Lessons",
    summary: "Get a lesson",
    description:
      "A lesson with its content. `quizHtml` and `additionalText` contain the author's HTML: sanitize it " +
      "unless you trust the authors.",
    answer: "The lesson.",
    examples: {
      text: { summary: "A lesson with video, quiz and text", path: "/courses/coffee/lessons/phin" },
      nav: { summary: "With its neighbors", path: "/courses/coffee/lessons/pouring-video?include=nav" },
      video: { summary: "A lesson with only a video", path: "/courses/coffee/lessons/pouring-video" },
    },
  },
  search: {
    operationId: "search",
    tag: "Search",
    summary: "Search lessons",
    description:
      "Finds lessons with all words of `q` in their name, headings or text, and courses with all words in their name or " +
      "description. Results that match in the name come first, then those that match in the name and headings, then the " +
      "rest; each group is in catalog order, with a course before its lessons. Searches never find drafts. While a " +
      "release is being indexed, the answer is a 503 with `Retry-After`.",
    answer: "A page with at most 20 results.",
    examples: {
      words: { summary: "Words anywhere in a lesson", path: "/search?q=hot+coffee" },
      phrase: { summary: "A phrase, in one course", path: "/search?q=%22condensed+milk%22&course=coffee" },
    },
  },
  changes: {
    operationId: "getChanges",
    tag: "Releases",
    summary: "List changes since a release",
    description:
      "Lists courses and lessons that were added, changed, moved or removed between release `since` and the release that is " +
      "read. A site built from release `since` needs to read only these again. `since` can be the newer release, as after a " +
      "rollback.",
    answer: "The courses that differ, in list order, with removed courses last.",
    examples: { edited: { summary: "A lesson was edited, and another was added", path: "/changes?since=2" } },
  },
  releases: {
    operationId: "listReleases",
    tag: "Releases",
    summary: "List releases",
    description:
      "The unpruned releases that the key's channel has published, most recently published first. Read one of them " +
      "with `release`, or compare with it using `since`.",
    answer: "The releases.",
    examples: { all: { summary: "All releases", path: "/releases" } },
  },
};

export const PATH_PARAMETERS: Record<string, { description: string; example: string }> = {
  id: { description: "The course's identifier or slug.", example: "coffee" },
  courseId: { description: "The course's identifier or slug.", example: "coffee" },
  lessonId: { description: "The lesson's identifier.", example: "phin" },
  digest: {
    description: "The first 32 hexadecimal digits of the SHA-256 of the content.",
    example: "5d41402abc4b2a76b9719d911017c592",
  },
  name: { description: "A name under which an import stored the content.", example: "contours.png" },
};

export const TAGS = [
  { name: "Courses", description: "Courses of the catalog." },
  { name: "Lessons", description: "Lessons and their content." },
  { name: "Search", description: "Finds lessons by their content." },
  { name: "Releases", description: "Published states of the catalog, and what changed between two of them." },
  { name: "Files", description: "Images and other files of lessons." },
];

export const INTRODUCTION = `Reads a catalog of courses. Every request sends a key in the header \`x-api-key\`; a key reads one
channel of one project.

**Envelope.** Every answer with a body is one JSON object with \`data\`, \`success\`, \`message\` and \`code\`, in this order. An error has
an empty \`data\` and a \`message\`. In a success, all required members of \`data\` are present, and none is \`null\`: a text without a
value is \`""\`. The other members are present if \`include\` asks for them.

**Methods.** \`HEAD\` answers as \`GET\` does, without a body. \`OPTIONS\` needs no key. Parameters that are not described are
ignored.

**Caching.** Send the \`ETag\` of an answer back in \`If-None-Match\`: an unchanged answer is a 304 without a body.

**Releases.** \`Catalog-Release\` is the number of the release that was read. With \`release\`, several requests read the same state.
`;
