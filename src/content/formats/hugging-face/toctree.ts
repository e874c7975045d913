// Reads the outline of Hugging Face's documentation builder: parts and sections that name files without extensions.
import { MAX_NAME } from "../../../catalog/course-tree.ts";
import type { NamedLesson } from "../../lesson-files/lesson-file.ts";
import { findText, type PlacedFields, type PlacedValue } from "../../resolve/placed-value.ts";
import { createUnknownFieldTexts } from "../../resolve/unknown-field.ts";
import { cutTexts } from "../../quote.ts";
import type { Location } from "../../source.ts";
import { findLanguageTag } from "../../../catalog/language-tags.ts";
import { DOC_BUILDER } from "./doc-builder.ts";
import { readYaml, findNamedFile } from "../read-files.ts";
import { TOP_SECTIONS, type OutlinePart, type OutlineSection } from "../outline-tree.ts";
import { findFile, nameAfterFolder, NOT_IN_OUTLINE, type CourseFolder, type Outline, type Format } from "../format.ts";

const FIELDS = ["title", "local", "local_fw", "sections"];
/** Fields that only change how the builder's own site looks. */
const SITE_FIELDS = ["isExpanded", "quiz", "subtitle"];
const UNKNOWN_FIELDS = {
  part: createUnknownFieldTexts("part", FIELDS),
  section: createUnknownFieldTexts("section", FIELDS),
};
const ENDINGS = [".mdx", ".md", ".html"];

/** The possible names of the outline file, by priority. */
export const TOCTREE = ["_toctree.yml", "_toctree.yaml"] as const;

/** The outline of Hugging Face's documentation builder. */
export const toctree: Format = {
  detect: async ({ entries }) => findFile(entries, ...TOCTREE)?.path,
  outline: readToctree,
};

async function readToctree(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const file = course.tree.toTypedPath(path);
  const parsed = await readYaml(course.tree, path, course.report);
  if (parsed === undefined) return undefined;
  if (!Array.isArray(parsed.value)) {
    const message = "_toctree.yml must be a list of parts, each with the fields title and sections";
    course.report({ kind: "wrong-value", ...parsed.place, message });
    return undefined;
  }
  const reader = new ToctreeReader(course);
  const parts: OutlinePart[] = [];
  for (const part of parsed.value) {
    const section = await reader.readPart(part);
    if (section !== undefined) parts.push(section);
  }
  const place = { file, line: 1, column: 1 };
  const fields = nameAfterFolder(course, place);
  const language = findLanguageTag(course.tree.nameOf(course.folder));
  if (language !== undefined) fields.set("language", { value: language, place });
  const unlisted = { ...NOT_IN_OUTLINE, ownFiles: reader.otherFiles };
  return { fields, place, parts, flattening: TOP_SECTIONS, dialect: DOC_BUILDER, unlisted };
}

interface ListedFile {
  name: string;
  place: Location;
  /** The framework; undefined for `local`. */
  framework?: string;
}

class ToctreeReader {
  /** The lesson files for other frameworks. */
  readonly otherFiles: string[] = [];
  readonly #course: CourseFolder;

  constructor(course: CourseFolder) {
    this.#course = course;
  }

  async readPart({ value, place }: PlacedValue): Promise<OutlineSection | undefined> {
    if (!(value instanceof Map)) {
      this.#course.report({ kind: "wrong-value", ...place, message: "a part must have the fields title and sections" });
      return undefined;
    }
    this.#reportUnknownFields(value, "part");
    const title = findText(value, "title") ?? "";
    // A part can itself be a page.
    const parts: OutlinePart[] = [];
    if (namesFile(value)) await this.#readLessons(value, title, place, parts);
    await this.#readSections(value.get("sections"), title, parts);
    const listed = value.get("sections")?.value;
    const namesLessons = namesFile(value) || (Array.isArray(listed) && listed.length > 0);
    return { fields: titleFields(value), place, parts, namesLessons };
  }

  /** Appends sections to `parts`. */
  async #readSections(sections: PlacedValue | undefined, part: string, parts: OutlinePart[]): Promise<void> {
    if (sections?.value === undefined) return;
    if (!Array.isArray(sections.value)) {
      this.#course.report({ kind: "wrong-value", ...sections.place, message: "sections: must be a list" });
      return;
    }
    for (const { value, place } of sections.value) {
      if (value instanceof Map) await this.#readSection(value, part, place, parts);
      else
        this.#course.report({
          kind: "wrong-value",
          ...place,
          message: "a section must have the fields local and title",
        });
    }
  }

  async #readSection(fields: PlacedFields, part: string, place: Location, parts: OutlinePart[]): Promise<void> {
    this.#reportUnknownFields(fields, "section");
    const nested = fields.get("sections");
    if (nested === undefined) return this.#readLessons(fields, part, place, parts);
    const [title, chapter] = cutTexts(findText(fields, "title") ?? "", part);
    const message = `the sections of "${title}" become lessons of chapter "${chapter}": chapters have one level`;
    this.#course.report({ kind: "flattened-outline", ...nested.place, message });
    const inner: OutlinePart[] = [];
    if (namesFile(fields)) await this.#readLessons(fields, part, place, inner);
    await this.#readSections(nested, part, inner);
    parts.push({ fields: titleFields(fields), place, parts: inner });
  }

  /** Appends one lesson, or one per framework, to `parts`. */
  async #readLessons(fields: PlacedFields, part: string, place: Location, parts: OutlinePart[]): Promise<void> {
    const { framework, report } = this.#course;
    const local = fields.get("local");
    const name = findText(fields, "local");
    const ofFrameworks = this.#listFrameworkFiles(fields.get("local_fw"));
    const files: ListedFile[] = [
      ...(name === undefined ? [] : [{ name, place: local?.place ?? place }]),
      ...ofFrameworks,
    ];
    const [first] = files;
    if (first === undefined) {
      const message = "local is missing: name the lesson's file without its extension";
      report({ kind: "wrong-value", ...(local?.place ?? place), message });
      return;
    }
    const shown = ofFrameworks.find((file) => file.framework === framework) ?? first;
    const known = new Set<string>();
    for (const file of files) {
      if (known.has(file.name)) continue;
      known.add(file.name);
      const lesson = await this.#findLesson(file, fields, part, place);
      const isShown = framework === undefined || file.name === shown.name;
      if (lesson?.file !== undefined && !isShown) this.otherFiles.push(lesson.file);
      else if (lesson !== undefined) parts.push(lesson);
    }
  }

  /** Lists the files of `local_fw: { pt: file, tf: file }`, in order. */
  #listFrameworkFiles(field: PlacedValue | undefined): (ListedFile & { framework: string })[] {
    if (field?.value === undefined) return [];
    const files = field.value instanceof Map ? [...field.value] : [];
    const named = files.flatMap(([framework, { value, place }]) =>
      typeof value === "string" ? [{ framework, name: value, place }] : [],
    );
    if (named.length > 0 && named.length === files.length) return named;
    const message = "local_fw must name a file for each framework, such as { pt: basics/leaves, tf: basics/leaves_tf }";
    this.#course.report({ kind: "wrong-value", ...field.place, message });
    return named;
  }

  /** Finds a lesson's file. Reports a missing file and returns undefined. */
  async #findLesson(
    { name, place, framework }: ListedFile,
    section: PlacedFields,
    part: string,
    sectionPlace: Location,
  ): Promise<NamedLesson | undefined> {
    const { tree, folder, framework: chosen, report } = this.#course;
    const named = { name, chapter: part, courseFolder: folder, folder, endings: ENDINGS, place };
    const file = await findNamedFile(tree, named, report);
    if (file === undefined) return undefined;
    // If no framework was chosen, the framework in the name tells a section's lessons apart.
    const fields = titleFields(section, chosen === undefined ? framework : undefined);
    return { file, fields, place: framework === undefined ? sectionPlace : place };
  }

  #reportUnknownFields(fields: PlacedFields, owner: "part" | "section"): void {
    for (const [field, { place }] of fields) {
      if (FIELDS.includes(field) || SITE_FIELDS.includes(field)) continue;
      const message = UNKNOWN_FIELDS[owner](field);
      this.#course.report({ kind: "unknown-field", ...place, message });
    }
  }
}

function namesFile(fields: PlacedFields): boolean {
  return fields.has("local") || fields.has("local_fw");
}

/** Returns the title as a name, followed by the framework if given. */
function titleFields(fields: PlacedFields, framework?: string): PlacedFields {
  const title = fields.get("title");
  if (title === undefined) return new Map();
  const { value } = title;
  const isTold = framework !== undefined && typeof value === "string";
  // Cut, since all files of the section repeat it, and a longer name is an error.
  return new Map([["name", isTold ? { ...title, value: `${value.slice(0, MAX_NAME + 1)} (${framework})` } : title]]);
}
