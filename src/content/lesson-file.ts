// One lesson: its file and its outline become the fields of the authoring form.
import { basename, dirname } from "node:path/posix";
import { splitFrontMatter } from "./front-matter.ts";
import { renderBody } from "./lesson-body.ts";
import { isIntroduction, toTitle } from "./lesson-names.ts";
import type { LinkTargets } from "./link-targets.ts";
import { isRelativeUrl, resolveLinks, resolveUrl, toFolderUrl, type RelativeLink } from "./links.ts";
import type { OutlineLesson } from "./outline.ts";
import type { PlacedPart } from "./placed-course.ts";
import { findText, type PlacedFields } from "./placed-value.ts";
import type { Location, Report } from "./source.ts";
import { isScriptUrl, listScripts, SCRIPT_URL_MESSAGE } from "./scripts.ts";
import type { SourceRoot } from "./source-root.ts";

/** What reading a lesson needs to know about its course. */
export interface LessonContext {
  root: SourceRoot;
  courseFolder: string;
  assetBase: URL | undefined;
  targets: LinkTargets;
  /** Reports what would run scripts. */
  reportsScripts: boolean;
  report: Report;
}

interface Content {
  html: string;
  fields: PlacedFields;
  /** Undefined where the text gives none. */
  title: string | undefined;
  videoUrl: string | undefined;
  place: Location;
}

/** Reads a lesson. Undefined when its file cannot be read; that is reported. */
export async function readLesson(lesson: OutlineLesson, context: LessonContext): Promise<PlacedPart | undefined> {
  const { file } = lesson;
  const content = file === undefined ? undefined : await readContent(file, lesson, context);
  if (file !== undefined && content === undefined) return undefined;

  const place = content?.place ?? lesson.place;
  const fields: PlacedFields = new Map();
  const setFromFile = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== "") fields.set(name, { value, place });
  };
  if (file !== undefined) setFromFile("name", content?.title ?? nameAfterFile(basename(file)));
  setFromFile("url", content?.videoUrl);
  for (const given of [lesson.fields, content?.fields ?? new Map()]) {
    for (const [name, field] of given) if (field.value !== undefined) fields.set(name, field);
  }
  // The links of a file are resolved already, at their own lines.
  if (file === undefined) await resolveFields(fields, ["quizHtml", "additionalText"], context.courseFolder, context);
  else await resolveFields(fields, ["quizHtml"], dirname(file), context);
  setFromFile("additionalText", content?.html);
  warnWhenEmpty(fields, place, context.report);
  return { fields, place, sourcePath: file };
}

function nameAfterFile(name: string): string {
  return isIntroduction(name) ? "Introduction" : toTitle(name);
}

async function readContent(
  path: string,
  lesson: OutlineLesson,
  { root, assetBase, targets, reportsScripts, report }: LessonContext,
): Promise<Content | undefined> {
  const file = root.toTypedPath(path);
  const text = await root.readText(path, report);
  const parts = text === undefined ? undefined : splitFrontMatter(text, file, report);
  if (parts === undefined) return undefined;
  const { fields, body, bodyLine } = parts;
  for (const each of [fields, lesson.fields]) forgetText(each, report);

  const { remarks, ...content } = renderBody(path, body, {
    linkBase: assetBase === undefined ? undefined : toFolderUrl(dirname(path), assetBase),
    keepsVideo: [fields, lesson.fields].some((each) => findText(each, "url") !== undefined),
    listsScripts: reportsScripts,
  });
  for (const { line, ...remark } of remarks) {
    const message = "link" in remark ? await targets.findProblem(remark.link, dirname(path)) : remark.message;
    if (message !== undefined) report({ severity: "warning", file, line: line + bodyLine - 1, message });
  }
  return { ...content, fields, place: { file, line: 1 } };
}

// The body is the text; two of them would leave an author guessing.
function forgetText(fields: PlacedFields, report: Report): void {
  const field = fields.get("additionalText");
  if (field === undefined) return;
  const message = "additionalText is ignored: the text of the file is the lesson's";
  report({ severity: "warning", ...field.place, message });
  fields.delete("additionalText");
}

async function resolveFields(
  fields: PlacedFields,
  htmlFields: string[],
  folder: string,
  { assetBase, targets, reportsScripts, report }: LessonContext,
): Promise<void> {
  const base = assetBase === undefined ? undefined : toFolderUrl(folder, assetBase);
  for (const name of ["url", ...htmlFields]) {
    const field = fields.get(name);
    if (typeof field?.value !== "string") continue;
    const { value, place } = field;
    const links: RelativeLink[] = [];
    const resolved =
      name === "url"
        ? resolveUrl(value, base, (isResolved) => links.push({ tag: "video", attribute: "src", value, isResolved }))
        : resolveLinks(value, base, (link) => links.push(link));
    fields.set(name, { value: resolved, place });
    const problems = await Promise.all(links.map((link) => targets.findProblem(link, folder)));
    if (reportsScripts) problems.push(...listFieldScripts(name, value));
    for (const problem of problems) {
      if (problem !== undefined) report({ severity: "warning", ...place, message: `${name}: ${problem}` });
    }
  }
}

function listFieldScripts(name: string, value: string): string[] {
  if (name !== "url") return listScripts(value).map(({ message }) => message);
  return isScriptUrl(value) ? [SCRIPT_URL_MESSAGE] : [];
}

function warnWhenEmpty(fields: PlacedFields, place: Location, report: Report): void {
  const isEmpty = ["additionalText", "url", "quizHtml"].every((name) => (findText(fields, name) ?? "").trim() === "");
  if (!isEmpty) return;
  report({ severity: "warning", ...place, message: "the lesson is empty: it has no text, no url and no quizHtml" });
}

/** Resolves the course's thumbnail; one that stays relative is left to validation. */
export async function resolveThumbnail(
  fields: PlacedFields,
  { assetBase, courseFolder, targets, report }: LessonContext,
): Promise<void> {
  const field = fields.get("thumbnail");
  if (assetBase === undefined || typeof field?.value !== "string" || !isRelativeUrl(field.value)) return;
  const value = resolveUrl(field.value, toFolderUrl(courseFolder, assetBase), () => undefined);
  fields.set("thumbnail", { ...field, value });
  const link = { tag: "img", attribute: "src", value: field.value, isResolved: true };
  const problem = await targets.findProblem(link, courseFolder);
  if (problem !== undefined) report({ severity: "warning", ...field.place, message: `thumbnail: ${problem}` });
}
