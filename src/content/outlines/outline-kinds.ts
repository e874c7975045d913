import { COURSE_YAML, courseYaml } from "./course-yaml.ts";
import { liascript } from "./liascript.ts";
import { mdbook } from "./mdbook.ts";
import { numberedFolder } from "./numbered-folder.ts";
import type { CourseFolder, Outline, OutlineFolder, OutlineKind } from "./outline.ts";
import { TOCTREE, toctree } from "./toctree.ts";

/** The kinds of outline, in the order in which they are looked for. */
export const OUTLINE_KINDS: readonly OutlineKind[] = [courseYaml, toctree, numberedFolder, mdbook, liascript];

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
export async function readOutline(course: CourseFolder): Promise<Outline | undefined> {
  let described: Outline | undefined;
  for (const kind of OUTLINE_KINDS) {
    const path = await kind.find({ ...course, isDescribed: described !== undefined });
    if (path === undefined) continue;
    const outline = await kind.read(course, path);
    if (outline === undefined) return undefined;
    described = described === undefined ? outline : describe(outline, described);
    if (outline.chapters !== undefined) return described;
  }
  const numbered = await numberedFolder.read(course, course.folder);
  return numbered && (described === undefined ? numbered : describe(numbered, described));
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
