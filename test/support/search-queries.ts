// A small course in each of five languages, and 20 queries by hand for each, with the lesson that should come first. They were
// written before the first run: a miss tells what search does not do.
import en from "../search/queries/en.json";
import hi from "../search/queries/hi.json";
import ja from "../search/queries/ja.json";
import vi from "../search/queries/vi.json";
import zh from "../search/queries/zh.json";
import type { AuthoredCourse } from "./catalog.ts";

export const QUERY_LANGUAGES = ["en", "vi", "hi", "ja", "zh"] as const;
export type QueryLanguage = (typeof QUERY_LANGUAGES)[number];

const COURSES = { en, hi, ja, vi, zh };

export const QUERY_COURSES: AuthoredCourse[] = QUERY_LANGUAGES.map((language) => {
  const { name, lessons } = COURSES[language];
  return { _id: language, slug: language, name, language, chapters: [{ name, lessons }] };
});

/** The texts with the lesson that is expected first. */
export function listQueries(language: QueryLanguage): [text: string, lessonId: string][] {
  return Object.entries<string>(COURSES[language].queries);
}
