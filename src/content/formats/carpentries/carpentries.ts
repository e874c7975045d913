// Reads lessons of The Carpentries in the Workbench layout: https://carpentries.github.io/sandpaper-docs/
import { join } from "node:path/posix";
import { createCarpentriesText, readCarpentriesFields, toCarpentriesDialect } from "./carpentries-text.ts";
import type { SourceEntry } from "../../files/source-tree.ts";
import type { NamedLesson } from "../../lesson-files/lesson-file.ts";
import { isErrorPage, isLessonFile } from "../../lesson-files/lesson-names.ts";
import { findText, type PlacedFields, type PlacedValue } from "../../resolve/placed-value.ts";
import { SILENT, type ReportFinding } from "../../source.ts";
import { toLessons } from "../numbers.ts";
import { readYaml, findNamedFile } from "../read-files.ts";
import { TOP_SECTIONS, type OutlineSection } from "../outline-tree.ts";
import { findFile, nameAfterFolder, nameFields, type CourseFolder, type Outline, type Format } from "../format.ts";

const CONFIG = ["config.yaml", "config.yml"] as const;

/** Folders that become chapters. */
const PARTS = [
  { folder: "episodes", name: "Episodes", isForInstructors: false },
  { folder: "learners", name: "For learners", isForInstructors: false },
  { folder: "instructors", name: "For instructors", isForInstructors: true },
  { folder: "profiles", name: "Learner profiles", isForInstructors: true },
] as const;

/** Detects a config.yaml (or config.yml) with the field `carpentry` beside a folder named episodes. */
export const carpentries: Format = {
  async detect({ tree, entries }) {
    const config = findFile(entries, ...CONFIG);
    if (config === undefined || !entries.some(({ name, isFolder }) => isFolder && name === "episodes"))
      return undefined;
    const text = await tree.readText(config.path, () => undefined);
    return text !== undefined && /^carpentry[ \t]*:/m.test(text) ? config.path : undefined;
  },
  outline: readLessonFolder,
};

async function readLessonFolder(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const { tree, folder, report, withInstructors } = course;
  const file = tree.toTypedPath(path);
  const parsed = await readYaml(tree, path, report);
  if (parsed === undefined) return undefined;
  if (!(parsed.value instanceof Map)) {
    const message = "config.yaml must contain fields such as carpentry: incubator";
    report({ kind: "wrong-value", ...parsed.place, message });
    return undefined;
  }
  const config = parsed.value;
  const parts: OutlineSection[] = [];
  for (const part of PARTS) {
    if (part.isForInstructors && !withInstructors) await noteLeftOut(course, part.folder);
    else parts.push(await readPart(course, part, config));
  }
  return {
    fields: toCourseFields(config, course, file),
    place: { file, line: 1 },
    parts: parts.filter(({ namesLessons }) => namesLessons),
    flattening: TOP_SECTIONS,
    dialect: toCarpentriesDialect(withInstructors),
    prepare: await createCarpentriesText(tree, folder, report),
    adaptFields: readCarpentriesFields,
    linkFolders: [folder, ...PARTS.map((part) => join(folder, part.folder))],
    unlisted: {
      folders: PARTS.filter(({ isForInstructors }) => withInstructors || !isForInstructors).map((part) =>
        join(folder, part.folder),
      ),
      isCounted: true,
      allowsIntroduction: false,
      message: "not in config.yaml",
    },
  };
}

function toCourseFields(config: PlacedFields, course: CourseFolder, file: string): PlacedFields {
  const fields = nameAfterFolder(course, { file, line: 1 });
  const take = (from: string, to: string): void => {
    const field = config.get(from);
    if (field !== undefined && findText(config, from)?.trim()) fields.set(to, field);
  };
  take("title", "name");
  take("created", "createdAt");
  take("lang", "language");
  const keywords = config.get("keywords");
  const words = (findText(config, "keywords") ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (keywords !== undefined && words.length > 0) {
    const { place } = keywords;
    fields.set("tags", { value: words.map((value) => ({ value, place })), place });
  }
  return fields;
}

/** Reads one of PARTS. Like the Workbench, groups the home page with the learners' pages. */
async function readPart(
  course: CourseFolder,
  { folder, name }: (typeof PARTS)[number],
  config: PlacedFields,
): Promise<OutlineSection> {
  const { tree } = course;
  const path = join(course.folder, folder);
  const place = config.get(folder)?.place ?? { file: tree.toTypedPath(path) };
  const isHome = ({ name: file, isFolder }: SourceEntry): boolean => !isFolder && /^index\.r?md$/i.test(file);
  const home = folder === "learners" ? course.entries.find(isHome) : undefined;
  const lessons = home === undefined ? [] : toLessons(tree, [home]);
  const listed = config.get(folder);
  if (Array.isArray(listed?.value)) lessons.push(...(await findListed(course, path, name, listed.value)));
  else lessons.push(...(await listPages(course, path, course.report)));
  return {
    fields: nameFields(name, place),
    place,
    folder: path,
    parts: lessons,
    namesLessons: lessons.length > 0 || Array.isArray(listed?.value),
  };
}

async function findListed(
  { tree, folder, report }: CourseFolder,
  path: string,
  chapter: string,
  listed: PlacedValue[],
): Promise<NamedLesson[]> {
  const lessons: NamedLesson[] = [];
  for (const { value, place } of listed) {
    if (typeof value !== "string") {
      const message = "each listed page must be a file name, such as introduction.md";
      report({ kind: "wrong-value", ...place, message });
      continue;
    }
    const file = { name: value, chapter, courseFolder: folder, folder: path, endings: [".md", ".rmd"], place };
    const found = await findNamedFile(tree, file, report);
    if (found !== undefined) lessons.push({ file: found, fields: new Map(), place });
  }
  return lessons;
}

async function listPages({ tree }: CourseFolder, path: string, report: ReportFinding): Promise<NamedLesson[]> {
  if ((await tree.find(path)) !== "folder") return [];
  const entries = await tree.list(path, report);
  return toLessons(
    tree,
    entries.filter(({ name, isFolder }) => !isFolder && isLessonFile(name) && !isErrorPage(name)),
  );
}

async function noteLeftOut(course: CourseFolder, folder: string): Promise<void> {
  const path = join(course.folder, folder);
  const { length } = await listPages(course, path, SILENT);
  if (length === 0) return;
  course.report({
    kind: "counted",
    file: course.tree.toTypedPath(path),
    message: "is for instructors; --with-instructors includes it",
    tally: [{ what: "page for instructors", plural: "pages for instructors", count: length, isKept: false }],
  });
}
