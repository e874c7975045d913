// MDX to Markdown. A component that can be shown becomes a mark in the text, of which the parser makes HTML again; of others
// only what they enclose stays. What is removed leaves its line breaks, so that the lines of what remains are the file's.
import { createLineCounter } from "../../html/line-counter.ts";
import { cutText } from "../../quote.ts";
import type { MarkdownSyntax } from "../markdown-environment.ts";
import { findAttribute, readAttributes, type Attributes } from "./mdx-attributes.ts";
import { findForm, type ComponentForm } from "./mdx-components.ts";
import { chooseBranch, isAboutFramework, toBranchCondition } from "./mdx-conditions.ts";
import { toAround, toBranch, toLinkList, toPicture, toVideoFrame, type AroundText } from "./mdx-html.ts";
import { readElements } from "./mdx-elements.ts";
import { listItems, type MdxItem } from "./mdx-items.ts";
import { MdxMarks, type MdxMark } from "./mdx-marks.ts";
import { groupItems, ItemLines, type ItemGroup } from "./mdx-places.ts";
import { readQuestion } from "./mdx-question.ts";

/** Something that the text holds no more: what it was, its first line, and how often it stood there. */
export interface DroppedPart {
  name: string;
  line: number;
  count: number;
}

export interface MdxOptions {
  /** What the text is written in; undefined: MDX, without TeX's formulas. */
  syntax?: MarkdownSyntax | undefined;
  /** With false the first video is the lesson's URL, else all are embedded where they stand. */
  keepsVideo: boolean;
  /** The framework for whose readers the text is; undefined for all branches, one after the other. */
  framework: string | undefined;
  /** The language of the course (BCP 47); undefined: English. */
  language?: string | undefined;
}

export interface MdxText {
  /** Where marks stand for what is shown. */
  markdown: string;
  marks: MdxMarks;
  /** The URL of the first video component; undefined when there is none, or it is kept. */
  videoUrl: string | undefined;
  /** What is not shown, and not even a mark; comments, switches and closing tags are not counted. */
  dropped: DroppedPart[];
  /** Where all the branches for readers of different frameworks stand. */
  branches: DroppedPart | undefined;
}

/** Reads MDX: what a program would show becomes marks, what cannot be shown is dropped. */
export function parseMdx(text: string, options: MdxOptions): MdxText {
  // As the Markdown parser does; what components are given reaches the HTML without it.
  const elements = readElements(text.replaceAll("\0", "\ufffd"), options.syntax);
  const parsed = new MdxComposer(elements.text, options).compose();
  return { ...parsed, dropped: [...parsed.dropped, ...elements.dropped] };
}

class MdxComposer {
  #videoUrl: string | undefined;
  #branches: DroppedPart | undefined;
  #line = 1;
  readonly #marks = new MdxMarks();
  readonly #dropped = new Map<string, DroppedPart>();
  readonly #items: MdxItem[];
  readonly #lines: ItemLines;
  /** Of each item in a group, that group. */
  readonly #groups = new Map<number, ItemGroup>();
  /** What stands for an item, known since another item of its group was read. */
  readonly #known = new Map<number, string>();
  /** Parts of the text that readers of the framework are not shown. */
  readonly #hidden = new Map<number, number>();

  readonly #text: string;
  readonly #options: MdxOptions;

  constructor(text: string, options: MdxOptions) {
    this.#text = text;
    this.#options = options;
    this.#items = listItems(text, options.syntax);
    this.#lines = new ItemLines(text, this.#items);
    for (const group of groupItems(this.#items)) for (const index of group) this.#groups.set(index, group);
  }

  compose(): MdxText {
    const lineAt = createLineCounter(this.#text);
    const parts: string[] = [];
    let copiedTo = 0;
    for (const [index, item] of this.#items.entries()) {
      if (item.start < copiedTo) continue;
      this.#line = lineAt(item.start);
      const shown = this.#known.get(index) ?? this.#show(item, index);
      if (shown === undefined) continue;
      const end = Math.max(item.end, this.#hidden.get(index) ?? 0);
      parts.push(
        this.#text.slice(copiedTo, item.start),
        shown,
        this.#text.slice(item.start, end).replace(/[^\n]+/g, ""),
      );
      copiedTo = end;
    }
    parts.push(this.#text.slice(copiedTo));
    const dropped = [...this.#dropped.values()];
    return {
      markdown: parts.join(""),
      marks: this.#marks,
      videoUrl: this.#videoUrl,
      dropped,
      branches: this.#branches,
    };
  }

  /** What stands for an item; undefined for one that stays as it is. */
  #show(item: MdxItem, index: number): string | undefined {
    switch (item.kind) {
      case "comment":
        return "";
      case "module":
        return this.#drop("import or export line");
      case "begin":
        return this.#showBranches(index);
      case "next":
      case "end":
      case "alone":
        return this.#drop(item.name.startsWith("[[") ? item.name : CONTROL_NAME);
      case "close":
        return this.#drop(nameComponent(item), findForm(item.name)?.as === "content");
      default:
        return this.#showComponent(item, index);
    }
  }

  #showComponent(item: MdxItem, index: number): string | undefined {
    const form = findForm(item.name);
    const closing = item.kind === "open" ? this.#groups.get(index)?.[1] : undefined;
    if (closing !== undefined) this.#known.set(closing, "");
    if (form === undefined) return this.#drop(nameComponent(item));
    if (form.as === "image") return this.#showTwins(index);
    if (form.as === "content") return "";
    const attributes = readAttributes(this.#text, item.start, item.end);
    switch (form.as) {
      case "question":
        return this.#showQuestion(item, index, attributes);
      case "video":
        return this.#showVideo(item, index, form, attributes);
      case "notebooks":
        return this.#showNotebooks(item, index, attributes, form.attribute);
      case "branch":
        return this.#showFrameworkContent(item, index, closing, form.framework);
      default:
        return this.#showAround(item, index, closing, toAround(form, attributes, this.#options.language));
    }
  }

  #showQuestion(item: MdxItem, index: number, attributes: Attributes): string {
    const question = readQuestion(attributes);
    const name = nameComponent(item);
    if ("problem" in question) {
      const line = question.offset === undefined ? undefined : this.#lineWithin(item, question.offset);
      return this.#drop(`${name} (${question.problem}${line === undefined ? "" : `, line ${line}`})`);
    }
    if (this.#lines.startsLine[index] !== true) return this.#drop(name);
    return this.#mark(item, { isBlock: true, html: "", choices: question.choices });
  }

  #showVideo(item: MdxItem, index: number, form: ComponentForm & { as: "video" }, attributes: Attributes): string {
    const id = findAttribute(attributes, "id", "videoId")?.trim() ?? "";
    if (id === "") return this.#drop(nameComponent(item));
    if (!this.#options.keepsVideo && this.#videoUrl === undefined) {
      this.#videoUrl = form.page + encodeURIComponent(id);
      return "";
    }
    const title = findAttribute(attributes, "title")?.trim() ?? "";
    const player = form.player + encodeURIComponent(id);
    const html = toVideoFrame(player, title === "" ? `${form.site} video` : title);
    return this.#mark(item, { isBlock: this.#lines.fillsLines(index, index), html });
  }

  #showNotebooks(item: MdxItem, index: number, attributes: Attributes, name: string): string {
    const given = attributes.get(name) ?? { value: [] };
    const html = "value" in given ? toLinkList(given.value, findAttribute(attributes, "askForHelpUrl")) : undefined;
    if (html === undefined) return this.#drop(nameComponent(item));
    // A banner without links is an ornament.
    return html === "" ? "" : this.#mark(item, { isBlock: this.#lines.fillsLines(index, index), html });
  }

  /** Two images of which readers see one: the light one is shown, and the other told. */
  #showTwins(index: number): string | undefined {
    const [one, other] = [this.#items[index], this.#items[index + 1]];
    if (one === undefined || other?.name !== "img" || other.kind !== "empty") return undefined;
    const between = this.#text.slice(one.end, other.start);
    if (!/^[ \t]*(?:\r?\n[ \t]*)?$/.test(between)) return undefined;
    const html = toPicture(this.#text.slice(one.start, one.end), this.#text.slice(other.start, other.end));
    if (html === undefined) return undefined;
    const isBlock = this.#lines.fillsLines(index, index + 1);
    const shown = this.#mark(one, { isBlock, html });
    // A blank line in its place would end the HTML that both stand in.
    this.#known.set(index + 1, this.#mark(other, { isBlock, html: "" }));
    return shown;
  }

  #showFrameworkContent(item: MdxItem, index: number, closing: number | undefined, framework: string): string {
    const condition = `fw === '${framework}'`;
    const chosen = this.#options.framework;
    if (closing !== undefined && chosen !== undefined) {
      if (chosen !== framework) this.#hide(index, closing);
      return "";
    }
    this.#noteBranches(nameComponent(item));
    return this.#showAround(item, index, closing, toBranch(condition, "div"));
  }

  /** Something with a beginning and an end, which has lines for itself. */
  #showAround(item: MdxItem, index: number, closing: number | undefined, opening: AroundText): string {
    const end = closing === undefined ? undefined : this.#items[closing];
    if (closing === undefined || end === undefined || !this.#lines.fillsLines(index, closing)) {
      return this.#drop(nameComponent(item));
    }
    return this.#markPair(item, end, closing, { isBlock: true, ...opening });
  }

  /** `{#if …}` with its branches. */
  #showBranches(index: number): string {
    const group = this.#groups.get(index);
    const { framework } = this.#options;
    const members = (group ?? []).map((at) => ({ at, item: this.#items[at] as MdxItem }));
    const [first, last] = [members[0], members.at(-1)];
    for (const { at } of members) this.#known.set(at, "");
    if (first === undefined || last === undefined || first.item.name !== "if") return this.#drop(CONTROL_NAME);
    if (members.length - 1 > MAX_BRANCHES) return this.#drop(CONTROL_NAME);
    const branches = members.slice(0, -1).map((member, number) => ({ ...member, until: members[number + 1] ?? last }));
    const conditions = branches.map(({ item }) => item.condition);
    const chosen = framework === undefined ? undefined : chooseBranch(conditions, framework);
    if (chosen !== undefined) {
      for (const [number, { at, until }] of branches.entries()) if (number !== chosen) this.#hide(at, until.at);
      return "";
    }
    const isBlock =
      this.#lines.fillsLines(first.at, last.at) &&
      (this.#lines.endsLine[first.at] === true || this.#lines.standsApart(first.at, last.at));
    const content = this.#text.slice(first.item.end, last.item.start);
    if (!isBlock && /\n[ \t>\r]*\n/.test(content)) return this.#drop(CONTROL_NAME);
    if (isAboutFramework(conditions[0] ?? "")) this.#noteBranches(cutText(`{#if${conditions[0] ?? ""}}`));
    const known: string[] = [];
    for (const [number, { at, item, until }] of branches.entries()) {
      const condition = toBranchCondition(known, item.condition);
      known.push(item.condition ?? "");
      const opening = toBranch(condition, isBlock ? "div" : "span");
      const mark = this.#markPair(item, until.item, until.at, { isBlock, ...opening });
      this.#known.set(at, (number === 0 ? "" : (this.#known.get(at) ?? "")) + mark);
    }
    return this.#known.get(index) ?? "";
  }

  /** Leaves out what stands between two items. */
  #hide(from: number, to: number): void {
    this.#hidden.set(from, this.#items[to]?.start ?? 0);
  }

  #markPair(
    item: MdxItem,
    end: MdxItem,
    closing: number,
    { isBlock, tag, end: endTag, condition }: AroundText & { isBlock: boolean },
  ): string {
    const name = item.kind === "open" ? nameComponent(item) : CONTROL_NAME;
    const line = this.#line;
    const sourceOf = ({ start, end: to }: MdxItem): string => this.#text.slice(start, to);
    const ending = this.#marks.add({ role: "closing", isBlock, html: endTag, source: sourceOf(end), name, line });
    this.#known.set(closing, ending.text);
    const opening: MdxMark = { role: "opening", isBlock, html: tag, source: sourceOf(item), name, line };
    return this.#marks.add({ ...opening, closing: ending.id, condition }).text;
  }

  #mark(item: MdxItem, mark: Pick<MdxMark, "isBlock" | "html" | "choices">): string {
    const source = this.#text.slice(item.start, item.end);
    return this.#marks.add({ role: "whole", source, name: nameComponent(item), line: this.#line, ...mark }).text;
  }

  #drop(name: string, isSilent = false): string {
    const known = this.#dropped.get(name);
    if (known !== undefined) known.count++;
    else if (!isSilent) this.#dropped.set(name, { name, line: this.#line, count: 1 });
    return "";
  }

  #noteBranches(name: string): void {
    if (this.#branches === undefined) this.#branches = { name, line: this.#line, count: 1 };
    else this.#branches.count++;
  }

  #lineWithin({ start }: MdxItem, offset: number): number {
    return this.#line + this.#text.slice(start, offset).split("\n").length - 1;
  }
}

/** Each branch tells of all before it; nobody writes so many. */
const MAX_BRANCHES = 50;

/** How what is dropped of control lines is called. */
const CONTROL_NAME = "control line {#if …}, whose branches are all kept,";

function nameComponent({ name }: MdxItem): string {
  return `component <${cutText(name)}>`;
}
