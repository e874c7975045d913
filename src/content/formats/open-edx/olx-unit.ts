// Converts an Open edX unit, with its blocks in order, to a lesson.
import { join } from "node:path/posix";
import type { Answers } from "../../quiz/answers.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import { findElement, textOf } from "../../html/xml.ts";
import { markFormulas, TEX_DELIMITERS } from "../../html/tex-formulas.ts";
import { xmlToHtml } from "../../html/xml-to-html.ts";
import type { PlacedFields } from "../../resolve/placed-value.ts";
import { cutText } from "../../quote.ts";
import type { Location, ReportFinding } from "../../source.ts";
import { describeTooLarge } from "../../limits.ts";
import { LessonParts, DEAD_LINK } from "../lesson-parts.ts";
import type { OlxBlock, OlxBlocks, OlxPart } from "./olx-block.ts";
import { PLATFORM, readProblem } from "./olx-problem.ts";
import type { OlxUrls } from "./olx-urls.ts";
import { readVideo } from "./olx-video.ts";
import type { Unseen } from "./olx-policy.ts";
import type { TallyEntry } from "../../tally.ts";

/** Names of unsupported blocks by element. */
const NAMES: Record<string, string> = {
  annotatable: "annotation",
  conditional: "conditional block",
  discussion: "discussion",
  "drag-and-drop-v2": "drag-and-drop",
  edx_sga: "staff-graded assignment",
  imageannotation: "annotation",
  itembank: "problem bank",
  library_content: "content library",
  lti: "LTI",
  lti_consumer: "LTI",
  openassessment: "open response assessment",
  poll: "poll",
  poll_question: "poll",
  randomize: "content experiment",
  scorm: "SCORM package",
  split_test: "content experiment",
  survey: "survey",
  textannotation: "annotation",
  videoannotation: "annotation",
  word_cloud: "word cloud",
};
const PLURALS: Record<string, string> = {
  "content library": "content libraries",
  "drag-and-drop": "drag-and-drop",
  LTI: "LTI",
};

function nameBlock(tag: string): Pick<TallyEntry, "what" | "plural"> {
  const what = Object.hasOwn(NAMES, tag) ? (NAMES[tag] ?? tag) : tag;
  return { what, plural: PLURALS[what] };
}

// Open edX's MathJax delimiters.
const FORMULAS = [
  ...TEX_DELIMITERS,
  { open: "[mathjaxinline]", close: "[/mathjaxinline]", isDisplayed: false },
  { open: "[mathjax]", close: "[/mathjax]", isDisplayed: true },
];

/** Context for composing units. */
export interface UnitContext {
  tree: SourceTree;
  blocks: OlxBlocks;
  urls: OlxUrls;
  titleOf: (block: OlxBlock) => string | undefined;
  /** Returns why a block is hidden from some learners; undefined for a visible block. */
  findUnseen: (block: OlxBlock) => Unseen | undefined;
  answers: Answers;
  /** The course's language; undefined if unknown. */
  language: string | undefined;
}

/**
 * Returns the fields of a unit's lesson, without its name. Reports hidden and unreadable blocks, and leaves them out.
 * Returns undefined, and reports an error, if the unit is too large.
 */
export async function composeUnit(
  parts: readonly OlxPart[],
  unit: OlxBlock,
  context: UnitContext,
  report: ReportFinding,
): Promise<PlacedFields | undefined> {
  const composer = new UnitComposer(context, report);
  const { maxLessonBytes } = context.tree.limits;
  for (const part of parts) {
    await composer.add(part);
    if (composer.readBytes <= maxLessonBytes) continue;
    const what = "a lesson with all its content";
    const message = describeTooLarge(composer.readBytes, maxLessonBytes, what, "max-lesson-size");
    report({ kind: "too-large", ...unit.place, message });
    return undefined;
  }
  return composer.finish(unit);
}

// An open response has a title element; a survey has the attribute block_name.
function findTitle({ tag, element }: OlxBlock): string {
  const title = tag === "openassessment" ? findElement(element, "title") : undefined;
  return title === undefined ? (element.attributes.get("block_name") ?? "") : textOf(title);
}

class UnitComposer {
  /** The size of the files of the unit's texts and blocks. A unit can name a file many times. */
  readBytes = 0;
  readonly #parts = new LessonParts(PLATFORM, (html) => markFormulas(html, FORMULAS));
  readonly #context: UnitContext;
  readonly #report: ReportFinding;

  constructor(context: UnitContext, report: ReportFinding) {
    this.#context = context;
    this.#report = report;
  }

  /** Adds a part. Reports a hidden or unreadable block, and leaves it out. */
  async add(part: OlxPart): Promise<void> {
    const block = await this.#context.blocks.read(part);
    if (block === undefined) return;
    const unseen = this.#context.findUnseen(block);
    if (unseen !== undefined) {
      this.#parts.count({ what: unseen.what, plural: unseen.plural, isKept: false });
      return;
    }
    if (block.isFile) this.readBytes += await this.#context.tree.measure(block.file);
    const title = this.#context.titleOf(block) ?? findTitle(block);
    if (block.tag === "html") await this.#addHtml(block);
    else if (block.tag === "video") this.#addVideo(block, title);
    else if (block.tag === "problem") this.#addProblem(block, title);
    else this.#parts.addUnavailable(nameBlock(block.tag), title);
  }

  finish({ place }: OlxBlock): PlacedFields {
    const { urls, answers, language } = this.#context;
    const mapUrl = (url: string, written: Location): string | undefined => {
      const message = `link "${cutText(url)}" points to a block outside all lessons`;
      if (!urls.isLost(url)) return urls.map(url);
      this.#report({ kind: "link-to-nothing", ...written, message });
      return DEAD_LINK;
    };
    return this.#parts.finish({ place, answers, language, mapUrl, limits: this.#context.tree.limits }, this.#report);
  }

  async #addHtml({ element, file, isFile, place }: OlxBlock): Promise<void> {
    const { tree } = this.#context;
    const isText = isFile && file.endsWith(".html");
    const named = element.attributes.get("filename");
    if (!isText && named === undefined) {
      this.#parts.addText(xmlToHtml(element.children, { isRawHtml: true }).trim(), place);
      return;
    }
    const path = isText ? file : join(this.#context.blocks.toPath("html"), `${named}.html`);
    const found = await tree.find(path);
    if (found !== "file") {
      const message = `refers to text ${cutText(named ?? "")}, but there is no file ${cutText(path)}`;
      this.#report({ kind: found === "hidden" ? "missing-part" : "missing-file", ...place, message });
      return;
    }
    if (!isText) this.readBytes += await tree.measure(path);
    const text = await tree.readText(path, this.#report);
    this.#parts.addText(text?.trim() ?? "", { file: tree.toTypedPath(path) });
  }

  #addVideo({ element }: OlxBlock, title: string): void {
    const { url, player, links } = readVideo(element, title, this.#context.urls);
    if (url === undefined) return this.#parts.addUnavailable(nameBlock("video"), title);
    this.#parts.count({ what: "video", isKept: true });
    if (this.#parts.url === undefined) this.#parts.url = url;
    else this.#parts.addText(player);
    this.#parts.addText(links);
  }

  #addProblem({ element, place }: OlxBlock, title: string): void {
    const { questions, unknown, text } = readProblem(element, title);
    this.#parts.addText(text, place);
    this.#parts.addQuestions(questions, place);
    if (questions.length > 0) {
      this.#parts.count({ what: "problem as a quiz", plural: "problems as quizzes", isKept: true });
    }
    for (const what of unknown) this.#parts.count({ what, isKept: false });
  }
}
