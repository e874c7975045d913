import { carpentries } from "./carpentries/carpentries.ts";
import { cartridge } from "./common-cartridge/cartridge.ts";
import { COURSE_YAML, courseYaml } from "./course-yaml/course-yaml.ts";
import { liascript } from "./liascript/liascript.ts";
import { mdbook, summary } from "./mdbook/mdbook.ts";
import { numberedFolder } from "./numbered/numbered-folder.ts";
import type { AdaptFields } from "../lesson-files/lesson-file.ts";
import { forgetSwitches, HeldPages } from "./held-pages.ts";
import type { CourseFolder, Outline, OutlineFolder, OutlineKind, UnreadCourse } from "./format.ts";
import { plain } from "./plain/plain.ts";
import { olx } from "./open-edx/olx.ts";
import { TOCTREE, toctree } from "./hugging-face/toctree.ts";

/** The kinds of outline, in the order in which they are looked for. */
export const OUTLINE_KINDS: readonly OutlineKind[] = [
  courseYaml,
  toctree,
  olx,
  cartridge,
  mdbook,
  carpentries,
  numberedFolder,
  summary,
  liascript,
  plain,
];

/** Names that only the outlines of the first kinds have. */
export const OUTLINE_NAMES: readonly string[] = [...COURSE_YAML, ...TOCTREE];

/** An outline, before it is read. */
export interface FoundOutline {
  kind: OutlineKind;
  path: string;
}

/** The first of the kinds whose outline a folder has; undefined when it has none. */
export async function findOutline(
  folder: OutlineFolder,
  kinds: readonly OutlineKind[] = OUTLINE_KINDS,
): Promise<FoundOutline | undefined> {
  for (const kind of kinds) {
    const path = await kind.find(folder);
    if (path !== undefined) return { kind, path };
  }
  return undefined;
}

/** What the outline with the chapters tells of the course where the one that describes it does not. */
const OUTLINE_META = ["language", "description"];

/**
 * Reads the outline of a course folder: the first that has chapters, with the fields of the first of all; numbers for lack of
 * another. Undefined when one is there and cannot be read; that is reported.
 */
export async function readOutline(folder: UnreadCourse): Promise<Outline | undefined> {
  const course: CourseFolder = { ...folder, readFormat: (format) => readFormat(course, format) };
  let { format } = course;
  let described: Outline | undefined;
  for (const kind of OUTLINE_KINDS) {
    if (kind !== courseYaml && format !== undefined && kind.name !== format) continue;
    // Where a course is described, what is not numbered is not meant, unless plain folders are asked for.
    if (kind === plain && described !== undefined && format === undefined) continue;
    const path = await kind.find({ ...course, isDescribed: described !== undefined });
    if (path === undefined) continue;
    const read = await kind.read(course, path);
    if (read === undefined) return undefined;
    const outline = kind === courseYaml ? read : { ...read, format: kind.name };
    described = described === undefined ? outline : describe(outline, described);
    format ??= outline.format;
    if (outline.chapters !== undefined) return holdPages(described, course);
  }
  const rest = format === "plain" ? plain : numberedFolder;
  const last = await rest.read(course, course.folder);
  return last && holdPages(described === undefined ? last : describe(last, described), course);
}

/** Formats whose pages may be held back by their front matter; that of other programs is theirs. */
const HELD_FORMATS: readonly (string | undefined)[] = [undefined, plain.name, numberedFolder.name];

function holdPages(outline: Outline, course: CourseFolder): Outline {
  const { format, adaptFields, held = new HeldPages(course) } = outline;
  if (!HELD_FORMATS.includes(format)) return outline;
  const adapt: AdaptFields = (fields, path, report) => {
    forgetSwitches(fields);
    adaptFields?.(fields, path, report);
  };
  return { ...outline, held, adaptFields: adapt };
}

// What is wrong with it is told when it is the outline.
async function readFormat(course: CourseFolder, format: string): Promise<Outline | undefined> {
  const silent = { ...course, report: () => undefined };
  for (const kind of OUTLINE_KINDS.filter(({ name }) => name === format)) {
    const path = await kind.find({ ...silent, isDescribed: true });
    if (path !== undefined) return kind.read(silent, path);
  }
  return undefined;
}

function describe(outline: Outline, { fields: described, place, dialect }: Outline): Outline {
  const fields = new Map(described);
  for (const name of OUTLINE_META) {
    const field = outline.fields.get(name);
    if (field !== undefined && fields.get(name)?.value === undefined) fields.set(name, field);
  }
  const hasTexMath = dialect.hasTexMath || outline.dialect.hasTexMath;
  return { ...outline, fields, place, dialect: { ...outline.dialect, hasTexMath } };
}
