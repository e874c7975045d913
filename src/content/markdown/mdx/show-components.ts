// Renders components and control lines.
import type { Token } from "markdown-it";
import { cutText } from "../../quote.ts";
import type { ComponentReading } from "./component-reading.ts";
import type { JsxItem } from "./jsx-items.ts";
import { findAttribute, readAttributes, type Attributes } from "./mdx-attributes.ts";
import { findForm, type ComponentForm } from "./mdx-components.ts";
import type { DroppedAttribute } from "./mdx-elements.ts";
import { toAround, toBranch, toLinkList, toVideoFrame, type AroundText } from "./mdx-html.ts";
import { readQuestion, type Choice } from "./mdx-question.ts";

export interface ShownItem {
  html: string;
  /** Hides everything up to this item. */
  hiddenTo?: JsxItem | undefined;
  /** Set on the first item of a pair if an element surrounds the content of the pair. */
  opens?: { closing: JsxItem; condition: string | undefined };
  choices?: Choice[];
}

/** Token metadata of MDX rules. */
export interface JsxMeta {
  item?: JsxItem;
  shown?: ShownItem;
  /** The dropped attributes of an HTML element. */
  dropped?: DroppedAttribute[];
}

/** Returns an MDX token's metadata; undefined for a Markdown token. */
export function jsxOf({ meta }: Token): JsxMeta | undefined {
  return (meta as JsxMeta | null) ?? undefined;
}

/** The maximum number of branches, since each branch repeats the conditions of all previous ones. */
const MAX_BRANCHES = 50;

/** The name that messages use for dropped control lines. */
const CONTROL_NAME = "control line {#if …}, whose branches are all kept,";
const NOTHING: ShownItem = { html: "" };

/** Renders items, in order. */
export class ComponentDisplay {
  readonly #known = new Map<JsxItem, ShownItem>();
  readonly #reading: ComponentReading;

  readonly #isLink: (url: string) => boolean;

  /** `isLink` returns false for a URL that would run a script. */
  constructor(reading: ComponentReading, isLink: (url: string) => boolean) {
    this.#reading = reading;
    this.#isLink = isLink;
  }

  show(item: JsxItem): ShownItem {
    const known = this.#known.get(item);
    if (known !== undefined) return known;
    // The opening item already has a warning.
    if (item.group?.length === 0) return NOTHING;
    switch (item.kind) {
      case "comment":
        return NOTHING;
      case "module":
        return this.#drop(item, "import or export line");
      case "begin":
        return this.#showBranches(item);
      case "next":
      case "end":
      case "alone":
        return this.#drop(item, item.name.startsWith("[[") ? item.name : CONTROL_NAME);
      case "close":
        return this.#drop(item, nameComponent(item), findForm(item.name)?.as !== "content");
      default:
        return this.#showComponent(item);
    }
  }

  #showComponent(item: JsxItem): ShownItem {
    const form = findForm(item.name);
    const closing = item.group?.at(-1);
    if (closing !== undefined) this.#known.set(closing, NOTHING);
    if (form === undefined) return this.#drop(item);
    if (form.as === "content") return NOTHING;
    const attributes = readAttributes(item.source, 0, item.source.length);
    switch (form.as) {
      case "question":
        return this.#showQuestion(item, attributes);
      case "video":
        return this.#showVideo(item, form, attributes);
      case "notebooks": {
        const given = attributes.get(form.attribute) ?? { value: [] };
        const help = findAttribute(attributes, "askForHelpUrl");
        const html = "value" in given ? toLinkList(given.value, help, this.#isLink) : undefined;
        return html === undefined ? this.#drop(item) : { html };
      }
      case "branch":
        return this.#showFrameworkContent(item, closing, form.framework);
      default:
        return this.#showAround(item, closing, toAround(form, attributes, this.#reading.options.language));
    }
  }

  #showQuestion(item: JsxItem, attributes: Attributes): ShownItem {
    const question = readQuestion(attributes);
    const name = nameComponent(item);
    if ("problem" in question) {
      const { problem, offset } = question;
      const line =
        offset === undefined ? "" : `, line ${item.line + item.source.slice(0, offset).split("\n").length - 1}`;
      return this.#drop(item, `${name} (${problem}${line})`);
    }
    if (!item.isBlock) return this.#drop(item);
    this.#reading.questionLine ??= item.line;
    return { html: "", choices: question.choices };
  }

  #showVideo(item: JsxItem, form: ComponentForm & { as: "video" }, attributes: Attributes): ShownItem {
    const id = findAttribute(attributes, "id", "videoId")?.trim() ?? "";
    if (id === "") return this.#drop(item);
    if (!this.#reading.options.keepsVideo && this.#reading.videoUrl === undefined) {
      this.#reading.videoUrl = form.page + encodeURIComponent(id);
      return NOTHING;
    }
    const title = findAttribute(attributes, "title")?.trim() ?? "";
    return { html: toVideoFrame(form.player + encodeURIComponent(id), title === "" ? `${form.site} video` : title) };
  }

  #showFrameworkContent(item: JsxItem, closing: JsxItem | undefined, framework: string): ShownItem {
    const chosen = this.#reading.options.framework;
    if (closing !== undefined && chosen !== undefined)
      return { html: "", hiddenTo: findHidden(item, chosen)?.get(item) };
    this.#reading.noteBranches(nameComponent(item), item.line);
    return this.#showAround(item, closing, toBranch(`fw === '${framework}'`, "div"));
  }

  /** Renders a pair of block items with an element around their content. */
  #showAround(item: JsxItem, closing: JsxItem | undefined, around: AroundText): ShownItem {
    if (closing === undefined || !item.isBlock || !closing.isBlock) return this.#drop(item);
    return this.#showPair(closing, around);
  }

  #showPair(closing: JsxItem, { tag, end, condition }: AroundText): ShownItem {
    this.#known.set(closing, { html: (this.#known.get(closing)?.html ?? "") + end });
    return { html: tag, opens: { closing, condition } };
  }

  /** Renders `{#if …}` with its branches. */
  #showBranches(item: JsxItem): ShownItem {
    const members = item.group ?? [];
    for (const member of members) this.#known.set(member, NOTHING);
    if (item.name !== "if" || members.length === 0 || members.length - 1 > MAX_BRANCHES)
      return this.#drop(item, CONTROL_NAME);
    const { framework } = this.#reading.options;
    const hidden = framework === undefined ? undefined : findHidden(item, framework);
    if (hidden !== undefined) {
      for (const [member, hiddenTo] of hidden) this.#known.set(member, { html: "", hiddenTo });
      return this.#known.get(item) ?? NOTHING;
    }
    if (isAboutFramework(item.condition ?? ""))
      this.#reading.noteBranches(cutText(`{#if${item.condition ?? ""}}`), item.line);
    const element = members.every(({ isBlock }) => isBlock) ? "div" : "span";
    const known: string[] = [];
    for (const [number, member] of members.slice(0, -1).entries()) {
      const condition = toBranchCondition(known, member.condition);
      known.push(member.condition ?? "");
      const before = this.#known.get(member)?.html ?? "";
      const shown = this.#showPair(members[number + 1] as JsxItem, toBranch(condition, element));
      this.#known.set(member, { ...shown, html: before + shown.html });
    }
    return this.#known.get(item) ?? NOTHING;
  }

  #drop(item: JsxItem, name = nameComponent(item), isCounted = true): ShownItem {
    this.#reading.drop(name, item.line, isCounted);
    return NOTHING;
  }
}

/**
 * Maps the first item of each range that is hidden from a framework's readers to the last item of the range. Returns
 * undefined if the item does not begin branches, or if a condition is unknown.
 */
export function findHidden(item: JsxItem, framework: string): Map<JsxItem, JsxItem> | undefined {
  const { group = [], name, kind } = item;
  const form = findForm(name);
  const [first, last] = [group[0], group.at(-1)];
  if (first !== item || last === undefined) return undefined;
  if (kind === "open" && form?.as === "branch") return new Map(form.framework === framework ? [] : [[item, last]]);
  if (kind !== "begin" || name !== "if") return undefined;
  const branches = group.slice(0, -1);
  const chosen = chooseBranch(
    branches.map(({ condition }) => condition),
    framework,
  );
  if (chosen === undefined) return undefined;
  return new Map(branches.flatMap((branch, at) => (at === chosen ? [] : [[branch, group[at + 1] ?? last]])));
}

function nameComponent({ name }: JsxItem): string {
  return `component <${cutText(name)}>`;
}

const COMPARISON = /^\s*([\w.]+)\s*(===?|!==?)\s*(["'`])([\w.-]+)\3\s*$/;

/** Returns true for a condition on the framework. */
function isAboutFramework(condition: string): boolean {
  return COMPARISON.exec(condition)?.[1] === "fw";
}

/**
 * Returns the index of the branch for a framework's readers, -1 if there is none, or undefined if a condition is unknown.
 * A branch without a condition is `{:else}`.
 */
function chooseBranch(conditions: readonly (string | undefined)[], framework: string): number | undefined {
  for (const [number, condition] of conditions.entries()) {
    const holds = condition === undefined ? true : holdsFor(condition, framework);
    if (holds !== false) return holds && number;
  }
  return -1;
}

/** Returns whether a condition holds for a framework; undefined if the condition is unknown. */
function holdsFor(condition: string, framework: string): boolean | undefined {
  const [, name, operator = "", , value] = COMPARISON.exec(condition) ?? [];
  if (name !== "fw") return undefined;
  return (value === framework) === operator.startsWith("=");
}

/** Returns a branch's full condition, given those of the branches before it; `own` is undefined for `{:else}`. */
function toBranchCondition(before: readonly string[], own: string | undefined): string {
  const [first] = before;
  if (first === undefined) return own?.trim() ?? "";
  // If every condition compares the same name, equality with one value already excludes the others.
  if (own !== undefined && [...before, own].every((each) => subjectOfEquality(each) === subjectOfEquality(first))) {
    if (subjectOfEquality(first) !== undefined) return own.trim();
  }
  return [...before.map(negate), ...(own === undefined ? [] : [`(${own.trim()})`])].join(" && ");
}

function subjectOfEquality(condition: string): string | undefined {
  const [, name, operator = ""] = COMPARISON.exec(condition) ?? [];
  return operator.startsWith("=") ? name : undefined;
}

function negate(condition: string): string {
  const [, name = "", operator = "", quote = "", value = ""] = COMPARISON.exec(condition) ?? [];
  if (operator === "") return `!(${condition.trim()})`;
  const opposite = operator.startsWith("=") ? operator.replace("=", "!") : operator.replace("!", "=");
  return `${name} ${opposite} ${quote}${value}${quote}`;
}
