// Fields that nothing reads: most are misspelt, or have another name elsewhere.
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

/** A longer name is compared with none: no field has so many letters. */
const MAX_COMPARED = 30;

/** What to tell about a field that `owner` does not have; `known` are those it has. The same for each field of the name. */
export function describeUnknownField(field: string, owner: FieldOwner, known: Iterable<string>): string {
  const meant = findMeantField(field, [...known]);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `unknown field ${cutText(field)} of a ${owner} is ignored${hint}`;
}

function findMeantField(field: string, known: readonly string[]): string | undefined {
  if (field.length > MAX_COMPARED) return undefined;
  const other = OTHER_NAMES.get(field.toLowerCase());
  if (other !== undefined && known.includes(other)) return other;
  const written = toCompared(field);
  // Short names are alike by chance.
  const most = written.length < 4 ? 1 : 2;
  let nearest: { name: string; distance: number } | undefined;
  for (const name of known) {
    const compared = toCompared(name);
    if (Math.abs(compared.length - written.length) > most) continue;
    const distance = measureDistance(written, compared);
    if (distance <= most && distance < (nearest?.distance ?? written.length - 1)) nearest = { name, distance };
  }
  return nearest?.name;
}

// created_at and createdAt are one name to an author.
function toCompared(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, "");
}

/** How many letters are to be added, left out, replaced, or swapped with the next one. */
function measureDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
