// What every lesson goes through, wherever it was read: links, scripts, size, and whether there is anything in it.
import type { LessonLink, LinkTarget } from "../../catalog/course.ts";
import { findFragment, findFragmentProblem } from "../html/fragments.ts";
import { inspectHtml, type HtmlFacts } from "../html/inspect-html.ts";
import {
  describeRelativeLink,
  isInsidePage,
  isRelativeUrl,
  type HtmlLink,
  type LinkProblem,
  type RelativeLink,
} from "../html/links.ts";
import { isScriptUrl, SCRIPT_URL_MESSAGE } from "../html/scripts.ts";
import { describeTooLarge, findLessonSizeProblem, type SourceLimits } from "../limits.ts";
import type { FileSink, Location, Problem, Tell } from "../source.ts";
import { placeLinks } from "./source-links.ts";
import type { FileInLesson, LessonText, LinedLink } from "./placed-course.ts";
import type { LinkDecision, SourceLinks } from "./source-links.ts";

/** What readers get of a lesson besides its name; "" where there is none. */
export interface LessonTexts {
  url: string;
  quizHtml: string;
  additionalText: string;
}

/** What a link to a lesson may grow by when it is filled in: ids, and an address made of them. */
const MAX_FILLED_CHARACTERS = 250;

const NO_IDS: ReadonlySet<string> = new Set();

/** Where a lesson stands, and how it is spoken of. */
export interface LessonPlace {
  /** What relative links count from, relative to the source's root. */
  folder: string;
  place: Location;
  /** With an offset, where that of its text stands. */
  placeOf: (field: keyof LessonTexts, offset?: number) => Location;
  /** `lesson "Water"` where the place tells only the course; undefined where it tells the lesson. */
  label: string | undefined;
  /** Undefined where the source has no paths. */
  sourcePath: string | undefined;
  /** What is known of `additionalText` where it is the text of a file. */
  text: LessonText | undefined;
}

/** What the stage does to every course of a source. */
export interface StageOptions {
  links: SourceLinks;
  /** Takes files that are parts of lesson files; undefined where readers cannot get files. */
  files?: FileSink | undefined;
  limits: SourceLimits;
  /** Reports lessons and chapters in which there is nothing. */
  reportsEmpty: boolean;
  /** Leaves out of texts what an allowlist does not name. */
  sanitizes?: boolean | undefined;
}

/** A lesson after the stage. */
export interface FinishedLesson {
  texts: LessonTexts;
  /** Those that lead to lessons: they stay as they were written until ids are final. */
  links: LessonLink[];
  /** The ids in it that links can lead to. */
  ids: ReadonlySet<string>;
}

/** Places the links of a lesson; what authors should know is reported. Undefined when it is too large, which is reported. */
export async function finishLesson(
  given: LessonTexts,
  found: LessonPlace,
  options: StageOptions,
  report: Tell,
): Promise<FinishedLesson | undefined> {
  const asGiven = { texts: given, lesson: found };
  const sanitized =
    options.sanitizes === true ? (await import("./sanitize-lesson.ts")).sanitizeLesson(given, found, report) : asGiven;
  if (sanitized === undefined) return undefined;
  const { texts, lesson } = sanitized;
  const { place, label, text } = lesson;
  const finished = { ...texts };
  const links: LessonLink[] = [];
  const fields = text === undefined ? (["quizHtml", "additionalText"] as const) : (["quizHtml"] as const);
  const read = fields.map((field) => inspectField(field, texts[field], lesson));
  const ids = read.reduce((all, { facts }) => all.union(facts.ids), text?.ids ?? NO_IDS);
  const decide = createDecide(ids, lesson, options);
  if (text !== undefined) finished.additionalText = await finishText(texts.additionalText, text, decide, links, report);
  const context: FieldContext = { lesson, decide, links, report };
  if (texts.url !== "") finished.url = await finishUrl(texts.url, context);
  for (const each of read) {
    // Most have no links to place: nothing is waited for.
    finished[each.field] = each.links.length === 0 ? each.html : await placeFieldLinks(each, context);
    reportField(each, context);
  }
  const intro = label === undefined ? "" : `${label}: `;
  const sizeProblem = findLessonSizeProblem(
    [finished.additionalText, finished.url, finished.quizHtml],
    options.limits,
    links.length * MAX_FILLED_CHARACTERS,
  );
  if (sizeProblem !== undefined) {
    report({ kind: "too-large", ...place, message: `${intro}${sizeProblem}` });
    return undefined;
  }
  if (options.reportsEmpty && Object.values(finished).every((each) => each.trim() === "")) {
    const message = `${intro === "" ? "the lesson " : intro}is empty: it has no text, no url and no quizHtml`;
    report({ kind: "empty", ...place, message });
  }
  return { texts: finished, links, ids };
}

type Decide = (link: RelativeLink) => Promise<LinkDecision>;

function createDecide(
  ids: ReadonlySet<string>,
  { folder, sourcePath, text }: LessonPlace,
  { links, files: sink }: StageOptions,
): Decide {
  return async (link) => {
    const made = text?.files?.get(link.url);
    if (made !== undefined) return decideMade(link, made, sink);
    if (!isInsidePage(link.url)) return links.decide(link, folder);
    const problem = findFragmentProblem(link.url, ids);
    const hasParts = problem !== undefined && sourcePath !== undefined;
    const target = hasParts ? links.findPart?.(findFragment(link.url), sourcePath) : undefined;
    return { url: undefined, problem: target === undefined ? problem : undefined, target };
  };
}

function decideMade(link: RelativeLink, file: FileInLesson, sink: FileSink | undefined): LinkDecision {
  if (sink === undefined) return { url: undefined, problem: describeRelativeLink(link, "--public-url") };
  if (file.bytes <= sink.maxBytes) return { url: sink.take(file), problem: undefined, size: file.size };
  const tooLarge = describeTooLarge(file.bytes, sink.maxBytes, "a file that is stored", "max-asset-size");
  return { url: undefined, problem: { kind: "unstored-file", message: `${file.fileName} is ${tooLarge}` } };
}

/** The text of a file with its links placed. What is told of it is told in the order of its lines. */
async function finishText(
  html: string,
  { placeOf, links: found, remarks }: LessonText,
  decide: Decide,
  links: LessonLink[],
  report: Tell,
): Promise<string> {
  const told = [...remarks];
  const tell = (problem: LinkProblem, { line }: LinedLink): void => void told.push({ ...problem, line });
  const placed = await placeLinks(html, found, decide, tell);
  for (const link of placed.toLessons) links.push(toLessonLink("additionalText", link, placeOf(link.line)));
  for (const remark of told.sort((a, b) => a.line - b.line)) {
    report({ ...remark, ...placeOf(remark.line) });
  }
  return placed.html;
}

function toLessonLink(
  field: LessonLink["field"],
  { start, end, nameEnd, target, value, written }: HtmlLink & { target: LinkTarget },
  { file, line }: Location,
): LessonLink {
  const isMade = written !== undefined;
  return { field, start, end, nameEnd, target, written: written ?? value, isMade, place: { file, line } };
}

/** A field with HTML, and where its links were written. */
interface FieldText {
  field: "quizHtml" | "additionalText";
  html: string;
  links: (HtmlLink & { place: Location })[];
  facts: HtmlFacts;
}

function inspectField(field: FieldText["field"], html: string, { placeOf }: LessonPlace): FieldText {
  const facts = inspectHtml(html);
  const links = facts.links.map((link) => Object.assign(link, { place: placeOf(field, link.start) }));
  return { field, html, links, facts };
}

/** What finishing a field takes. */
interface FieldContext {
  lesson: LessonPlace;
  decide: Decide;
  links: LessonLink[];
  report: Tell;
}

async function placeFieldLinks(
  { field, html, links: found }: FieldText,
  { lesson: { label = field }, decide, links, report }: FieldContext,
): Promise<string> {
  const placed = await placeLinks(html, found, decide, ({ kind, message }, { place }) =>
    report({ kind, ...place, message: `${label}: ${message}` }),
  );
  for (const link of placed.toLessons) links.push(toLessonLink(field, link, link.place));
  return placed.html;
}

async function finishUrl(value: string, { lesson, decide, report }: FieldContext): Promise<string> {
  const { placeOf, label } = lesson;
  let finished = value;
  if (isRelativeUrl(value)) {
    const { url, problem } = await decide({ tag: "video", attribute: "src", url: value, value, needsHost: true });
    if (problem !== undefined) {
      report({ kind: problem.kind, ...placeOf("url"), message: `${label ?? "url"}: ${problem.message}` });
    }
    finished = url ?? value;
  }
  if (isScriptUrl(value)) {
    report({ kind: "script", ...placeOf("url", 0), message: `${introduce("url", label)}: ${SCRIPT_URL_MESSAGE}` });
  }
  return finished;
}

/** Reports what readers of a field should not see, and what would run scripts. */
function reportField({ field, facts }: FieldText, { lesson: { placeOf, label }, report }: FieldContext): void {
  const intro = introduce(field, label);
  const warn = (kind: Problem["kind"], { message, offset }: { message: string; offset: number }): void =>
    report({ kind, ...placeOf(field, offset), message: `${intro}: ${message}` });
  for (const leftover of facts.leftovers) warn("leftover-syntax", leftover);
  for (const script of facts.scripts) warn("script", script);
}

// Of a lesson without a place of its own it is told which field; a text is the lesson itself.
function introduce(field: keyof LessonTexts, label: string | undefined): string {
  return label === undefined || field === "additionalText" ? (label ?? field) : `${label}: ${field}`;
}
