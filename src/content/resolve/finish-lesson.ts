// Finishes every lesson: resolves links, and reports scripts, excessive size and missing content.
import type { LessonLink, LinkTarget } from "../../catalog/course.ts";
import { findFragment, findFragmentProblem } from "../html/fragments.ts";
import { inspectHtml, type HtmlFacts } from "../html/inspect-html.ts";
import {
  describeRelativeLink,
  isInsidePage,
  isPageLink,
  isRelativeUrl,
  type HtmlLink,
  type LinkProblem,
  type RelativeLink,
} from "../html/links.ts";
import { isScriptUrl, SCRIPT_URL_MESSAGE } from "../html/scripts.ts";
import { describeTooLarge, FILLED_LINK_BYTES, findLessonSizeProblem, type SourceLimits } from "../limits.ts";
import { isError, type FileSink, type Location, type Problem, type ReportFinding } from "../source.ts";
import { toLabelTarget } from "./place-labels.ts";
import { placeLinks, type LinkDecision, type SourceLinks } from "./source-links.ts";
import type { FileInLesson, LessonText, LinedLink } from "./placed-course.ts";

/** The texts of a lesson, as readers get them. A missing text is "". */
export interface LessonTexts {
  url: string;
  quizHtml: string;
  additionalText: string;
}

/** What each link and each id counts beside its text, since links are looked up and ids are kept. */
const LINK_BYTES = 32;
const ID_BYTES = 256;

/** The maximum number of warnings about the links of a text. Further ones are only counted. */
const MAX_LINK_WARNINGS = 1000;

const NO_IDS: ReadonlySet<string> = new Set();

/** A lesson's place in its source, and its label in messages. */
export interface LessonPlace {
  /** The base folder of relative links, relative to the source root. */
  folder: string;
  place: Location;
  /** Returns the location of a field or, with an offset, of the text at that offset. */
  placeOf: (field: keyof LessonTexts, offset?: number) => Location;
  /** `lesson "Water"` if `place` locates only the course; undefined if `place` locates the lesson. */
  label: string | undefined;
  /** The lesson's source path; undefined if the source has no files. */
  sourcePath: string | undefined;
  /** Facts about an `additionalText` that comes from a file. */
  text: LessonText | undefined;
}

/** The options of the stage that every lesson passes through. */
export interface StageOptions {
  links: SourceLinks;
  /** Takes the files that are embedded in lesson files; undefined if readers cannot download files. */
  files?: FileSink | undefined;
  limits: SourceLimits;
  /** True to report empty lessons and chapters. */
  reportsEmpty: boolean;
  /** True to remove HTML that the allowlist does not contain. */
  sanitizes?: boolean | undefined;
}

/** A lesson that has passed the stage. */
export interface FinishedLesson {
  texts: LessonTexts;
  /** Links to lessons. These links stay unresolved until ids are final. */
  links: LessonLink[];
  /** The ids that links can point to. */
  ids: ReadonlySet<string>;
  /** The size of the texts, with what their links and ids add and cost. */
  size: number;
}

/** Finishes a lesson and reports its problems. Returns undefined if the lesson is too large or cannot be sanitized. */
export async function finishLesson(
  given: LessonTexts,
  found: LessonPlace,
  options: StageOptions,
  report: ReportFinding,
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
  const decideLink = createDecide(ids, lesson, options);
  let urlLength = 0;
  // Many links can get one long URL, such as by a linkMap. Beyond the limit they stay as written.
  const decide: Decide = async (link) => {
    const decision = await decideLink(link);
    urlLength += decision.url?.length ?? 0;
    return urlLength <= options.limits.maxLessonBytes ? decision : { url: undefined, problem: undefined };
  };
  if (text !== undefined) finished.additionalText = await finishText(texts.additionalText, text, decide, links, report);
  const context: FieldContext = { lesson, decide, links, report };
  if (texts.url !== "") finished.url = await finishUrl(texts.url, context);
  for (const each of read) {
    // Most fields contain no links and need no await.
    finished[each.field] = each.links.length === 0 ? each.html : await placeFieldLinks(each, context);
    reportField(each, context);
  }
  const intro = label === undefined ? "" : `${label}: `;
  const parts = [finished.additionalText, finished.url, finished.quizHtml];
  const linkBytes = links.length * FILLED_LINK_BYTES;
  const moreBytes = linkBytes + (urlLength > options.limits.maxLessonBytes ? urlLength : 0);
  const sizeProblem = findLessonSizeProblem(parts, options.limits, moreBytes);
  if (sizeProblem !== undefined) {
    report({ kind: "too-large", ...place, message: `${intro}${sizeProblem}` });
    return undefined;
  }
  if (options.reportsEmpty && Object.values(finished).every((each) => each.trim() === "")) {
    const message = `${label ?? "the lesson"} is empty: it has no text, no url and no quizHtml`;
    report({ kind: "empty", ...place, message });
  }
  const lookups = read.reduce((sum, each) => sum + each.links.length, text?.links.length ?? 0);
  const size = parts.reduce((sum, { length }) => sum + length, linkBytes + lookups * LINK_BYTES + ids.size * ID_BYTES);
  return { texts: finished, links, ids, size };
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
    const mayBeLabel = text?.labels !== undefined && link.isHtml !== true && isPageLink(link);
    if (!isInsidePage(link.url)) {
      const decision = await links.decide(link, folder, sourcePath);
      const isFound = decision.target !== undefined || decision.problem === undefined;
      if (isFound || !mayBeLabel || !/^\w[\w/-]*$/.test(link.url)) return decision;
      return { url: undefined, problem: undefined, target: toLabelTarget(link.url) };
    }
    const problem = findFragmentProblem(link.url, ids);
    if (problem !== undefined && mayBeLabel) {
      return { url: undefined, problem: undefined, target: toLabelTarget(findFragment(link.url)) };
    }
    const hasParts = problem !== undefined && sourcePath !== undefined;
    const target = hasParts ? links.findPart?.(findFragment(link.url), sourcePath) : undefined;
    return { url: undefined, problem: target === undefined ? problem : undefined, target };
  };
}

function decideMade(link: RelativeLink, file: FileInLesson, sink: FileSink | undefined): LinkDecision {
  if (sink === undefined) return { url: undefined, problem: describeRelativeLink(link, "--public-url") };
  if (file.bytes <= sink.maxBytes) return { url: sink.take(file), problem: undefined, size: file.size };
  const tooLarge = describeTooLarge(file.bytes, sink.maxBytes, "a stored file", "max-asset-size");
  return { url: undefined, problem: { kind: "unstored-file", message: `${file.fileName} is ${tooLarge}` } };
}

/** Returns a file's text with resolved links. Reports problems in line order. */
async function finishText(
  html: string,
  { placeOf, links: found, remarks }: LessonText,
  decide: Decide,
  links: LessonLink[],
  report: ReportFinding,
): Promise<string> {
  const told = [...remarks];
  let warnings = 0;
  const tell = (problem: LinkProblem, { line }: LinedLink): void => {
    if (isError(problem) || ++warnings <= MAX_LINK_WARNINGS) told.push({ ...problem, line });
  };
  const placed = await placeLinks(html, found, decide, tell);
  for (const link of placed.toLessons) links.push(toLessonLink("additionalText", link, placeOf(link.line)));
  for (const remark of told.sort((a, b) => a.line - b.line)) {
    report({ ...remark, ...placeOf(remark.line) });
  }
  const more = warnings - MAX_LINK_WARNINGS;
  if (more > 0) {
    const message = `${more.toLocaleString("en-US")} more links of this text have problems; mend those above first`;
    report({ kind: "link-to-nothing", ...placeOf(told.at(-1)?.line ?? 1), message });
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

/** An HTML field with its links. */
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

interface FieldContext {
  lesson: LessonPlace;
  decide: Decide;
  links: LessonLink[];
  report: ReportFinding;
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

/** Reports leftover syntax and scripts in a field. */
function reportField({ field, facts }: FieldText, { lesson: { placeOf, label }, report }: FieldContext): void {
  const intro = introduce(field, label);
  const warn = (kind: Problem["kind"], { message, offset }: { message: string; offset: number }): void =>
    report({ kind, ...placeOf(field, offset), message: `${intro}: ${message}` });
  for (const leftover of facts.leftovers) warn("leftover-syntax", leftover);
  for (const script of facts.scripts) warn("script", script);
}

// Names the lesson by its label, if any, and the field; for the main text of a labelled lesson, names only the lesson.
function introduce(field: keyof LessonTexts, label: string | undefined): string {
  return label === undefined || field === "additionalText" ? (label ?? field) : `${label}: ${field}`;
}
