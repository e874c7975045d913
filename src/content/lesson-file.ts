// One lesson: its file and its outline become the fields of the authoring form.
import { basename, dirname } from "node:path/posix";
import { splitFrontMatter } from "./front-matter.ts";
import { isIntroduction, toTitle } from "./lesson-names.ts";
import { createLineCounter } from "./line-counter.ts";
import { describeRelativeLink, isRelativeUrl, resolveLinks, resolveUrl, toFolderUrl } from "./links.ts";
import { renderMarkdown } from "./markdown.ts";
import { parseMdx } from "./mdx.ts";
import type { OutlineLesson } from "./outline.ts";
import type { PlacedPart } from "./placed-course.ts";
import { findText, type PlacedFields } from "./placed-value.ts";
import type { Location, Report } from "./source.ts";
import type { SourceRoot } from "./source-root.ts";

/** What reading a lesson needs to know about its course. */
export interface LessonContext {
  root: SourceRoot;
  courseFolder: string;
  assetBase: URL | undefined;
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
  if (file === undefined) resolveFields(fields, ["quizHtml", "additionalText"], context.courseFolder, context);
  else resolveFields(fields, ["quizHtml"], dirname(file), context);
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
  { root, assetBase, report }: LessonContext,
): Promise<Content | undefined> {
  const file = root.toTypedPath(path);
  const text = await root.readText(path, report);
  const parts = text === undefined ? undefined : splitFrontMatter(text, file, report);
  if (parts === undefined) return undefined;
  const { fields, body, bodyLine } = parts;
  for (const each of [fields, lesson.fields]) forgetText(each, report);

  const linkBase = assetBase === undefined ? undefined : toFolderUrl(dirname(path), assetBase);
  const toPlace = (line: number): Location => ({ file, line: line + bodyLine - 1 });
  const warn = (line: number, message: string): void => report({ severity: "warning", ...toPlace(line), message });
  const result = { fields, place: { file, line: 1 }, title: undefined, videoUrl: undefined };
  if (path.toLowerCase().endsWith(".html")) {
    const lineAt = createLineCounter(body);
    const html = resolveLinks(body, linkBase, (link) => warn(lineAt(link.offset), describeRelativeLink(link)));
    return { ...result, html };
  }
  const isMdx = path.toLowerCase().endsWith(".mdx");
  const hasUrl = [fields, lesson.fields].some((each) => findText(each, "url") !== undefined);
  const mdx = isMdx ? parseMdx(body, hasUrl) : undefined;
  for (const { name, line, count } of mdx?.dropped ?? []) {
    warn(line, `${name} is dropped${count === 1 ? "" : ` (${count} times in this file)`}`);
  }
  const { html, title } = renderMarkdown(mdx?.markdown ?? body, {
    hasIndentedCode: !isMdx,
    linkBase,
    onRelative: (link) => warn(link.line, describeRelativeLink(link)),
  });
  return { ...result, html, title, videoUrl: mdx?.videoUrl };
}

// The body is the text; two of them would leave an author guessing.
function forgetText(fields: PlacedFields, report: Report): void {
  const field = fields.get("additionalText");
  if (field === undefined) return;
  const message = "additionalText is ignored: the text of the file is the lesson's";
  report({ severity: "warning", ...field.place, message });
  fields.delete("additionalText");
}

function resolveFields(
  fields: PlacedFields,
  htmlFields: string[],
  folder: string,
  { assetBase, report }: LessonContext,
): void {
  const base = assetBase === undefined ? undefined : toFolderUrl(folder, assetBase);
  const resolveField = (name: string, resolve: (text: string, place: Location) => string): void => {
    const field = fields.get(name);
    if (typeof field?.value === "string") fields.set(name, { ...field, value: resolve(field.value, field.place) });
  };
  resolveField("url", (url, place) =>
    resolveUrl(url, base, () => {
      const message = `url: "${url}" is relative and no --asset-base is given; readers cannot load it`;
      report({ severity: "warning", ...place, message });
    }),
  );
  for (const name of htmlFields) {
    resolveField(name, (html, place) =>
      resolveLinks(html, base, (link) => {
        report({ severity: "warning", ...place, message: `${name}: ${describeRelativeLink(link)}` });
      }),
    );
  }
}

function warnWhenEmpty(fields: PlacedFields, place: Location, report: Report): void {
  const isEmpty = ["additionalText", "url", "quizHtml"].every((name) => (findText(fields, name) ?? "").trim() === "");
  if (!isEmpty) return;
  report({ severity: "warning", ...place, message: "the lesson is empty: it has no text, no url and no quizHtml" });
}

/** Resolves the course's thumbnail; one that stays relative is left to validation. */
export function resolveThumbnail(fields: PlacedFields, folder: string, assetBase: URL | undefined): void {
  const field = fields.get("thumbnail");
  if (assetBase === undefined || typeof field?.value !== "string" || !isRelativeUrl(field.value)) return;
  const value = resolveUrl(field.value, toFolderUrl(folder, assetBase), () => undefined);
  fields.set("thumbnail", { ...field, value });
}
