// What every lesson goes through, wherever it was read: links, scripts, size, and whether there is anything in it.
import { resolveLinks, resolveUrl, type RelativeLink } from "../html/links.ts";
import { isScriptUrl, listScripts, SCRIPT_URL_MESSAGE } from "../html/scripts.ts";
import { findLessonSizeProblem, type SourceLimits } from "../limits.ts";
import type { Location, Problem, Report } from "../source.ts";
import type { SourceLinks } from "./source-links.ts";

/** What readers get of a lesson besides its name; "" where there is none. */
export interface LessonTexts {
  url: string;
  quizHtml: string;
  additionalText: string;
}

/** Where a lesson stands, and how it is spoken of. */
export interface LessonPlace {
  /** What relative links count from, relative to the source's root. */
  folder: string;
  place: Location;
  placeOf: (field: keyof LessonTexts) => Location;
  /** `lesson "Water"` where the place tells only the course; undefined where it tells the lesson. */
  label: string | undefined;
  /** True where the text's own links and scripts were reported with their lines. */
  hasLinkedText: boolean;
}

/** What the stage does to every course of a source. */
export interface StageOptions {
  links: SourceLinks;
  limits: SourceLimits;
  /** Reports what would run scripts. */
  reportsScripts: boolean;
  /** Reports lessons and chapters in which there is nothing. */
  reportsEmpty: boolean;
}

/** The texts with their links resolved; what authors should know is reported. Undefined when they are too large, which is reported. */
export async function finishLesson(
  texts: LessonTexts,
  lesson: LessonPlace,
  options: StageOptions,
  report: Report,
): Promise<LessonTexts | undefined> {
  const { place, label, hasLinkedText } = lesson;
  const finished = { ...texts };
  const fields = hasLinkedText ? (["url", "quizHtml"] as const) : (["url", "quizHtml", "additionalText"] as const);
  for (const field of fields) {
    if (texts[field] !== "") finished[field] = await finishField(field, texts[field], lesson, options, report);
  }
  const intro = label === undefined ? "" : `${label}: `;
  const sizeProblem = findLessonSizeProblem([finished.additionalText, finished.url, finished.quizHtml], options.limits);
  if (sizeProblem !== undefined) {
    report({ severity: "error", kind: "too-large", ...place, message: `${intro}${sizeProblem}` });
    return undefined;
  }
  if (options.reportsEmpty && Object.values(finished).every((text) => text.trim() === "")) {
    const message = `${intro === "" ? "the lesson " : intro}is empty: it has no text, no url and no quizHtml`;
    report({ severity: "warning", kind: "empty", ...place, message });
  }
  return finished;
}

async function finishField(
  field: keyof LessonTexts,
  value: string,
  { folder, placeOf, label }: LessonPlace,
  { links, reportsScripts }: StageOptions,
  report: Report,
): Promise<string> {
  const warn = (intro: string, { kind, message }: Pick<Problem, "kind" | "message">): void =>
    report({ severity: "warning", kind, ...placeOf(field), message: `${intro}: ${message}` });
  // Links say what they are and where they lead; a script without a field is the text's.
  const linkIntro = label ?? field;
  const scriptIntro = label === undefined || field === "additionalText" ? linkIntro : `${label}: ${field}`;
  const found: RelativeLink[] = [];
  const base = links.baseOf(folder);
  const resolved =
    field === "url"
      ? resolveUrl(value, base, (isResolved) => found.push({ tag: "video", attribute: "src", value, isResolved }))
      : resolveLinks(value, base, (link) => found.push(link));
  for (const link of found) {
    const problem = await links.findProblem(link, folder);
    if (problem !== undefined) warn(linkIntro, problem);
  }
  if (reportsScripts)
    for (const message of listFieldScripts(field, value)) warn(scriptIntro, { kind: "script", message });
  return resolved;
}

function listFieldScripts(field: keyof LessonTexts, value: string): string[] {
  if (field !== "url") return listScripts(value).map(({ message }) => message);
  return isScriptUrl(value) ? [SCRIPT_URL_MESSAGE] : [];
}
