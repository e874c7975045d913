// The catalog for most tests of the interface: project acme, with every kind of course; project other, whose
// content must stay invisible to acme's keys; project empty, without a release.
import { publish, type AuthoredCourse } from "./catalog.ts";
import { createKey, startTestServer } from "./server.ts";
import { anyEngine, openTestStore } from "./store.ts";

export const IMPORTED_AT = "2026-03-01T12:00:00.000Z";

/** All fields are the author's. */
export const intro = {
  _id: "course-1",
  slug: "intro",
  name: "Introduction",
  thumbnail: "https://cdn.example.org/intro.png",
  createdAt: "2025-05-01",
  updatedAt: "2025-06-01T10:00:00+02:00",
  chapters: [
    {
      id: "ch-1",
      name: "First steps",
      lessons: [
        {
          id: "l-1",
          name: "Welcome",
          url: "https://video.example.org/1",
          quizHtml: '<iframe src="https://quiz.example.org/1"></iframe>',
          additionalText: "<p>Quotes \" and ' and \\, tab\t, </script>, é 漢 😀 \u2028</p>",
          createdAt: "2025-05-02",
          updatedAt: "2025-05-03T01:02:03.456Z",
        },
        { id: "l-2", name: "Plain" },
      ],
    },
    { id: "ch-2", name: "Empty" },
    { id: "ch-3", name: "Last", lessons: [{ id: "l-3", name: "Goodbye" }] },
  ],
};

export const WEIRD_IDS = [
  "__proto__",
  "constructor",
  "toString",
  "weird id+%2F&?#é",
  "漢字-コース",
  "'; drop table keys; --",
  '"quoted"<b>',
  "%",
  "_",
  "\u00e9", // the letter é as one character, and next as two: different identifiers
  "e\u0301",
  "\u{1f600}",
  "a".repeat(255),
  "\u{20bb7}".repeat(255),
];

const weirdCourses: AuthoredCourse[] = WEIRD_IDS.map((id, index) => ({
  _id: id,
  slug: `weird-${index}`,
  name: `Weird ${index}`,
  createdAt: "2024-01-01",
  chapters: [{ id, name: "Only", lessons: [{ id, name: `Lesson ${index}` }] }],
}));

export const draft = {
  _id: "draft-1",
  slug: "not-yet",
  name: "Introduction to drafts",
  published: false,
  createdAt: "2025-07-01",
  chapters: [{ id: "d-ch", name: "Draft chapter", lessons: [{ id: "d-l", name: "Draft lesson" }] }],
};

const bare = { _id: "bare", slug: "bare-slug", name: "Bare" };
export const acmeCourses: AuthoredCourse[] = [intro, bare, draft, ...weirdCourses];

const othersChapters = [{ name: "C", lessons: [{ id: "others-lesson", name: "L" }] }];
export const otherCourses: AuthoredCourse[] = [
  { _id: "others-own", slug: "others-slug", name: "Introduction of others", chapters: othersChapters },
  { _id: "course-1", slug: "intro", name: "Same ids, another project" },
];

export type Acme = Awaited<ReturnType<typeof openAcme>>;

/** Publishes and serves the catalogs above. `drop` also stops the server. */
export async function openAcme(engine = anyEngine) {
  const database = await openTestStore(engine);
  const { store } = database;
  await publish(store, "acme", acmeCourses, IMPORTED_AT);
  await publish(store, "other", otherCourses, IMPORTED_AT);
  const keys = {
    key: await createKey(store, "acme"),
    drafts: await createKey(store, "acme", { drafts: true }),
    otherKey: await createKey(store, "other"),
    emptyKey: await createKey(store, "empty"),
  };
  const server = await startTestServer(store);
  return {
    ...database,
    ...keys,
    server,
    async drop() {
      await server.stop();
      await database.drop();
    },
  };
}

/** A success body. */
export const envelope = (data: string): string => `{"data":${data},"success":true,"message":"","code":200}`;

/** An error body. */
export const errorBody = (code: number, message: string): string =>
  `{"data":{},"success":false,"message":${JSON.stringify(message)},"code":${code}}`;
