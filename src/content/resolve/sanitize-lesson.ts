// Removes HTML that `--sanitize` does not allow, before links are resolved.
import { inspectHtml } from "../html/inspect-html.ts";
import type { HtmlLink } from "../html/links.ts";
import { findRefusedScheme, listRemoved, sanitizeHtml } from "../html/sanitize.ts";
import { UnreadableText } from "../limits.ts";
import { cutText } from "../quote.ts";
import { reportUnreadable, type ReportFinding } from "../source.ts";
import type { LessonPlace, LessonTexts } from "./finish-lesson.ts";

/** The maximum number of removed parts that a message names. */
const MAX_NAMED = 5;

/** Sanitizes a lesson's texts and reports removed parts. Returns undefined, and reports a problem, on failure. */
export function sanitizeLesson(
  texts: LessonTexts,
  lesson: LessonPlace,
  report: ReportFinding,
): { texts: LessonTexts; lesson: LessonPlace } | undefined {
  const { placeOf, label, text } = lesson;
  const clean = { ...texts };
  const tell = (field: keyof LessonTexts, removed: readonly string[]): void => {
    if (removed.length === 0) return;
    const told = removed.slice(0, MAX_NAMED).map((name) => cutText(name, 80));
    const more = removed.length > told.length ? ` and ${removed.length - told.length} more` : "";
    const message = `${label === undefined ? "" : `${label}: `}${field}: --sanitize leaves out ${told.join(", ")}${more}`;
    report({ kind: "dropped-component", ...placeOf(field), message });
  };
  const scheme = findRefusedScheme(texts.url);
  if (scheme !== undefined) {
    clean.url = "";
    tell("url", [`a ${scheme} URL`]);
  }
  try {
    for (const field of ["quizHtml", "additionalText"] as const) {
      const { html, removed } = sanitizeText(texts[field]);
      clean[field] = html;
      tell(field, removed);
    }
  } catch (error) {
    return reportUnreadable(error, lesson.place, report);
  }
  if (text === undefined) return { texts: clean, lesson };
  const { links, ids } = inspectHtml(clean.additionalText);
  const remarks = text.remarks.filter(({ kind }) => kind !== "script");
  return { texts: clean, lesson: { ...lesson, text: { ...text, links: moveLinks(text.links, links), ids, remarks } } };
}

/** Sanitizes HTML. Throws UnreadableText if the result still contains a script. */
function sanitizeText(html: string): { html: string; removed: string[] } {
  const clean = sanitizeHtml(html);
  const [script] = inspectHtml(clean).scripts;
  if (script !== undefined) throw new UnreadableText(`the HTML cannot be sanitized: ${script.message}`, "syntax");
  return { html: clean, removed: listRemoved(html, clean) };
}

/** Moves facts about links to their offsets in the sanitized text, and drops removed links. */
function moveLinks<Link extends HtmlLink>(links: readonly Link[], left: readonly HtmlLink[]): Link[] {
  const moved: Link[] = [];
  let next = 0;
  for (const link of left) {
    let before = links[next++];
    while (before !== undefined && !isSame(before, link)) before = links[next++];
    if (before !== undefined) moved.push({ ...before, ...link });
  }
  return moved;
}

function isSame(link: HtmlLink, other: HtmlLink): boolean {
  if (link.tag !== other.tag || link.attribute !== other.attribute) return false;
  // Sanitizing can change white space in a `srcset`.
  return link.value === other.value || link.attribute === "srcset";
}
