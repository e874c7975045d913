// The outline that documentation builders use: parts with sections, each section a file without its ending.
import { toLanguageTag } from "../../catalog/course-meta.ts";
import { DIALECTS } from "../lessons/dialects.ts";
import type { NamedLesson } from "../lessons/lesson-file.ts";
import { findText, type PlacedFields, type PlacedValue } from "../placed/placed-value.ts";
import { parseYaml } from "../placed/yaml-text.ts";
import { describeUnknownField } from "../placed/unknown-field.ts";
import { cutTexts } from "../quote.ts";
import type { Location } from "../source.ts";
import { findNamedFile } from "./named-file.ts";
import {
  findFile,
  nameAfterFolder,
  NOT_IN_OUTLINE,
  type CourseFolder,
  type Outline,
  type OutlineChapter,
  type OutlineKind,
} from "./outline.ts";

const FIELDS = ["title", "local", "sections"];
const ENDINGS = [".mdx", ".md", ".html"];

/** The names of the file; the first that exists is taken. */
export const TOCTREE = ["_toctree.yml", "_toctree.yaml"] as const;

/** The outline of Hugging Face's documentation builder, whose Markdown has a dialect of its own. */
export const toctree: OutlineKind = {
  sign: "a _toctree.yml",
  find: async ({ entries }) => findFile(entries, ...TOCTREE)?.path,
  read: readToctree,
  yieldsToFolders: false,
};

async function readToctree(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const text = await course.tree.readText(path, course.report);
  const file = course.tree.toTypedPath(path);
  const parsed =
    text === undefined ? undefined : parseYaml(text, { file, firstLine: 1, limits: course.tree.limits }, course.report);
  if (parsed === undefined) return undefined;
  if (!Array.isArray(parsed.value)) {
    const message = "_toctree.yml must be a list of parts, each with title and sections";
    course.report({ severity: "error", kind: "wrong-value", ...parsed.place, message });
    return undefined;
  }
  const reader = new ToctreeReader(course);
  const chapters: OutlineChapter[] = [];
  for (const part of parsed.value) {
    const chapter = await reader.readPart(part);
    if (chapter !== undefined) chapters.push(chapter);
  }
  const place = { file, line: 1, column: 1 };
  const fields = nameAfterFolder(course, place);
  const language = findFolderLanguage(course.tree.nameOf(course.folder));
  if (language !== undefined) fields.set("language", { value: language, place });
  return { fields, place, chapters, dialect: DIALECTS.docBuilder, unlisted: NOT_IN_OUTLINE };
}

const languageNames = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

// The builder has a folder for each language: `en`, `zh-CN`, `pt_br`. Three letters alone are as often a word, such as `src`.
function findFolderLanguage(name: string): string | undefined {
  const tag = /^([a-z]{2}$|[a-z]{2,3}[-_])/i.test(name) ? toLanguageTag(name.replaceAll("_", "-")) : undefined;
  return tag !== undefined && languageNames.of(tag) !== undefined ? tag : undefined;
}

class ToctreeReader {
  readonly #course: CourseFolder;

  constructor(course: CourseFolder) {
    this.#course = course;
  }

  async readPart({ value, place }: PlacedValue): Promise<OutlineChapter | undefined> {
    if (!(value instanceof Map)) {
      this.#course.report({
        severity: "error",
        kind: "wrong-value",
        ...place,
        message: "a part must have title and sections",
      });
      return undefined;
    }
    this.#reportUnknownFields(value, "part");
    const title = findText(value, "title") ?? "";
    // A part may be a page itself.
    const lessons: NamedLesson[] = [];
    if (value.has("local")) await this.#readLesson(value, title, place, lessons);
    await this.#readSections(value.get("sections"), title, lessons);
    const listed = value.get("sections")?.value;
    const namesLessons = value.has("local") || (Array.isArray(listed) && listed.length > 0);
    return { fields: titleFields(value), place, folder: undefined, lessons, namesLessons };
  }

  /** Adds the lessons to `lessons`. */
  async #readSections(sections: PlacedValue | undefined, part: string, lessons: NamedLesson[]): Promise<void> {
    if (sections?.value === undefined) return;
    if (!Array.isArray(sections.value)) {
      this.#course.report({
        severity: "error",
        kind: "wrong-value",
        ...sections.place,
        message: "sections: must be a list",
      });
      return;
    }
    for (const { value, place } of sections.value) {
      if (value instanceof Map) await this.#readSection(value, part, place, lessons);
      else
        this.#course.report({
          severity: "error",
          kind: "wrong-value",
          ...place,
          message: "a section must have local and title",
        });
    }
  }

  async #readSection(fields: PlacedFields, part: string, place: Location, lessons: NamedLesson[]): Promise<void> {
    this.#reportUnknownFields(fields, "section");
    const nested = fields.get("sections");
    if (nested === undefined) return this.#readLesson(fields, part, place, lessons);
    const [title, chapter] = cutTexts(findText(fields, "title") ?? "", part);
    const message = `the sections of "${title}" become lessons of chapter "${chapter}": chapters have one level`;
    this.#course.report({ severity: "warning", kind: "flattened-outline", ...nested.place, message });
    if (fields.has("local")) await this.#readLesson(fields, part, place, lessons);
    await this.#readSections(nested, part, lessons);
  }

  async #readLesson(fields: PlacedFields, part: string, place: Location, lessons: NamedLesson[]): Promise<void> {
    const { tree, folder, report } = this.#course;
    const local = fields.get("local");
    const name = findText(fields, "local");
    if (name === undefined) {
      report({
        severity: "error",
        kind: "wrong-value",
        ...(local?.place ?? place),
        message: "local is missing: the lesson's file without its ending",
      });
      return;
    }
    const found = await findNamedFile(tree, { name, chapter: part, courseFolder: folder, folder, endings: ENDINGS });
    if ("path" in found) lessons.push({ file: found.path, fields: titleFields(fields), place });
    else report({ severity: "error", kind: "missing-file", ...(local?.place ?? place), message: found.problem });
  }

  #reportUnknownFields(fields: PlacedFields, owner: "part" | "section"): void {
    for (const [field, { place }] of fields) {
      if (FIELDS.includes(field)) continue;
      const message = describeUnknownField(field, owner, FIELDS);
      this.#course.report({ severity: "warning", kind: "unknown-field", ...place, message });
    }
  }
}

function titleFields(fields: PlacedFields): PlacedFields {
  const title = fields.get("title");
  return new Map(title === undefined ? [] : [["name", title]]);
}
