// Detects a course folder's format and reads its outline.
import type { AdaptFields } from "../lesson-files/lesson-file.ts";
import type { CourseFolder, Format, Outline, OutlineFolder, ReadOutline, UnreadCourse } from "./format.ts";
import { SILENT } from "../source.ts";
import { dropSwitches, HeldPages } from "./held-pages.ts";
import { flattenOutline } from "./outline-tree.ts";
import { FORMATS, type FormatEntry } from "./registry.ts";

/** A detected format before its outline is read. */
export interface DetectedFormat {
  entry: FormatEntry;
  format: Format;
  path: string;
}

/** Returns the first format that a folder matches, if any. */
export async function detectFormat(
  folder: OutlineFolder,
  entries: readonly FormatEntry[] = FORMATS,
): Promise<DetectedFormat | undefined> {
  for (const entry of entries) {
    const { holds } = entry;
    if (holds !== undefined && !folder.entries.some(({ name }) => holds.test(name))) continue;
    const format = await entry.load();
    const path = await format.detect(folder);
    if (path !== undefined) return { entry, format, path };
  }
  return undefined;
}

/** Fields taken from the outline with the chapters if the outline that describes the course lacks them. */
const OUTLINE_META = ["language", "description"];

const isDescribing = ({ describes = false }: FormatEntry): boolean => describes;
const OTHERS = (): FormatEntry[] => FORMATS.filter((entry) => !isDescribing(entry));

/**
 * Reads Lectern's own outline if it lists chapters; otherwise reads another format's outline or the numbers in names,
 * and takes the description from Lectern's own outline, if any. Reports an unreadable outline and returns undefined.
 */
export async function readOutline(folder: UnreadCourse): Promise<ReadOutline | undefined> {
  const outline = await findOutline(folder);
  return outline && { ...outline, chapters: flattenOutline(outline.parts ?? [], outline.flattening) };
}

async function findOutline(folder: UnreadCourse): Promise<Outline | undefined> {
  const course: CourseFolder = { ...folder, readFormat: (format) => readFormat(course, format) };
  const own = await detectFormat(course, FORMATS.filter(isDescribing));
  const described = own && (await own.format.outline(course, own.path));
  if (own !== undefined && described === undefined) return undefined;
  if (described?.parts !== undefined) return holdPages(described, course);
  const found = await chooseFormat(course, described);
  if (found === undefined) return undefined;
  const read = await found.format.outline(course, found.path);
  const outline = read && { ...read, format: found.entry?.name };
  return outline && holdPages(described === undefined ? outline : describe(outline, described), course);
}

/** `entry` is absent for the numbered fallback. */
type ChosenFormat = Pick<DetectedFormat, "format" | "path"> & { entry?: FormatEntry };

/** Returns a folder's format. If the published format no longer matches, reports that and returns undefined. */
async function chooseFormat(course: CourseFolder, described: Outline | undefined): Promise<ChosenFormat | undefined> {
  const wanted = course.format ?? described?.format;
  const folder: OutlineFolder = described === undefined ? course : { ...course, need: "any" };
  // A described course is not read as plain Markdown unless that format is requested.
  const isMeant = ({ name, claim }: FormatEntry): boolean =>
    wanted === undefined ? described === undefined || claim !== "rest" : name === wanted;
  const found = await detectFormat(folder, OTHERS().filter(isMeant));
  if (found === undefined) {
    const rest = OTHERS().findLast(({ name, claim }) => claim === "numbers" || (claim === "rest" && name === wanted));
    return rest && { format: await rest.load(), path: course.folder };
  }
  if (wanted !== undefined) return found;
  if (course.publishedFormat !== undefined && course.publishedFormat !== found.entry.name)
    return keepFormat(course, found);
  await reportSecond(course, found);
  return found;
}

// Keeps the published format of a course: a newly supported format would change the ids of its lessons.
async function keepFormat(course: CourseFolder, found: DetectedFormat): Promise<DetectedFormat | undefined> {
  const { publishedFormat: shown = "", tree, folder, report } = course;
  const { name, sign } = found.entry;
  const place = { file: tree.toTypedPath(folder) };
  const kept = await detectFormat(
    { ...course, need: "one" },
    OTHERS().filter((entry) => entry.name === shown),
  );
  if (kept === undefined) {
    const message = `is published as ${shown}, but the folder no longer has that format; it now contains ${sign}: --format ${name} publishes it as ${name}`;
    report({ kind: "changed-format", ...place, message });
    return undefined;
  }
  const message = `is read as ${shown}, the format in which it was published, although it also contains ${sign}: --format ${name} reads it as ${name}`;
  report({ kind: "other-format", ...place, message });
  return kept;
}

async function reportSecond(course: CourseFolder, { entry: { name: first } }: DetectedFormat): Promise<void> {
  const isOther = ({ name, claim }: FormatEntry): boolean =>
    name !== first && (claim === "outline" || claim === "weak");
  const second = await detectFormat(course, OTHERS().filter(isOther));
  if (second === undefined) return;
  const { name, sign } = second.entry;
  const message = `is read as ${first}; it also contains ${sign}: --format ${name} reads it as ${name}`;
  course.report({ kind: "other-format", file: course.tree.toTypedPath(course.folder), message });
}

// Only Lectern's own formats hold pages back; other programs have their own rules.
function holdPages(outline: Outline, course: CourseFolder): Outline {
  const { format, adaptFields, held = new HeldPages(course) } = outline;
  const isJudged = FORMATS.some(({ name, holdsPages }) => name === format && holdsPages);
  if (format !== undefined && !isJudged) return outline;
  const adapt: AdaptFields = (fields, path, report) => {
    dropSwitches(fields);
    adaptFields?.(fields, path, report);
  };
  return { ...outline, held, adaptFields: adapt };
}

// Reports nothing: problems are reported when the folder is read as the course's outline.
async function readFormat(course: CourseFolder, format: string): Promise<Outline | undefined> {
  const silent: CourseFolder = { ...course, need: "any", report: SILENT };
  const found = await detectFormat(
    silent,
    FORMATS.filter(({ name }) => name === format),
  );
  return found?.format.outline(silent, found.path);
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
