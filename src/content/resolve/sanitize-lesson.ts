// `--sanitize`: texts of authors who are not trusted, before anything else is done to them.
import { inspectHtml } from "../html/inspect-html.ts";
import type { HtmlLink } from "../html/links.ts";
import { listRemoved, sanitizeHtml } from "../html/sanitize.ts";
import { isScriptUrl } from "../html/scripts.ts";
import { UnreadableText } from "../limits.ts";
import { cutText } from "../quote.ts";
import { tellUnreadable, type Tell } from "../source.ts";
import type { LessonPlace, LessonTexts } from "./finish-lesson.ts";

/** Names that are told of one text. */
const MAX_TOLD = 5;

/** The lesson with sanitized texts; what is left out is reported. Undefined where that cannot be done, which is reported. */
export function sanitizeLesson(
  texts: LessonTexts,
  lesson: LessonPlace,
  report: Tell,
): { texts: LessonTexts; lesson: LessonPlace } | undefined {
  const { placeOf, label, text } = lesson;
  const clean = { ...texts };
  const tell = (field: keyof LessonTexts, removed: readonly string[]): void => {
    if (removed.length === 0) return;
    const told = removed.slice(0, MAX_TOLD).map((name) => cutText(name, 80));
    const more = removed.length > told.length ? ` and ${removed.length - told.length} more` : "";
    const message = `${label === undefined ? "" : `${label}: `}${field}: --sanitize leaves out ${told.join(", ")}${more}`;
    report({ kind: "dropped-component", ...placeOf(field), message });
  };
  if (isScriptUrl(texts.url)) {
    clean.url = "";
    tell("url", ["a javascript: address"]);
  }
  try {
    for (const field of ["quizHtml", "additionalText"] as const) {
      const { html, removed } = sanitizeText(texts[field]);
      clean[field] = html;
      tell(field, removed);
    }
  } catch (error) {
    return tellUnreadable(error, lesson.place, report);
  }
  if (text === undefined) return { texts: clean, lesson };
  const { links, ids } = inspectHtml(clean.additionalText);
  const remarks = text.remarks.filter(({ kind }) => kind !== "script");
  return { texts: clean, lesson: { ...lesson, text: { ...text, links: moveLinks(text.links, links), ids, remarks } } };
}

/** Throws UnreadableText. */
function sanitizeText(html: string): { html: string; removed: string[] } {
  const clean = sanitizeHtml(html);
  const [script] = inspectHtml(clean).scripts;
  if (script !== undefined) throw new UnreadableText(`the HTML cannot be sanitized: ${script.message}`, "syntax");
  return { html: clean, removed: listRemoved(html, clean) };
}

/** What is known of links, at their places in a text in which some of them are left. */
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
  // White space in it may be another.
  return link.value === other.value || link.attribute === "srcset";
}
