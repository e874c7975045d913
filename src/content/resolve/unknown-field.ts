// Fields that nothing reads: most are misspelt, or have another name elsewhere.
import { findNearestName } from "../../catalog/nearest-name.ts";
import { cutText } from "../quote.ts";

/** What a field is of, for people. */
export type FieldOwner = "course" | "chapter" | "lesson" | "part" | "section";

/** What other builders call a field; it counts where the owner has the field that is meant. */
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

/** Texts that are remembered: most fields that nobody reads stand in every lesson. */
const MAX_KEPT = 1000;
const MAX_KEPT_CHARACTERS = 100;

/** What to tell about a field that its owner does not have. */
export type DescribeUnknownField = (field: string) => string;

/** Makes what describes fields that an owner with the fields `known` does not have. It remembers a thousand of its answers. */
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
