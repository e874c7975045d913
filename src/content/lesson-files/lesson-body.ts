// The options for rendering a lesson file, and the result.
import type { Answers } from "../quiz/answers.ts";
import { inspectHtml } from "../html/inspect-html.ts";
import { createSourceFinder, type SourcePiece } from "../html/source-lines.ts";
import type { FileInLesson, LinedLink } from "../resolve/placed-course.ts";
import type { SourceLimits } from "../limits.ts";
import type { MarkdownDialect } from "../markdown/dialects.ts";
import type { TextReading, TextRemark } from "../markdown/markdown-environment.ts";

export interface BodyOptions {
  limits: SourceLimits;
  /** The dialect of the course's Markdown files. */
  dialect: MarkdownDialect;
  /** The language (BCP 47) of callout titles; English if undefined. */
  language: string | undefined;
  /** The lesson's name; if undefined, the first level-1 heading is the name. */
  name: string | undefined;
  /** False moves the first video of an MDX file to the lesson's `url`; true embeds it, like the other videos. */
  keepsVideo: boolean;
  /** False moves the questions of an MDX file to the lesson's quiz; true keeps them in the text. */
  keepsQuestions: boolean;
  answers: Answers;
  /** Collects what the format's own rules find; undefined if the format has none. */
  reading?: TextReading | undefined;
  /** The framework whose branches are kept; undefined keeps all branches. */
  framework: string | undefined;
}

/** A file inside a lesson file, such as a notebook's image. */
export interface MadeFile extends Pick<FileInLesson, "size"> {
  fileName: string;
  /** The first 32 hex digits of the content's SHA-256. */
  digest: string;
  bytes: number;
  /** Reads the content from the lesson file's current text; returns undefined if the content is gone. */
  read: (text: string, limits: SourceLimits) => Uint8Array | undefined;
}

export interface LessonBody {
  /** The HTML, with links as written. */
  html: string;
  /** Maps the HTML to lines, which count like those of `remarks`. */
  pieces: SourcePiece[];
  /** The text's title, if any. */
  title: string | undefined;
  videoUrl: string | undefined;
  /** The quiz; "" without questions. */
  quizHtml: string;
  /** The number of MDX questions. */
  selfChecks: number;
  /** The line of the first MDX question. */
  quizLine?: number | undefined;
  remarks: TextRemark[];
  /** The text of each label; absent unless the dialect sets `hasLabels`. */
  labels?: ReadonlyMap<string, string> | undefined;
  /** The number of questions whose answers only `--answers all` publishes; 0 if absent. */
  questions?: number | undefined;
  /** Maps a line of `pieces` or `remarks` to the line of the body; absent if the two lines are the same. */
  lineOf?: ((line: number) => number) | undefined;
  /** The files inside the lesson file, by their URLs in the HTML. */
  files?: ReadonlyMap<string, MadeFile> | undefined;
}

/** Returns the ids in a body's HTML, and its links and remarks with their lines. */
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

// The parser percent-encodes URLs; messages show them as typed.
function decodeForPeople(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
