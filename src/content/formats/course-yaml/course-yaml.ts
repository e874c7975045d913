import { join } from "node:path/posix";
import { isAbsolute } from "../../files/absolute-path.ts";
import { findSourcePath, type NamedLesson } from "../../lesson-files/lesson-file.ts";
import { LESSON_ENDINGS } from "../../lesson-files/lesson-formats.ts";
import { findText, toBoolean, type PlacedFields, type PlacedValue } from "../../resolve/placed-value.ts";
import { cutText, cutTexts } from "../../quote.ts";
import type { Location } from "../../source.ts";
import { listFormatNames } from "../registry.ts";
import { readYaml, findNamedFile } from "../read-files.ts";
import { readSiteMarkdown } from "../mkdocs-site.ts";
import { listLessons, TOP_SECTIONS, type OutlineSection } from "../outline-tree.ts";
import { listNumberedLessons } from "../numbers.ts";
import { findFile, NOT_IN_OUTLINE, type CourseFolder, type Outline, type Format } from "../format.ts";

/** The possible names of the outline file, by priority. */
const COURSE_YAML = ["course.yaml", "course.yml"] as const;

/** Lectern's own outline. Without `chapters`, the file only describes the course. */
export const courseYaml: Format = {
  detect: async ({ entries }) => findFile(entries, ...COURSE_YAML)?.path,
  outline: readCourseYaml,
};

async function readCourseYaml(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const file = course.tree.toTypedPath(path);
  const parsed = await readYaml(course.tree, path, course.report);
  if (parsed === undefined) return undefined;
  const { value = new Map(), place } = parsed;
  if (!(value instanceof Map)) {
    course.report({ kind: "wrong-value", ...place, message: "course.yaml must contain fields such as name: Title" });
    return undefined;
  }
  const fields = readCourseFields(value, course);
  const hasTexMath = consumeMath(fields, course);
  const { format, base } = await consumeFormat(fields, course);
  const list = value.get("chapters");
  fields.delete("chapters");
  const parts = list?.value === undefined ? undefined : await readChapters({ ...course, parts: listParts(base) }, list);
  const { adaptFields, linkFolders, redirects, unlisted } = base ?? {};
  const { dialect, prepare } = base ?? (await readSiteMarkdown(course.tree, course.folder));
  return {
    fields,
    place: { file, line: 1, column: 1 },
    parts,
    flattening: TOP_SECTIONS,
    format,
    dialect: { ...dialect, hasTexMath: hasTexMath || dialect.hasTexMath },
    prepare,
    adaptFields,
    linkFolders,
    redirects,
    unlisted: { ...NOT_IN_OUTLINE, folders: unlisted?.folders, ownFiles: unlisted?.ownFiles },
  };
}

/** A course with those of its lessons that are parts of files, by source path. */
type YamlCourse = CourseFolder & { parts: ReadonlyMap<string, NamedLesson> };

function listParts(base: Outline | undefined): Map<string, NamedLesson> {
  const lessons = listLessons(base?.parts ?? []).filter(({ part }) => part !== undefined);
  return new Map(lessons.map((lesson) => [findSourcePath(lesson) ?? "", lesson]));
}

/** Consumes the author's `format` field and reads the folder in that format. */
async function consumeFormat(
  fields: PlacedFields,
  course: CourseFolder,
): Promise<{ format: string | undefined; base: Outline | undefined }> {
  const field = fields.get("format");
  fields.delete("format");
  if (field?.value === undefined) return { format: undefined, base: undefined };
  const names = listFormatNames();
  const format = names.find((name) => name === field.value);
  const base = format === undefined ? undefined : await course.readFormat(format);
  if (base === undefined) {
    const message =
      format === undefined
        ? `format: must be one of ${names.join(", ")}`
        : `format: the folder cannot be read as ${format}`;
    course.report({ kind: "wrong-value", ...field.place, message });
  }
  return { format, base };
}

function readCourseFields(written: PlacedFields, { report }: CourseFolder): PlacedFields {
  const fields: PlacedFields = new Map(written);
  // In the interface, a course's id is named _id, but authors write id, as for other ids.
  const id = fields.get("id");
  if (id !== undefined && !fields.has("_id")) {
    fields.delete("id");
    fields.set("_id", id);
  }
  const published = fields.get("published");
  const isPublished = published && toBoolean(published);
  if (published !== undefined && isPublished !== undefined) {
    fields.set("published", { value: isPublished, place: published.place });
  } else if (published?.value !== undefined) {
    report({ kind: "wrong-value", ...published.place, message: "published: must be true or false" });
    fields.delete("published");
  }
  return fields;
}

/** Consumes the `math` field; returns true for `math: tex`. */
function consumeMath(fields: PlacedFields, { report }: CourseFolder): boolean {
  const math = fields.get("math");
  fields.delete("math");
  if (math?.value === undefined || math.value === "tex") return math?.value === "tex";
  const message = "math: must be tex or absent; without it, only $$…$$, \\\\(…\\\\) and \\\\[…\\\\] are formulas";
  report({ kind: "wrong-value", ...math.place, message });
  return false;
}

async function readChapters(course: YamlCourse, { value, place }: PlacedValue): Promise<OutlineSection[]> {
  if (!Array.isArray(value)) {
    course.report({ kind: "wrong-value", ...place, message: "chapters: must be a list" });
    return [];
  }
  const chapters: OutlineSection[] = [];
  const listed: ListedFolders = new Map();
  for (const entry of value) {
    if (entry.value instanceof Map) chapters.push(await readChapter(course, entry.value, entry.place, listed));
    else
      course.report({ kind: "wrong-value", ...entry.place, message: "a chapter must have fields such as name: Title" });
  }
  return forgetSharedFolders(chapters);
}

// Drops folders that several chapters share: a chapter's id is generated from its folder and must be unique.
function forgetSharedFolders(chapters: OutlineSection[]): OutlineSection[] {
  const uses = new Map<string | undefined, number>();
  for (const { folder } of chapters) uses.set(folder, (uses.get(folder) ?? 0) + 1);
  return chapters.map((chapter) => ((uses.get(chapter.folder) ?? 0) > 1 ? { ...chapter, folder: undefined } : chapter));
}

/** The lessons of each folder that a chapter names without a list of lessons. */
type ListedFolders = Map<string, NamedLesson[]>;

async function readChapter(
  course: YamlCourse,
  written: PlacedFields,
  place: Location,
  listed: ListedFolders,
): Promise<OutlineSection> {
  const fields: PlacedFields = new Map(written);
  const folderField = fields.get("folder");
  const lessonsField = fields.get("lessons");
  fields.delete("folder");
  fields.delete("lessons");

  const folder = folderField?.value === undefined ? undefined : await findChapterFolder(course, folderField, fields);
  const chapter: OutlineSection = { fields, place, folder: folder ?? undefined, parts: [], namesLessons: true };
  // Stops at a missing folder: otherwise, each lesson in it would be reported as missing, too.
  if (folder === null) return chapter;
  if (lessonsField?.value === undefined) {
    if (folder !== undefined) chapter.parts = await listOwnLessons(course, chapter, folder, listed);
    chapter.namesLessons = folder !== undefined && listed.get(folder)?.length !== 0;
  } else if (Array.isArray(lessonsField.value)) {
    chapter.namesLessons = lessonsField.value.length > 0;
    for (const entry of lessonsField.value) {
      const lesson = await readLessonEntry(course, chapter, entry);
      if (lesson !== undefined) chapter.parts.push(lesson);
    }
  } else {
    course.report({ kind: "wrong-value", ...lessonsField.place, message: "lessons: must be a list" });
  }
  return chapter;
}

// If an earlier chapter already has the folder's lessons, reports one error instead of one per lesson.
async function listOwnLessons(
  { tree, report }: CourseFolder,
  { fields, place }: OutlineSection,
  folder: string,
  listed: ListedFolders,
): Promise<NamedLesson[]> {
  const known = listed.get(folder);
  const lessons = known ?? (await listNumberedLessons(tree, folder, report));
  listed.set(folder, lessons);
  if (known === undefined || known.length === 0) return lessons;
  const name = cutText(findText(fields, "name") ?? "");
  const message = `the lessons of folder ${folder} belong to an earlier chapter; chapter "${name}" must list its own lessons`;
  report({ kind: "clash", ...place, message });
  return [];
}

/** Finds a chapter's folder. Reports a missing folder and returns null. */
async function findChapterFolder(
  { tree, folder, report }: CourseFolder,
  { value, place }: PlacedValue,
  chapter: PlacedFields,
): Promise<string | null> {
  const name = typeof value === "string" ? value : "";
  const path = join(folder, name).replace(/(?<=.)\/$/, "");
  const found = isAbsolute(name) ? "absolute" : await tree.find(path);
  if (found === "folder" && name !== "") return path;
  const [shownChapter, shownName] = cutTexts(findText(chapter, "name") ?? "", name);
  const intro = `chapter "${shownChapter}" names folder "${shownName}",`;
  const problem =
    found === "absolute"
      ? "but the path is absolute; write it relative to the course's folder"
      : found === "outside"
        ? "which is outside the source folder and is skipped"
        : found === "hidden"
          ? "which is hidden or ignored, and is left out"
          : "but there is no such folder";
  report({ kind: found === "hidden" ? "missing-part" : "missing-file", ...place, message: `${intro} ${problem}` });
  return null;
}

/** Reads an entry of `lessons`. Reports an invalid entry and returns undefined. */
async function readLessonEntry(
  course: YamlCourse,
  chapter: OutlineSection,
  { value, place }: PlacedValue,
): Promise<NamedLesson | undefined> {
  const fields: PlacedFields = value instanceof Map ? new Map(value) : new Map();
  const fileField = value instanceof Map ? fields.get("file") : { value, place };
  fields.delete("file");
  const name = fileField?.value;
  if (name === undefined && value instanceof Map) return { file: undefined, fields, place };
  if (typeof name !== "string") {
    const message = "a lesson must be a file name or have fields such as name: Title";
    course.report({ kind: "wrong-value", ...(fileField?.place ?? place), message });
    return undefined;
  }
  const part = course.parts.get(join(chapter.folder ?? course.folder, name));
  if (part !== undefined) return { ...part, fields: new Map([...part.fields, ...fields]), place };
  const named = {
    name,
    chapter: findText(chapter.fields, "name") ?? "",
    courseFolder: course.folder,
    folder: chapter.folder ?? course.folder,
    endings: LESSON_ENDINGS,
    place: fileField?.place ?? place,
  };
  const file = await findNamedFile(course.tree, named, course.report);
  return file === undefined ? undefined : { file, fields, place };
}
