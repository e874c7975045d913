import { expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { listQueries, QUERY_COURSES, type QueryLanguage } from "../support/search-queries.ts";
import { startSearchServer, type SearchServer } from "../support/search.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

let server: SearchServer;
let key: string;
const database = useTestStore(undefined, async () => {
  await publish(database.store, "acme", QUERY_COURSES);
  key = await createKey(database.store, "acme");
  server = await startSearchServer(database);
  return () => server.stop();
});

test.each<[language: QueryLanguage, others: Record<string, string[]>]>([
  // Other forms of words, synonyms, and words that no text has.
  ["en", { "whole wheat": [], "over proofed": [], "how to freeze bread": [] }],
  // One of several lessons with these words, in the order of the catalog, or none.
  ["vi", { "va sam": ["lop", "va"], "trời mưa": [], "lên dốc": ["so", "doc"], "bơm bánh xe": [] }],
  ["hi", { "चांद की कला": [], ग्रह: ["grahan", "grah"], दूरबीन: ["aankh", "pehli", "shani"] }],
  // Kana for kanji, traditional for simplified characters, and two words without a blank.
  ["ja", { 米を研ぐ: [], みそ汁: [], 冷凍保存: [] }],
  ["zh", { 多久浇水: [], 澆水: [], 种子发芽: [], 月季修剪: [] }],
])(
  "the first result of queries by hand is the expected lesson in %s, except for known misses",
  async (language, others) => {
    const misses: Record<string, string[]> = {};
    for (const [text, lessonId] of listQueries(language)) {
      const found = await server.find(text, key);
      const lessons = found.map((path) => path.replace(`${language}/`, ""));
      if (lessons[0] !== lessonId) misses[text] = lessons;
    }
    expect(misses).toEqual(others);
  },
);
