// What every lesson goes through, wherever it was read: links, scripts, size, and whether there is anything in it.
import { listLeftovers } from "../html/leftovers.ts";
import { listFragmentProblems } from "../html/fragments.ts";
import { isRelativeUrl, listLinks, type LinkProblem, type RelativeLink } from "../html/links.ts";
import { isScriptUrl, listScripts, SCRIPT_URL_MESSAGE } from "../html/scripts.ts";
import { findLessonSizeProblem, type SourceLimits } from "../limits.ts";
import type { Location, Problem, Report } from "../source.ts";
import { placeLinks } from "./place-links.ts";
import type { LessonText, LinedLink } from "./placed-course.ts";
import type { LinkDecision, SourceLinks } from "./source-links.ts";

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
  /** What is known of `additionalText` where it is the text of a file. */
  text: LessonText | undefined;
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
  const { place, label, text } = lesson;
  const finished = { ...texts };
  if (text !== undefined)
    finished.additionalText = await finishText(texts.additionalText, text, lesson, options, report);
  const fields = text === undefined ? (["url", "quizHtml", "additionalText"] as const) : (["url", "quizHtml"] as const);
  for (const field of fields) {
    if (texts[field] !== "") finished[field] = await finishField(field, texts[field], lesson, options, report);
  }
  const intro = label === undefined ? "" : `${label}: `;
  const sizeProblem = findLessonSizeProblem([finished.additionalText, finished.url, finished.quizHtml], options.limits);
  if (sizeProblem !== undefined) {
    report({ severity: "error", kind: "too-large", ...place, message: `${intro}${sizeProblem}` });
    return undefined;
  }
  if (options.reportsEmpty && Object.values(finished).every((each) => each.trim() === "")) {
    const message = `${intro === "" ? "the lesson " : intro}is empty: it has no text, no url and no quizHtml`;
    report({ severity: "warning", kind: "empty", ...place, message });
  }
  return finished;
}

/** The text of a file with its links placed. What is told of it is told in the order of its lines. */
async function finishText(
  html: string,
  { file, links: found, remarks }: LessonText,
  { folder }: LessonPlace,
  { links }: StageOptions,
  report: Report,
): Promise<string> {
  const told = [...remarks];
  const tell = (problem: LinkProblem, { line }: LinedLink): void => void told.push({ ...problem, line });
  const placed = await placeLinks(html, found, (link) => links.decide(link, folder), tell);
  for (const remark of told.sort((a, b) => a.line - b.line)) report({ severity: "warning", ...remark, file });
  return placed;
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
  const tell = (problem: LinkProblem): void => warn(linkIntro, problem);
  const decide = (link: RelativeLink): Promise<LinkDecision> => links.decide(link, folder);
  const placed =
    field === "url" ? await placeUrl(value, decide, tell) : await placeLinks(value, listLinks(value), decide, tell);
  if (field !== "url")
    for (const { message } of listLeftovers(value)) warn(scriptIntro, { kind: "leftover-syntax", message });
  if (field === "additionalText") for (const problem of listFragmentProblems(value)) tell(problem);
  if (reportsScripts)
    for (const message of listFieldScripts(field, value)) warn(scriptIntro, { kind: "script", message });
  return placed;
}

async function placeUrl(
  value: string,
  decide: (link: RelativeLink) => Promise<LinkDecision>,
  tell: (problem: LinkProblem) => void,
): Promise<string> {
  if (!isRelativeUrl(value)) return value;
  const { url, problem } = await decide({ tag: "video", attribute: "src", url: value, value });
  if (problem !== undefined) tell(problem);
  return url ?? value;
}

function listFieldScripts(field: keyof LessonTexts, value: string): string[] {
  if (field !== "url") return listScripts(value).map(({ message }) => message);
  return isScriptUrl(value) ? [SCRIPT_URL_MESSAGE] : [];
}
