// The outline that documentation builders use: parts with sections, each section a file without its ending.
import { findNamedFile } from "./named-file.ts";
import type { CourseFolder, OutlineChapter, OutlineLesson } from "./outline.ts";
import { findText, type PlacedFields, type PlacedValue } from "./placed-value.ts";
import type { Location } from "./source.ts";
import { parseYaml } from "./yaml-text.ts";

const ENDINGS = [".mdx", ".md", ".html"];

/** Reads the chapters of a _toctree.yml. Undefined when it cannot be read as one; that is reported. */
export async function readToctree(course: CourseFolder, path: string): Promise<OutlineChapter[] | undefined> {
  const text = await course.root.readText(path, course.report);
  const file = course.root.toTypedPath(path);
  const parsed = text === undefined ? undefined : parseYaml(text, file, 1, course.report);
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
    const own = value.has("local") ? await this.readLesson(value, title, place) : undefined;
    const sections = await this.readSections(value.get("sections"), title);
    const lessons = own === undefined ? sections : [own, ...sections];
    const listed = value.get("sections")?.value;
    const namesLessons = value.has("local") || (Array.isArray(listed) && listed.length > 0);
    return { fields: nameFields(value), place, folder: undefined, lessons, namesLessons };
  }

  reportUnknownFields(): void {
    for (const [field, { place, count }] of this.unknownFields) {
      const times = count === 1 ? "" : ` (${count} times in this file)`;
      this.course.report({ severity: "warning", ...place, message: `unknown field ${field} is ignored${times}` });
    }
  }

  private async readSections(sections: PlacedValue | undefined, part: string): Promise<OutlineLesson[]> {
    if (sections?.value === undefined) return [];
    if (!Array.isArray(sections.value)) {
      this.course.report({ severity: "error", ...sections.place, message: "sections: must be a list" });
      return [];
    }
    const lessons: OutlineLesson[] = [];
    for (const { value, place } of sections.value) {
      if (value instanceof Map) lessons.push(...(await this.readSection(value, part, place)));
      else this.course.report({ severity: "error", ...place, message: "a section must have local and title" });
    }
    return lessons;
  }

  private async readSection(fields: PlacedFields, part: string, place: Location): Promise<OutlineLesson[]> {
    this.noteUnknownFields(fields, ["title", "local", "sections"]);
    const nested = fields.get("sections");
    if (nested === undefined) {
      const lesson = await this.readLesson(fields, part, place);
      return lesson === undefined ? [] : [lesson];
    }
    const message = `the sections of "${findText(fields, "title") ?? ""}" become lessons of chapter "${part}": chapters have one level`;
    this.course.report({ severity: "warning", ...nested.place, message });
    const own = fields.has("local") ? await this.readLesson(fields, part, place) : undefined;
    const inner = await this.readSections(nested, part);
    return own === undefined ? inner : [own, ...inner];
  }

  private async readLesson(fields: PlacedFields, part: string, place: Location): Promise<OutlineLesson | undefined> {
    const { root, folder, report } = this.course;
    const local = fields.get("local");
    const name = findText(fields, "local");
    if (name === undefined) {
      report({
        severity: "error",
        ...(local?.place ?? place),
        message: "local is missing: the lesson's file without its ending",
      });
      return undefined;
    }
    const found = await findNamedFile(root, { name, courseFolder: folder, folder, endings: ENDINGS });
    if ("path" in found) return { file: found.path, fields: nameFields(fields), place };
    const message = `chapter "${part}" names lesson "${name}", ${found.problem}`;
    report({ severity: "error", ...(local?.place ?? place), message });
    return undefined;
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
