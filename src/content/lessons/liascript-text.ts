// The text of a LiaScript course: quizzes as forms, macros as what they stand for, and without what only its runtime does.
import type { SourceTree } from "../files/source-tree.ts";
import { escapeHtml } from "../html/escape.ts";
import { UnreadableText } from "../limits.ts";
import type { Report } from "../source.ts";
import type { TallyEntry } from "../tally.ts";
import { readGap, readQuizBlock, type QuizBlock } from "./liascript-quiz.ts";
import { MacroExpander, type Macros } from "./liascript-macros.ts";
import type { MarkdownSyntax } from "./markdown-environment.ts";
import { renderFragment } from "./markdown-parser.ts";
import { editOutsideCode, type Replacement } from "./outside-code.ts";
import type { PrepareText } from "./prepared-text.ts";
import { renderQuizForm, type QuizInput, type QuizQuestion } from "./quiz-form.ts";

export interface LiaScriptOptions {
  tree: SourceTree;
  macros: Macros;
  syntax: MarkdownSyntax;
  withAnswers: boolean;
}

/** Makes what prepares the sections of one course. */
export function createLiaScriptText(options: LiaScriptOptions): PrepareText {
  return async ({ path, text, firstLine }, report) => {
    const file = options.tree.toTypedPath(path);
    const placeOf = (line: number): { file: string; line: number } => ({ file, line: line + firstLine - 1 });
    try {
      const section = new Section(options);
      return { ...section.read(text, (...tally) => report(toNote(tally, placeOf(1)))), placeOf };
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
      report({ severity: "error", kind: error.kind, ...placeOf(1), message: error.message });
      return undefined;
    }
  };
}

function toNote(tally: TallyEntry[], place: { file: string; line: number }): Parameters<Report>[0] {
  const dropped = tally.filter(({ isKept }) => !isKept);
  const parts = dropped.map(({ what, plural, count }) => `${count} ${count === 1 ? what : (plural ?? `${what}s`)}`);
  const message =
    dropped.length === 0 ? "has parts that are shown in another form" : `is shown without ${parts.join(", ")}`;
  return { severity: dropped.length === 0 ? "note" : "warning", kind: "dropped-component", ...place, message, tally };
}

const KINDS = {
  quiz: { what: "quiz", plural: "quizzes", isKept: true },
  survey: { what: "survey", isKept: true },
  surplus: { what: "quiz above 1,000 of a lesson", plural: "quizzes above 1,000 of a lesson", isKept: false },
  narration: { what: "comment for a narrator", plural: "comments for a narrator", isKept: false },
  script: { what: "script of LiaScript", plural: "scripts of LiaScript", isKept: false },
} as const;

/** A lesson has no more questions. */
const MAX_QUESTIONS = 1000;
/** A question's context is no longer than this; more is the lesson's text. */
const MAX_ABOVE = 2000;
const FENCE = /^\s*(`{3,}|~{3,})[ \t]*([^`]*)$/;
const NARRATION = /^\s*--\{\{[^{}]*\}\}--\s*(.*)$/;
const ANIMATION = /^\s*(?:\{\{[^{}]*\}\}|!?>?\{\{[^{}]*\}\})\s*$/;
const STARS = /^\s*\*{3,}\s*$/;

class Section {
  videoUrl: string | undefined;
  readonly #questions: QuizQuestion[] = [];
  readonly #tally = new Map<string, TallyEntry>();
  readonly #macros: MacroExpander;
  readonly #options: LiaScriptOptions;

  constructor(options: LiaScriptOptions) {
    this.#options = options;
    this.#macros = new MacroExpander(options.macros);
  }

  read(
    text: string,
    note: (...tally: TallyEntry[]) => void,
  ): { text: string; quizHtml: string; videoUrl: string | undefined } {
    const { withAnswers, syntax } = this.#options;
    const lines = this.#readLines(this.#dropScripts(text).split("\n"));
    const shown = this.#readInline(lines.join("\n"));
    if (this.#tally.size > 0) note(...this.#tally.values());
    return {
      text: shown,
      quizHtml: renderQuizForm(this.#questions, { withAnswers, language: syntax.language }),
      videoUrl: this.videoUrl,
    };
  }

  // Code above a script is run by it, a quiz above one is judged by it.
  #dropScripts(text: string): string {
    const last = text.lastIndexOf("</script>");
    return editOutsideCode(text, "<", (start) => {
      if (start > last) return undefined;
      const opening = /^<script\b[^>]*>/i.exec(text.slice(start, start + 1000));
      if (opening === null) return undefined;
      const end = text.indexOf("</script>", start);
      if (end === -1) return undefined;
      this.#count(KINDS.script);
      return { end: end + "</script>".length, by: "" };
    });
  }

  /** As many lines as before, but where a quiz is: that becomes fewer, and empty ones. */
  #readLines(lines: string[]): string[] {
    const shown: string[] = [];
    let fence: string | undefined;
    let isNarration = false;
    let openStars = 0;
    for (let index = 0; index < lines.length; index++) {
      const line = lines[index] ?? "";
      const mark = FENCE.exec(line);
      if (fence !== undefined) {
        if (mark !== null && (mark[2] ?? "").trim() === "" && mark[1]?.startsWith(fence) === true) fence = undefined;
        shown.push(line);
      } else if (mark !== null) {
        fence = mark[1];
        shown.push(this.#readFence(line));
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
          shown.push(this.#addQuiz(quiz, shown), ...Array.from({ length: quiz.end - index - 1 }, () => ""));
          index = quiz.end - 1;
        }
      }
    }
    return shown;
  }

  // ``` js   @eval(1)
  #readFence(line: string): string {
    const macros = line.match(/@\[?[A-Za-z_][\w.]*\]?(?:\([^()]*\))?/g) ?? [];
    for (const macro of macros) this.#countMacro(/[A-Za-z_][\w.]*/.exec(macro)?.[0] ?? "");
    return macros.reduce((shown, macro) => shown.replace(macro, ""), line).trimEnd();
  }

  #addQuiz({ inputs, hints, solution, isSurvey }: QuizBlock, above: readonly string[]): string {
    if (this.#questions.length >= MAX_QUESTIONS) return this.#dropQuiz();
    this.#count(isSurvey ? KINDS.survey : KINDS.quiz);
    const context = findParagraph(above);
    const first = this.#questions.length + 1;
    for (const [index, { label, input }] of inputs.entries()) {
      const isFirst = index === 0;
      this.#questions.push({
        legend: label === "" ? "" : this.#render(label),
        above: isFirst && context !== "" ? `<p>${this.#render(context)}</p>\n` : "",
        below: "",
        input: this.#renderInput(input),
        hints: index === inputs.length - 1 ? hints.map((hint) => this.#render(hint)) : [],
        solution: index === inputs.length - 1 && solution !== undefined ? this.#render(solution) : undefined,
      });
    }
    const marks = inputs.map((_, index) => `<span data-question="${first + index}"></span>`);
    // A paragraph of its own, whatever stands around it.
    return `\n${marks.join("")}\n`.trim();
  }

  // Its text may tell the answer.
  #dropQuiz(): string {
    this.#count(KINDS.surplus);
    return "…";
  }

  #renderInput(input: QuizInput): QuizInput {
    if (input.kind === "text") return input;
    const isMenu = input.kind === "menu";
    // A menu holds text only.
    const choices = input.choices.map((choice) => ({
      ...choice,
      text: isMenu ? escapeHtml(choice.text) : this.#render(choice.text),
    }));
    return { ...input, choices };
  }

  #render(markdown: string): string {
    return renderFragment(this.#readInline(hideGaps(markdown)), this.#options.syntax).trim();
  }

  // Macros, gaps, media and animations within a line.
  #readInline(text: string): string {
    return editOutsideCode(text, "@[!?{", (start) => {
      switch (text[start]) {
        case "@":
          return this.#readMacro(text, start);
        case "[":
          return this.#readGap(text, start);
        case "{":
          return readAnimation(text, start);
        default:
          return this.#readMedia(text, start);
      }
    });
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

  #readGap(text: string, start: number): Replacement | undefined {
    // A choice where none is read, such as in a quotation: which is right is not told.
    const choice = /^\[\([ \t]*[Xx]?[ \t]*\)\]/.exec(text.slice(start, start + 20));
    if (choice !== null) return { end: start + choice[0].length, by: "○" };
    const gap = readGap(text, start);
    // [[a]](b) and [[a]: b] are links.
    if (gap === undefined || /^[(:[]/.test(text.slice(gap.end))) return undefined;
    if (this.#questions.length >= MAX_QUESTIONS) return { end: gap.end, by: this.#dropQuiz() };
    const asked = hideGaps(findLineAround(text, start, gap.end));
    this.#count(gap.isSurvey ? KINDS.survey : KINDS.quiz);
    const { limits, dialect, language } = this.#options.syntax;
    this.#questions.push({
      legend: renderFragment(asked.replace(/^[\s>*+#-]+/, ""), { limits, dialect, language }),
      above: "",
      below: "",
      input: this.#renderInput(gap.input),
      hints: [],
      solution: undefined,
    });
    return { end: gap.end, by: `<span data-question="${this.#questions.length}">…</span>` };
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

  #countMacro(name: string): void {
    this.#count({ what: `macro @${name} of LiaScript`, plural: `macros @${name} of LiaScript`, isKept: false });
  }

  #count(kind: Omit<TallyEntry, "count">): void {
    const known = this.#tally.get(kind.what);
    if (known === undefined) this.#tally.set(kind.what, { ...kind, count: 1 });
    else known.count++;
  }
}

/** The line around a gap, or so much of it as a question needs, with the gap as "…". */
function findLineAround(text: string, start: number, end: number): string {
  const from = Math.max(0, start - MAX_ABOVE / 2);
  const before = text.slice(from, start);
  const after = text.slice(end, end + MAX_ABOVE / 2);
  const lineStart = before.lastIndexOf("\n") + 1;
  const lineEnd = after.indexOf("\n");
  // What is cut off within another gap would tell its answer.
  const shownBefore = lineStart > 0 || from === 0 ? before.slice(lineStart) : before.replace(/^\[?[^[\]]*\]+/, "");
  const shownAfter = lineEnd === -1 ? after.replace(/\[(?:->)?\[?[^[\]]*\]?$/, "") : after.slice(0, lineEnd);
  return `${shownBefore}…${shownAfter}`;
}

function hideGaps(text: string): string {
  return text.replace(/\[(?:->)?\[[^[\]]*\]\]?\](?![(:[])/g, "…");
}

// {{1}} before a text, {1}{a text}
function readAnimation(text: string, start: number): Replacement | undefined {
  const part = text.slice(start, start + 2000);
  const whole = /^\{\{[ \t]*(?:\|>|\d[\d\s,-]*)[^{}\n]*\}\}[ \t]*/.exec(part);
  if (whole !== null) return { end: start + whole[0].length, by: "" };
  const inner = /^\{[ \t]*(?:\|>|\d+(?:-\d+)?)[^{}\n]*\}\{([^{}\n]*)\}/.exec(part);
  return inner === null ? undefined : { end: start + inner[0].length, by: inner[1] ?? "" };
}

/** What stands directly above a quiz: what it asks. */
function findParagraph(lines: readonly string[]): string {
  let end = lines.length;
  while (end > 0 && (lines[end - 1] ?? "").trim() === "") end--;
  let start = end;
  while (start > 0 && (lines[start - 1] ?? "").trim() !== "" && end - start < 30) start--;
  const text = lines.slice(start, end).join("\n").trim();
  const isBlock = /^(?:[`~]{3}|\||<|#|>|[-*+][ \t]|\d+[.)][ \t])/m.test(text) || text.includes("data-question");
  return isBlock || text.length > MAX_ABOVE ? "" : text;
}
