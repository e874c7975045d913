// Creates the outline of a translation in its original's folder: the original's outline, with translated files.
import { basename } from "node:path/posix";
import { toSlug } from "../../catalog/complete-course.ts";
import { nameLanguage } from "../../catalog/language-tags.ts";
import { isIntroduction } from "../lesson-files/lesson-names.ts";
import type { NamedLesson } from "../lesson-files/lesson-file.ts";
import type { SourceTree } from "../files/source-tree.ts";
import { findText, type PlacedFields } from "../resolve/placed-value.ts";
import type { ReportFinding } from "../source.ts";
import type { CoursePlace } from "./course-languages.ts";
import type { ReadOutline } from "./format.ts";
import { toLesson } from "./numbers.ts";
import { createSection, isSection, type OutlineChapter, type OutlinePart } from "./outline-tree.ts";

/** Fields that a translation takes from its original. */
const SHARED = ["thumbnail", "published", "tags", "lessonUrl"];

/** Returns the outline of a translation: translated lessons, then lessons without an original. */
export async function translateOutline(
  outline: ReadOutline,
  place: CoursePlace,
  tree: SourceTree,
  report: ReportFinding,
): Promise<ReadOutline> {
  const { files = new Map<string, string>(), others = [], folder } = place;
  const translated = new Map<NamedLesson, NamedLesson>();
  const chapters = outline.chapters.flatMap((chapter): OutlineChapter[] => {
    const lessons = chapter.lessons.flatMap((lesson): NamedLesson[] => {
      const file = lesson.part === undefined ? files.get(lesson.file ?? "") : undefined;
      if (file === undefined) return [];
      const fields = new Map([...lesson.fields].filter(([name]) => !["name", "id", "_id"].includes(name)));
      const one = { ...toLesson(tree, file), original: lesson.file, fields };
      translated.set(lesson, one);
      return [one];
    });
    return lessons.length === 0 ? [] : [{ ...chapter, fields: withoutId(chapter.fields), lessons }];
  });
  const parts = translateParts(outline.parts ?? [], translated);
  if (others.length > 0) {
    const at = { file: tree.toTypedPath(folder) };
    const lessons = others.map((file) => toLesson(tree, file));
    const section = createSection(nameLanguage(place.language ?? ""), at, lessons);
    const { parts: _, ...chapter } = section;
    chapters.push({ ...chapter, lessons, namesLessons: true });
    parts.push(section);
  }
  const fields = await translateFields(outline, place, tree, report);
  return { ...outline, fields, parts, chapters, unlisted: undefined };
}

function translateParts(
  parts: readonly OutlinePart[],
  translated: ReadonlyMap<NamedLesson, NamedLesson>,
): OutlinePart[] {
  return parts.flatMap((part): OutlinePart[] => {
    if (!isSection(part)) {
      const one = translated.get(part);
      return one === undefined ? [] : [one];
    }
    const inside = translateParts(part.parts, translated);
    return inside.length === 0 ? [] : [{ ...part, fields: withoutId(part.fields), parts: inside }];
  });
}

function withoutId(fields: PlacedFields): PlacedFields {
  return new Map([...fields].filter(([name]) => name !== "id"));
}

async function translateFields(
  { fields, place }: ReadOutline,
  { files = new Map<string, string>(), folder, language = "" }: CoursePlace,
  tree: SourceTree,
  report: ReportFinding,
): Promise<PlacedFields> {
  const name = findText(fields, "name") ?? "";
  const slug = `${findText(fields, "slug") ?? toSlug(name)}-${language.toLowerCase()}`;
  const root = folder === "." ? "" : `${folder}/`;
  const first = [...files].find(([file]) => isIntroduction(basename(file)) && file === root + basename(file))?.[1];
  let heading = first && findHeading((await tree.readText(first, () => undefined)) ?? "");
  if (heading === undefined) {
    heading = `${name} (${nameLanguage(language)})`;
    const message = `the course in ${language} has no README with a heading: its name is "${heading}"`;
    report({ kind: "no-name", ...place, message });
  }
  const translated: PlacedFields = new Map([...fields].filter(([field]) => SHARED.includes(field)));
  for (const [field, value] of Object.entries({ name: heading, slug, language }))
    translated.set(field, { value, place });
  return translated;
}

/** Returns the first heading in Markdown, as plain text. */
function findHeading(text: string): string | undefined {
  const heading = /^#{1,6}[ \t]+([^ \t\n].{0,999}?)[ \t#]*$/m.exec(text)?.[1];
  const plain = heading?.replace(/!?\[([^\]]*)\](?:\([^)]*\))?|<[^>]*>|[*_`]/g, "$1").trim();
  return plain === "" ? undefined : plain;
}
