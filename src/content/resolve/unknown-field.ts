// Describes unknown fields, most of which are misspelled or named as in another system.
import { findNearestName } from "../../catalog/nearest-name.ts";
import { cutText } from "../quote.ts";

/** The part of a course that contains a field, as messages name it. */
export type FieldOwner = "course" | "chapter" | "lesson" | "part" | "section";

/** Maps names from other systems to Lectern's field names. A name is suggested only if the owner has that field. */
const OTHER_NAMES = new Map(
  Object.entries({
    title: "name",
    video: "url",
    videourl: "url",
    quiz: "quizHtml",
    image: "thumbnail",
    cover: "thumbnail",
    text: "additionalText",
    content: "additionalText",
    html: "additionalText",
    draft: "published",
    modules: "chapters",
    pages: "lessons",
    path: "file",
  }),
);

/** The maximum number of cached descriptions. A cache helps because unknown fields often recur in every lesson. */
const MAX_KEPT = 1000;
const MAX_KEPT_CHARACTERS = 100;

/** Describes a field that does not exist in its owner. */
export type DescribeUnknownField = (field: string) => string;

/** Creates a function that describes fields other than the `known` ones, and caches the descriptions. */
export function createUnknownFieldTexts(owner: FieldOwner, known: readonly string[]): DescribeUnknownField {
  const kept = new Map<string, string>();
  return (field) => {
    const text = kept.get(field) ?? describeUnknownField(field, owner, known);
    if (kept.size < MAX_KEPT && field.length <= MAX_KEPT_CHARACTERS) kept.set(field, text);
    return text;
  };
}

function describeUnknownField(field: string, owner: FieldOwner, known: readonly string[]): string {
  const meant = findMeantField(field, known);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `unknown field ${cutText(field)} of a ${owner} is ignored${hint}`;
}

function findMeantField(field: string, known: readonly string[]): string | undefined {
  const other = OTHER_NAMES.get(field.toLowerCase());
  if (other !== undefined && known.includes(other)) return other;
  return findNearestName(field, known);
}
