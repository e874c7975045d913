// The text of a lesson file as HTML, and what an author should know about it.
import type { Answers } from "../quiz/answers.ts";
import { inspectHtml } from "../html/inspect-html.ts";
import { createSourceFinder, type SourcePiece } from "../html/source-lines.ts";
import type { FileInLesson, LinedLink } from "../resolve/placed-course.ts";
import type { SourceLimits } from "../limits.ts";
import type { MarkdownDialect } from "../markdown/dialects.ts";
import type { TextReading, TextRemark } from "../markdown/markdown-environment.ts";

export interface BodyOptions {
  limits: SourceLimits;
  /** What the Markdown files of the course are written in. */
  dialect: MarkdownDialect;
  /** In which callouts get their titles (BCP 47); undefined: English. */
  language: string | undefined;
  /** What the lesson is called; undefined where its first level-1 heading is to name it. */
  name: string | undefined;
  /** With false the first video of MDX is the lesson's URL, else it is embedded where it stands, as the others are. */
  keepsVideo: boolean;
  /** With false the questions of MDX are the lesson's quiz, else forms where they stand. */
  keepsQuestions: boolean;
  answers: Answers;
  /** What the rules of the course's format find out; undefined where they find nothing. */
  reading?: TextReading | undefined;
  /** The framework for whose readers the text is; undefined for the branches of all, one after the other. */
  framework: string | undefined;
}

/** A file that is a part of a lesson file, such as the image in a notebook. */
export interface MadeFile extends Pick<FileInLesson, "size"> {
  fileName: string;
  /** The first 32 hex digits of the content's SHA-256. */
  digest: string;
  bytes: number;
  /** Reads it from the text of the lesson file, which may be another by now; undefined where it has no such file any more. */
  read: (text: string, limits: SourceLimits) => Uint8Array | undefined;
}

export interface LessonBody {
  /** With its links as they were written. */
  html: string;
  /** Where the HTML comes from; lines count as those of remarks do. */
  pieces: SourcePiece[];
  /** Undefined where the text gives none. */
  title: string | undefined;
  videoUrl: string | undefined;
  /** "" where the text has no questions. */
  quizHtml: string;
  /** How many questions of MDX the text has. */
  selfChecks: number;
  /** The line of its first question. */
  quizLine?: number | undefined;
  remarks: TextRemark[];
  /** How many questions the text has whose answers only --answers all publishes; none where absent. */
  questions?: number | undefined;
  /** The line of the body for a line that is counted otherwise; absent where they are the same. */
  lineOf?: ((line: number) => number) | undefined;
  /** By the addresses that the HTML has for them. */
  files?: ReadonlyMap<string, MadeFile> | undefined;
}

/** What is to be known of the HTML of a text, with the lines of the text. Reads it once. */
export function inspectBody({ html, pieces }: Pick<LessonBody, "html" | "pieces">) {
  const { links, ids, scripts, leftovers } = inspectHtml(html);
  const findLink = createSourceFinder(html, pieces);
  const lined = links.map((link): LinedLink => {
    const { line, isHtml } = findLink(link.start);
    return isHtml ? { ...link, line } : { ...link, line, written: decodeForPeople(link.value) };
  });
  const findScript = createSourceFinder(html, pieces);
  const findLeftover = createSourceFinder(html, pieces);
  const remarks: TextRemark[] = [
    ...scripts.map(({ message, offset }) => ({ kind: "script" as const, message, line: findScript(offset).line })),
    ...leftovers.map(({ message, offset }) => {
      return { kind: "leftover-syntax" as const, message, line: findLeftover(offset).line };
    }),
  ];
  return { links: lined, ids, remarks };
}

// The parser percent-encodes; authors look for what they typed.
function decodeForPeople(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
