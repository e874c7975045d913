// MDX to Markdown: components need a program to show them, so only their children stay. What is removed leaves its
// line breaks behind, so that the lines of what remains stay those of the file.
import { createLineCounter } from "../html/line-counter.ts";
import { cutText } from "../quote.ts";
import { findBraceEnd, findFenceEnd, findTagEnd, InlineCode } from "./mdx-scanner.ts";

/** Something that the text holds no more: what it was, its first line, and how often it stood there. */
export interface DroppedPart {
  name: string;
  line: number;
  count: number;
}

export interface MdxText {
  markdown: string;
  /** The URL of the first video component; undefined when there is none. */
  videoUrl: string | undefined;
  /** Components, control lines and imports; the video, closing tags and comments are not counted. */
  dropped: DroppedPart[];
}

/**
 * Each that is never closed costs a look through the rest of the text. After so many, and with a long text after so many
 * looks through it, the rest is Markdown as it stands.
 */
const MAX_UNCLOSED = 100;
const MAX_LOOKS = 10;
const LONG_TEXT = 100_000;

const STOP = /[`<{\\\n]/g;
const TAG = /<\/?([A-Z][\w.]*)(?=[\s/>])/y;
const CONTROL = /\{[#:/@](?:if|else|each|key|await|then|catch|html|const|snippet|render)\b/y;
const MODULE_LINE =
  /(?:import\s+(?:["'{*]|[\w$]+\s*,|[\w$]+\s+from\b)|export\s+(?:default|const|let|var|function|class|async)\b|export\s*[{*])/y;

/** Drops what only a program could show. With `keepsVideo` false a video is the lesson's URL, else a component like others. */
export function parseMdx(text: string, keepsVideo: boolean): MdxText {
  return new MdxReader(text, keepsVideo).read();
}

class MdxReader {
  #markdown = "";
  #copiedTo = 0;
  #position = 0;
  #videoUrl: string | undefined;
  #unclosed = 0;
  readonly #dropped = new Map<string, DroppedPart>();
  readonly #lineAt: (offset: number) => number;
  readonly #inlineCode: InlineCode;

  readonly #text: string;
  readonly #keepsVideo: boolean;

  constructor(text: string, keepsVideo: boolean) {
    this.#text = text;
    this.#keepsVideo = keepsVideo;
    this.#lineAt = createLineCounter(text);
    this.#inlineCode = new InlineCode(text);
  }

  read(): MdxText {
    this.#dropModuleLines();
    this.#position = findFenceEnd(this.#text, this.#position) ?? this.#position;
    while (this.#position < this.#text.length) {
      STOP.lastIndex = this.#position;
      const stop = STOP.exec(this.#text);
      if (stop === null) break;
      this.#position = this.#readAt(stop.index, stop[0]);
    }
    this.#markdown += this.#text.slice(this.#copiedTo);
    return { markdown: this.#markdown, videoUrl: this.#videoUrl, dropped: [...this.#dropped.values()] };
  }

  /** Reads what begins at `start`, and answers where to go on. */
  #readAt(start: number, char: string): number {
    if (char === "\n") return findFenceEnd(this.#text, start + 1) ?? start + 1;
    if (char === "`") return this.#inlineCode.findEnd(start);
    if (char === "\\") return start + 2;
    return char === "<" ? this.#readTag(start) : this.#readBrace(start);
  }

  #readTag(start: number): number {
    if (this.#text.startsWith("<!--", start)) {
      const end = this.#text.indexOf("-->", start);
      return end === -1 ? this.#text.length : end + 3;
    }
    TAG.lastIndex = start;
    const name = TAG.exec(this.#text)?.[1];
    // <<SYS>> in prose is no tag.
    if (name === undefined || this.#text[start - 1] === "<") return start + 1;
    const end = this.#findEnd(findTagEnd, start);
    if (end === undefined) return start + 1;
    const isClosing = this.#text[start + 1] === "/";
    const videoUrl =
      this.#keepsVideo || isClosing || this.#videoUrl !== undefined
        ? undefined
        : findVideoUrl(name, this.#text.slice(start, end));
    if (videoUrl === undefined) this.#note(`component <${cutText(name)}>`, start, isClosing);
    else this.#videoUrl = videoUrl;
    return this.#drop(start, end);
  }

  #readBrace(start: number): number {
    CONTROL.lastIndex = start;
    const isControl = CONTROL.test(this.#text);
    if (!isControl && !this.#text.startsWith("{/*", start)) return start + 1;
    const end = this.#findEnd(isControl ? findBraceEnd : findCommentEnd, start);
    if (end === undefined) return start + 1;
    if (isControl)
      this.#note("control line {#if …}, whose branches are all kept,", start, this.#text[start + 1] !== "#");
    return this.#drop(start, end);
  }

  /** Imports and exports count as such only before the first content: `import torch` further down is prose or code. */
  #dropModuleLines(): void {
    for (;;) {
      const start = this.#position + (/^\s*/.exec(this.#text.slice(this.#position))?.[0].length ?? 0);
      MODULE_LINE.lastIndex = start;
      if (!MODULE_LINE.test(this.#text)) return;
      this.#note("import or export line", start, false);
      this.#position = this.#drop(start, this.#findStatementEnd(start));
    }
  }

  // A statement ends with the line on which its braces are closed.
  #findStatementEnd(start: number): number {
    let position = start;
    while (position < this.#text.length && this.#text[position] !== "\n") {
      position = (this.#text[position] === "{" ? this.#findEnd(findBraceEnd, position) : undefined) ?? position + 1;
    }
    return position;
  }

  #findEnd(find: (text: string, start: number) => number | undefined, start: number): number | undefined {
    const { length } = this.#text;
    const most = length > LONG_TEXT ? MAX_LOOKS : MAX_UNCLOSED;
    const end = this.#unclosed < most ? find(this.#text, start) : undefined;
    if (end === undefined) this.#unclosed++;
    return end;
  }

  #drop(start: number, end: number): number {
    this.#markdown += this.#text.slice(this.#copiedTo, start) + this.#text.slice(start, end).replace(/[^\n]/g, "");
    this.#copiedTo = end;
    return end;
  }

  #note(name: string, offset: number, isEnd: boolean): void {
    const known = this.#dropped.get(name);
    if (known !== undefined) known.count += isEnd ? 0 : 1;
    else this.#dropped.set(name, { name, line: this.#lineAt(offset), count: 1 });
  }
}

function findCommentEnd(text: string, start: number): number | undefined {
  const end = text.indexOf("*/}", start);
  return end === -1 ? undefined : end + 3;
}

function findVideoUrl(component: string, tag: string): string | undefined {
  const id = /\s(?:id|videoId)\s*=\s*(?:\{\s*)?["'`]([^"'`\n]+)["'`]/.exec(tag)?.[1]?.trim();
  if (id === undefined) return undefined;
  const name = component.toLowerCase();
  if (name === "youtube") return `https://www.youtube.com/watch?v=${encodeURIComponent(id)}`;
  return name === "vimeo" ? `https://vimeo.com/${encodeURIComponent(id)}` : undefined;
}
