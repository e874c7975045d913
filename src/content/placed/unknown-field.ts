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

/** What to tell about a field that `owner` does not have; `known` are those it has. The same for each field of the name. */
export function describeUnknownField(field: string, owner: FieldOwner, known: Iterable<string>): string {
  const meant = findMeantField(field, [...known]);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `unknown field ${cutText(field)} of a ${owner} is ignored${hint}`;
}

function findMeantField(field: string, known: readonly string[]): string | undefined {
  const other = OTHER_NAMES.get(field.toLowerCase());
  if (other !== undefined && known.includes(other)) return other;
  return findNearestName(field, known);
}
