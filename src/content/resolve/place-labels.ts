// Resolves links such as `#water` to labels on other pages of the course, once all of its lessons are read.
import { dirname, relative } from "node:path/posix";
import type { LessonOrigin, LinkTarget } from "../../catalog/course.ts";
import { escapeAttribute, escapeHtml } from "../html/escape.ts";
import { applyEdits, findTextPlace, moveLink, UNRESOLVED, type TextEdit } from "../html/links.ts";
import { describeTooLarge, type SourceLimits } from "../limits.ts";
import { cutText } from "../quote.ts";
import type { ReportFinding } from "../source.ts";
import { findText, type PlacedFields } from "./placed-value.ts";

export interface LabelledLesson {
  fields: PlacedFields;
  sourcePath?: string | undefined;
  origin?: LessonOrigin | undefined;
  /** The link texts of the lesson's labels; undefined if its links cannot point to labels. */
  labels?: ReadonlyMap<string, string> | undefined;
}

/** Creates a target that `placeLabels` resolves. */
export function toLabelTarget(label: string): LinkTarget {
  return { courseKey: "", sourcePath: "", fragment: label };
}

const isLabel = ({ target }: { target: LinkTarget }): boolean => target.sourcePath === "";

/**
 * Resolves links to labels. Ignores the case of labels, as Sphinx does. The first of equal labels takes precedence.
 * Reports a lesson that becomes too large. Returns false if all lessons together grow by more than `maxGrowth`.
 */
export function placeLabels(
  lessons: readonly LabelledLesson[],
  courseKey: string,
  { maxLessonBytes, maxGrowth }: Pick<SourceLimits, "maxLessonBytes"> & { maxGrowth: number },
  report: ReportFinding,
): boolean {
  let growth = 0;
  const known = new Map<string, { sourcePath: string; fragment: string; text: string }>();
  for (const { sourcePath, labels = new Map<string, string>() } of lessons) {
    for (const [fragment, text] of labels) {
      const name = fragment.toLowerCase();
      if (sourcePath !== undefined && !known.has(name)) known.set(name, { sourcePath, fragment, text });
    }
  }
  for (const { fields, sourcePath = "", origin } of lessons) {
    if (origin?.links?.some(isLabel) !== true) continue;
    const html = findText(fields, "additionalText") ?? "";
    const edits: TextEdit[] = [];
    let shift = 0;
    origin.links = origin.links.flatMap((link) => {
      const moved = moveLink(link, shift);
      const bytes = html.length + shift;
      if (!isLabel(link) || link.field !== "additionalText" || bytes > maxLessonBytes) return [moved];
      const { target, start, end, written, place } = link;
      const found = known.get(target.fragment.toLowerCase());
      const path = found === undefined || found.sourcePath === sourcePath ? "" : toPath(sourcePath, found.sourcePath);
      const href = escapeAttribute(`${path}#${encodeURI(found?.fragment ?? target.fragment)}`);
      const own = [{ start, end, text: found === undefined ? html.slice(start, end) : href }];
      if (found === undefined) own.push({ start: end + 1, end: end + 1, text: ` ${UNRESOLVED}` });
      const at = findTextPlace(html, { tag: "a", end });
      if (at !== undefined) own.push({ start: at, end: at, text: escapeHtml(found?.text || target.fragment) });
      edits.push(...own);
      const [{ text }] = own as [TextEdit];
      const grown = text.length - (end - start);
      for (const edit of own) shift += edit.text.length - (edit.end - edit.start);
      if (html.length + shift > maxLessonBytes) {
        const what = "a lesson with all its content";
        report({
          kind: "too-large",
          ...place,
          message: describeTooLarge(html.length + shift, maxLessonBytes, what, "max-lesson-size"),
        });
      }
      if (found === undefined) {
        const isPage = !written.startsWith("#");
        const message = `link "${cutText(written)}" points to no ${isPage ? "lesson and no " : ""}label of this course`;
        report({ kind: isPage ? "link-to-nothing" : "missing-heading", ...place, message });
      }
      if (found === undefined || path === "") return [];
      return [{ ...moved, end: moved.end + grown, target: { courseKey, ...found } }];
    });
    growth += shift;
    if (growth > maxGrowth) return false;
    const field = fields.get("additionalText");
    if (field !== undefined) fields.set("additionalText", { ...field, value: applyEdits(html, edits) });
  }
  return true;
}

const toPath = (from: string, to: string): string => encodeURI(relative(dirname(from), to));
