// The text of a LiaScript course: quizzes as forms, macros as what they stand for, and without what only its runtime does.
import type { AnswerCount, Answers } from "../../quiz/answers.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import { escapeHtml } from "../../html/escape.ts";
import { UnreadableText } from "../../limits.ts";
import { cutText } from "../../quote.ts";
import type { Tell } from "../../source.ts";
import type { TallyEntry } from "../../tally.ts";
import { MacroExpander, type Macros } from "./liascript-macros.ts";
import { LiaScriptQuestions } from "./liascript-questions.ts";
import { readQuizBlock } from "./liascript-quiz.ts";
import { MarkdownCode } from "../../markdown/markdown-code.ts";
import type { MarkdownSyntax } from "../../markdown/markdown-environment.ts";
import { renderFragment } from "../../markdown/create-parser.ts";
import { editOutsideCode, GrownLines, type Replacement } from "../../markdown/outside-code.ts";
import type { PrepareText } from "../../markdown/prepared-text.ts";
import { findDollarMathEnd } from "../../markdown/rules/math.ts";
import { countAnswers, renderQuizForm } from "../../quiz/quiz-form.ts";

export interface LiaScriptOptions {
  tree: SourceTree;
  macros: Macros;
  syntax: MarkdownSyntax;
  answers: Answers;
}

/** Makes what prepares the sections of one course. */
export function createLiaScriptText(options: LiaScriptOptions): PrepareText {
  return async ({ path, text, firstLine }, report) => {
    const file = options.tree.toTypedPath(path);
    const section = new Section(options);
    const placeOf = (line: number): { file: string; line: number } => ({
      file,
      line: section.grown.toWritten(line) + firstLine - 1,
    });
    try {
      return { ...section.read(text, (tally, answers) => report(toNote(tally, answers, placeOf(1)))), placeOf };
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
      report({ kind: error.kind, ...placeOf(1), message: error.message });
      return undefined;
    }
  };
}

type Note = (tally: TallyEntry[], answers: AnswerCount | undefined) => void;

function toNote(
  tally: TallyEntry[],
  answers: AnswerCount | undefined,
  place: { file: string; line: number },
): Parameters<Tell>[0] {
  const dropped = tally.filter(({ isKept }) => !isKept);
  const parts = dropped.map(({ what, plural, count }) => `${count} ${count === 1 ? what : (plural ?? `${what}s`)}`);
  const message =
    dropped.length === 0 ? "has parts that are shown in another form" : `is shown without ${parts.join(", ")}`;
  return { kind: dropped.length === 0 ? "counted" : "dropped-component", ...place, message, tally, answers };
}

/** One message tells of all that is left out: beyond so many, macros are told without their names. */
const MAX_KINDS = 50;
const KINDS = {
  narration: { what: "comment for a narrator", plural: "comments for a narrator", isKept: false },
  script: { what: "script of LiaScript", plural: "scripts of LiaScript", isKept: false },
} as const;

const NARRATION = /^\s*--\{\{[^{}]*\}\}--\s*(.*)$/;
const ANIMATION = /^\s*(?:\{\{[^{}]*\}\}|!?>?\{\{[^{}]*\}\})\s*$/;
const STARS = /^\s*\*{3,}\s*$/;

/** LiaScript has no code by indentation: its lines are often indented, such as quizzes by four. */
function isLiaScript(block: string): boolean {
  const lines = block.split("\n");
  const [first = ""] = lines;
  return [NARRATION, ANIMATION, STARS].some((line) => line.test(first)) || readQuizBlock(lines, 0) !== undefined;
}

class Section {
  videoUrl: string | undefined;
  /** What the lines of macros add to those of the author. */
  readonly grown = new GrownLines();
  readonly #questions: LiaScriptQuestions;
  readonly #tally = new Map<string, TallyEntry>();
  readonly #macros: MacroExpander;
  readonly #options: LiaScriptOptions;

  constructor(options: LiaScriptOptions) {
    this.#options = options;
    this.#macros = new MacroExpander(options.macros);
    const { limits, dialect, language } = options.syntax;
    this.#questions = new LiaScriptQuestions({
      render: (markdown) => this.#render(markdown),
      findCode: (markdown) => this.#findCode(markdown),
      limits,
      renderAsked: (markdown) => renderFragment(markdown, { limits, dialect, language }),
      count: (kind) => this.#count(kind),
    });
  }

  read(text: string, note: Note): { text: string; quizHtml: string; videoUrl: string | undefined } {
    const { answers, syntax } = this.#options;
    const lines = this.#readLines(this.#dropScripts(text.replace(/\r\n?/g, "\n")));
    const shown = this.#readInline(lines.join("\n"), this.grown);
    if (this.#tally.size > 0) note([...this.#tally.values()], countAnswers(this.#questions.all, answers));
    return {
      text: shown,
      quizHtml: renderQuizForm(this.#questions.all, { answers, language: syntax.language }),
      videoUrl: this.videoUrl,
    };
  }

  #findCode(text: string): MarkdownCode {
    return new MarkdownCode(text, this.#options.syntax, isLiaScript);
  }

  // Code above a script is run by it, a quiz above one is judged by it.
  #dropScripts(text: string): string {
    const closing = /<\/script[ \t]*>/gi;
    let isClosed = true;
    return editOutsideCode(text, this.#findCode(text), "<", (start) => {
      if (!isClosed || !/^<script\b[^>]*>/i.test(text.slice(start, start + 1000))) return undefined;
      closing.lastIndex = start;
      isClosed = closing.test(text);
      if (!isClosed) return undefined;
      this.#count(KINDS.script);
      return { end: closing.lastIndex, by: "" };
    });
  }

  /** As many lines as before, but where a quiz is: that becomes fewer, and empty ones. */
  #readLines(text: string): string[] {
    const code = this.#findCode(text);
    const fenceLines = new Set(code.listFences().map(({ firstLine }) => firstLine));
    const lines = text.split("\n");
    const shown: string[] = [];
    let isNarration = false;
    let openStars = 0;
    let start = 0;
    let counted = 0;
    for (let index = 0; index < lines.length; index++) {
      for (; counted < index; counted++) start += (lines[counted] ?? "").length + 1;
      const line = lines[index] ?? "";
      if (fenceLines.has(index)) shown.push(this.#readFence(line));
      else if (code.findBlockEnd(start) !== undefined) {
        shown.push(line);
      } else if (NARRATION.test(line)) {
        isNarration = true;
        this.#count(KINDS.narration);
        shown.push("");
      } else if (isNarration && line.trim() !== "") shown.push("");
      else if (ANIMATION.test(line)) {
        isNarration = false;
        // What it shows may be more than one paragraph, between lines of stars.
        if (STARS.test(lines[index + 1] ?? "")) openStars++;
        shown.push("");
        if (STARS.test(lines[index + 1] ?? "")) {
          shown.push("");
          index++;
        }
      } else if (openStars > 0 && STARS.test(line)) {
        openStars--;
        shown.push("");
      } else {
        isNarration = false;
        const quiz = readQuizBlock(lines, index);
        if (quiz === undefined) shown.push(line);
        else {
          shown.push(this.#questions.addBlock(quiz, shown), ...Array.from({ length: quiz.end - index - 1 }, () => ""));
          index = quiz.end - 1;
        }
      }
    }
    return shown;
  }

  // ``` js   @eval(1)
  #readFence(line: string): string {
    const shown = line.replace(/@\[?([A-Za-z_][\w.]*)\]?(?:\([^()]*\))?/g, (_, name: string) => {
      this.#countMacro(name);
      return "";
    });
    return shown.trimEnd();
  }

  #render(markdown: string): string {
    return renderFragment(this.#readInline(markdown.trim()), this.#options.syntax).trim();
  }

  // Macros, gaps, media and animations within a line; the brackets and braces of formulas are TeX's.
  #readInline(text: string, grown?: GrownLines): string {
    const code = this.#findCode(text);
    const read = (start: number): Replacement | undefined => {
      switch (text[start]) {
        case "@":
          return this.#readMacro(text, start);
        case "[":
          return this.#questions.readGap(text, code, start);
        case "{":
          return readAnimation(text, start);
        case "$":
          return keepFormula(text, start);
        default:
          return this.#readMedia(text, start);
      }
    };
    return editOutsideCode(text, code, "@[!?{$", read, grown);
  }

  #readMacro(text: string, start: number): Replacement | undefined {
    const use = this.#macros.read(text, start);
    if (use === undefined) return undefined;
    if (use.text === undefined || /<script\b/i.test(use.text)) {
      this.#countMacro(use.name);
      return { end: use.end, by: "" };
    }
    return { end: use.end, by: use.text };
  }

  // !?[a film](url), ?[a sound](url), ??[a page](url)
  #readMedia(text: string, start: number): Replacement | undefined {
    const media = /^(!\?|\?\?|\?)\[([^[\]]*)\]\(([^()\s]+)(?:[ \t]+"[^"\n]*")?[ \t]*\)/.exec(
      text.slice(start, start + 3000),
    );
    if (media === null) return undefined;
    const [whole, sign, title = "", url = ""] = media;
    const end = start + whole.length;
    if (sign === "?")
      return { end, by: `<audio controls src="${escapeHtml(url)}" title="${escapeHtml(title)}"></audio>` };
    if (sign === "!?" && this.videoUrl === undefined) {
      this.videoUrl = url;
      return { end, by: "" };
    }
    const isFile = sign === "!?" && /\.(?:mp4|webm|ogv|mov)(?:[?#]|$)/i.test(url);
    if (isFile) return { end, by: `<video controls src="${escapeHtml(url)}" title="${escapeHtml(title)}"></video>` };
    return { end, by: `[${title === "" ? url : title}](${url})` };
  }

  #countMacro(written: string): void {
    const isNamed = this.#tally.size < MAX_KINDS || this.#tally.has(`macro @${cutText(written)} of LiaScript`);
    const name = isNamed ? ` @${cutText(written)}` : "";
    this.#count({ what: `macro${name} of LiaScript`, plural: `macros${name} of LiaScript`, isKept: false });
  }

  #count(kind: Omit<TallyEntry, "count">): void {
    const known = this.#tally.get(kind.what);
    if (known === undefined) this.#tally.set(kind.what, { ...kind, count: 1 });
    else known.count++;
  }
}

function keepFormula(text: string, start: number): Replacement | undefined {
  const end = findDollarMathEnd(text, start);
  return end === undefined ? undefined : { end, by: text.slice(start, end) };
}

// {{1}} before a text, {1}{a text}
function readAnimation(text: string, start: number): Replacement | undefined {
  const part = text.slice(start, start + 2000);
  const whole = /^\{\{[ \t]*(?:\|>|\d[\d\s,-]*)[^{}\n]*\}\}[ \t]*/.exec(part);
  if (whole !== null) return { end: start + whole[0].length, by: "" };
  const inner = /^\{[ \t]*(?:\|>|\d+(?:-\d+)?)[^{}\n]*\}\{([^{}\n]*)\}/.exec(part);
  return inner === null ? undefined : { end: start + inner[0].length, by: inner[1] ?? "" };
}
