// The outline that documentation builders use: parts with sections, each section a file without its ending.
import { findNamedFile } from "./named-file.ts";
import type { CourseFolder, OutlineChapter, OutlineLesson } from "./outline.ts";
import { findText, type PlacedFields, type PlacedValue } from "../placed/placed-value.ts";
import { cutText, cutTexts } from "../quote.ts";
import type { Location } from "../source.ts";
import { parseYaml } from "../placed/yaml-text.ts";

const ENDINGS = [".mdx", ".md", ".html"];

/** Reads the chapters of a _toctree.yml. Undefined when it cannot be read as one; that is reported. */
export async function readToctree(course: CourseFolder, path: string): Promise<OutlineChapter[] | undefined> {
  const text = await course.tree.readText(path, course.report);
  const file = course.tree.toTypedPath(path);
  const parsed =
    text === undefined ? undefined : parseYaml(text, { file, firstLine: 1, limits: course.tree.limits }, course.report);
  if (parsed === undefined) return undefined;
  if (!Array.isArray(parsed.value)) {
    const message = "_toctree.yml must be a list of parts, each with title and sections";
    course.report({ severity: "error", ...parsed.place, message });
    return undefined;
  }
  const reader = new ToctreeReader(course);
  const chapters: OutlineChapter[] = [];
  for (const part of parsed.value) {
    const chapter = await reader.readPart(part);
    if (chapter !== undefined) chapters.push(chapter);
  }
  reader.reportUnknownFields();
  return chapters;
}

class ToctreeReader {
  private readonly unknownFields = new Map<string, { place: Location; count: number }>();

  constructor(private readonly course: CourseFolder) {}

  async readPart({ value, place }: PlacedValue): Promise<OutlineChapter | undefined> {
    if (!(value instanceof Map)) {
      this.course.report({ severity: "error", ...place, message: "a part must have title and sections" });
      return undefined;
    }
    this.noteUnknownFields(value, ["title", "sections", "local"]);
    const title = findText(value, "title") ?? "";
    // A part may be a page itself.
    const lessons: OutlineLesson[] = [];
    if (value.has("local")) await this.readLesson(value, title, place, lessons);
    await this.readSections(value.get("sections"), title, lessons);
    const listed = value.get("sections")?.value;
    const namesLessons = value.has("local") || (Array.isArray(listed) && listed.length > 0);
    return { fields: nameFields(value), place, folder: undefined, lessons, namesLessons };
  }

  reportUnknownFields(): void {
    for (const [field, { place, count }] of this.unknownFields) {
      const times = count === 1 ? "" : ` (${count} times in this file)`;
      this.course.report({
        severity: "warning",
        ...place,
        message: `unknown field ${cutText(field)} is ignored${times}`,
      });
    }
  }

  /** Adds the lessons to `lessons`. */
  private async readSections(sections: PlacedValue | undefined, part: string, lessons: OutlineLesson[]): Promise<void> {
    if (sections?.value === undefined) return;
    if (!Array.isArray(sections.value)) {
      this.course.report({ severity: "error", ...sections.place, message: "sections: must be a list" });
      return;
    }
    for (const { value, place } of sections.value) {
      if (value instanceof Map) await this.readSection(value, part, place, lessons);
      else this.course.report({ severity: "error", ...place, message: "a section must have local and title" });
    }
  }

  private async readSection(
    fields: PlacedFields,
    part: string,
    place: Location,
    lessons: OutlineLesson[],
  ): Promise<void> {
    this.noteUnknownFields(fields, ["title", "local", "sections"]);
    const nested = fields.get("sections");
    if (nested === undefined) return this.readLesson(fields, part, place, lessons);
    const [title, chapter] = cutTexts(findText(fields, "title") ?? "", part);
    const message = `the sections of "${title}" become lessons of chapter "${chapter}": chapters have one level`;
    this.course.report({ severity: "warning", ...nested.place, message });
    if (fields.has("local")) await this.readLesson(fields, part, place, lessons);
    await this.readSections(nested, part, lessons);
  }

  private async readLesson(
    fields: PlacedFields,
    part: string,
    place: Location,
    lessons: OutlineLesson[],
  ): Promise<void> {
    const { tree, folder, report } = this.course;
    const local = fields.get("local");
    const name = findText(fields, "local");
    if (name === undefined) {
      report({
        severity: "error",
        ...(local?.place ?? place),
        message: "local is missing: the lesson's file without its ending",
      });
      return;
    }
    const found = await findNamedFile(tree, { name, chapter: part, courseFolder: folder, folder, endings: ENDINGS });
    if ("path" in found) lessons.push({ file: found.path, fields: nameFields(fields), place });
    else report({ severity: "error", ...(local?.place ?? place), message: found.problem });
  }

  private noteUnknownFields(fields: PlacedFields, known: string[]): void {
    for (const [field, { place }] of fields) {
      if (known.includes(field)) continue;
      const noted = this.unknownFields.get(field);
      if (noted === undefined) this.unknownFields.set(field, { place, count: 1 });
      else noted.count++;
    }
  }
}

function nameFields(fields: PlacedFields): PlacedFields {
  const title = fields.get("title");
  return new Map(title === undefined ? [] : [["name", title]]);
}
