// Containers: blocks between two lines of three or more colons, such as `::: challenge` and `:::`. Containers can be
// nested.
import type { MarkdownIt, StateBlock, StateCore, Token } from "markdown-it";
import { createBlock, createTextBlock } from "../tokens.ts";
import { readAttributes } from "./attributes.ts";
import { findCalloutKind, titleCallout } from "./callouts.ts";
import { readHeadingAttributes } from "./heading-ids.ts";
import { environmentOf, readLine, startOfLine } from "../markdown-environment.ts";
import { endHtmlAt } from "./html-rules.ts";
import { findByLanguage } from "../../by-language.ts";

/** How containers other than callouts are rendered. An unlisted kind becomes a `<div>` with the kind as its class. */
export interface ContainerKinds {
  /** The kinds rendered as `<details>`. */
  details: ReadonlySet<string>;
  /** The kind of notes for instructors, which are left out; undefined leaves out nothing. */
  dropped?: string | undefined;
  /** True to add default titles to Carpentries boxes. */
  hasTitles: boolean;
}

/** Workbench boxes rendered as callouts. */
const BOXES = new Set("challenge checklist discussion keypoints objectives prereq questions testimonial".split(" "));

/** The opening line of a container. The first class is the container's kind. */
export interface ContainerOpening {
  classes: string[];
  id: string | undefined;
  /** The text after the kind; "" if there is none. */
  title: string;
}

/**
 * Parses a line of colons. Returns "end" for a closing line, and undefined for a line that neither opens nor closes a
 * container.
 */
function parseContainerLine(line: string): ContainerOpening | "end" | undefined {
  const text = line.trim();
  if (!text.startsWith(":::")) return undefined;
  let start = 3;
  let end = text.length;
  while (text[start] === ":") start++;
  while (end > start && (text[end - 1] === ":" || text[end - 1] === " ")) end--;
  const rest = text.slice(start, end).trim();
  if (rest === "") return "end";
  if (rest.startsWith("{")) {
    const attributes = readAttributes(rest, 0);
    if (attributes === undefined || attributes.classes.length === 0) return undefined;
    return { ...attributes, title: rest.slice(attributes.end).trim() };
  }
  const [kind] = /^[A-Za-z][\w-]*/.exec(rest) ?? [];
  if (kind === undefined) return undefined;
  const behind = rest.slice(kind.length).trim();
  // `:::note[A title]`
  const title = behind.startsWith("[") && behind.endsWith("]") ? behind.slice(1, -1) : behind;
  return { classes: [kind], id: undefined, title };
}

/** Returns false for a kind rendered as `<div>`. */
export function isKnownKind(kind: string, { details, dropped }: ContainerKinds): boolean {
  return details.has(kind) || kind === dropped || BOXES.has(kind) || findCalloutKind(kind) !== undefined;
}

export function addContainerRules(parser: MarkdownIt): void {
  const { block, core } = parser;
  endHtmlAt(parser, (state) => (line) => parseContainerLine(readLine(state, line)) !== undefined);
  block.ruler.before("fence", "container", readContainerLine, {
    alt: ["paragraph", "reference", "blockquote", "list", "table"],
  });
  core.ruler.after("block", "containers", balanceContainers);
}

function readContainerLine(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const start = startOfLine(state, startLine);
  if (!state.src.startsWith(":::", start)) return false;
  const line = parseContainerLine(state.src.slice(start, state.eMarks[startLine]));
  if (line === undefined) return false;
  if (silent) return true;
  state.line = startLine + 1;
  const token = state.push(line === "end" ? "container_close" : "container_open", "div", 0);
  token.map = [startLine, state.line];
  token.meta = line === "end" ? null : { opening: line };
  return true;
}

interface OpenBlock {
  /** The container's element; undefined for another block. */
  tag: string | undefined;
  /** For a dropped container, the number of tokens above it and its line. */
  dropped?: { above: number; line: number } | undefined;
}

// A closing line matches the innermost open container in the same list or quotation. An unclosed container ends with
// its parent.
function balanceContainers(state: StateCore): void {
  const kinds = environmentOf(state).dialect.containers;
  if (kinds === undefined) return;
  const notes = new DroppedNotes(state, kinds.dropped);
  const tokens: Token[] = [];
  const open: OpenBlock[] = [];
  const close = (): void => {
    const { tag = "div", dropped } = open.pop() ?? {};
    tokens.push(createBlock(state, "container_close", tag, -1));
    notes.drop(tokens, dropped);
  };
  const isOpen = (): boolean => open.at(-1)?.tag !== undefined;
  for (let index = 0; index < state.tokens.length; index++) {
    const token = state.tokens[index];
    if (token === undefined) break;
    if (token.type === "container_open") {
      const dropped = notes.begin(token, tokens.length);
      const { tag, opened, taken } = openContainer(state, token, state.tokens.slice(index + 1, index + 4), kinds);
      open.push({ tag, dropped });
      tokens.push(...opened);
      index += taken;
    } else if (token.type === "container_close") {
      if (isOpen()) close();
    } else {
      if (token.nesting === 1) open.push({ tag: undefined });
      while (token.nesting === -1 && isOpen()) close();
      if (token.nesting === -1) open.pop();
      tokens.push(token);
    }
  }
  // The intended end of an unclosed note is unknown, so readers get the note.
  notes.keepOpen(open);
  while (isOpen()) close();
  notes.report();
  state.tokens = tokens;
}

/** Drops and counts containers of one kind, except nested ones. */
class DroppedNotes {
  #count = 0;
  #isWithin = false;
  readonly #state: StateCore;
  readonly #kind: string | undefined;

  constructor(state: StateCore, kind: string | undefined) {
    this.#state = state;
    this.#kind = kind;
  }

  begin({ meta, map }: Token, above: number): OpenBlock["dropped"] {
    const { classes } = (meta as { opening: ContainerOpening }).opening;
    if (this.#isWithin || classes[0] !== this.#kind) return undefined;
    this.#isWithin = true;
    return { above, line: (map?.[0] ?? 0) + 1 };
  }

  drop(tokens: Token[], dropped: OpenBlock["dropped"]): void {
    if (dropped === undefined) return;
    tokens.length = dropped.above;
    this.#isWithin = false;
    this.#count++;
  }

  keepOpen(open: OpenBlock[]): void {
    for (const block of open) {
      if (block.dropped === undefined) continue;
      const message = `readers see the text below "::: ${this.#kind}": no ::: line closes the container`;
      environmentOf(this.#state).remarks?.push({ line: block.dropped.line, kind: "leftover-syntax", message });
      block.dropped = undefined;
    }
  }

  report(): void {
    if (this.#count === 0) return;
    const message = "notes for instructors are left out; --with-instructors includes them";
    const entry = { what: "note for instructors", plural: "notes for instructors", count: this.#count, isKept: false };
    environmentOf(this.#state).remarks?.push({ line: 1, kind: "counted", message, tally: [entry] });
  }
}

function openContainer(
  state: StateCore,
  token: Token,
  following: Token[],
  { details, hasTitles }: ContainerKinds,
): { tag: string; opened: Token[]; taken: number } {
  const { classes, id, title } = (token.meta as { opening: ContainerOpening }).opening;
  const [kind = "", ...others] = classes;
  const { language } = environmentOf(state);
  const isFolded = details.has(kind);
  const boxTitle = hasTitles || isFolded ? titleContainer(kind, language) : undefined;
  const callout = isFolded ? undefined : (findCalloutKind(kind) ?? (BOXES.has(kind) ? kind : undefined));
  const tag = isFolded ? "details" : callout === undefined ? "div" : "aside";
  const opening = createBlock(state, "container_open", tag, 1, token.map);
  opening.attrSet("class", (callout === undefined ? classes : ["callout", ...others]).join(" "));
  if (callout !== undefined) opening.attrSet("data-callout", callout);
  if (id !== undefined) opening.attrSet("id", id);
  const [heading, text, end] = following;
  const hasHeading = title === "" && heading?.type === "heading_open";
  // The text of the heading becomes the summary.
  if (isFolded && hasHeading && text !== undefined && end !== undefined) {
    const content = takeId(text.content, opening);
    return { tag, opened: [opening, ...createTextBlock(state, "summary", content, heading.map)], taken: 3 };
  }
  if (isFolded) {
    const summary = title === "" ? (boxTitle ?? "Details") : title;
    return { tag, opened: [opening, ...createTextBlock(state, "summary", summary, token.map)], taken: 0 };
  }
  const titleClass = callout === undefined ? "container-title" : "callout-title";
  if (hasHeading && callout !== undefined) heading.attrJoin("class", titleClass);
  const shown = title === "" && !hasHeading ? (boxTitle ?? titleKind(kind, language)) : title;
  if (shown === "") return { tag, opened: [opening], taken: 0 };
  const titled = createTextBlock(state, "p", shown, token.map);
  titled[0].attrSet("class", titleClass);
  return { tag, opened: [opening, ...titled], taken: 0 };
}

function titleKind(kind: string, language: string | undefined): string {
  const callout = findCalloutKind(kind);
  return callout === undefined ? "" : titleCallout(callout, language);
}

// Moves the id of `## Windows {#windows}` to the details element.
function takeId(content: string, opening: Token): string {
  const text = content.trimEnd();
  const given = readHeadingAttributes(text);
  if (given?.id !== undefined) opening.attrSet("id", given.id);
  return given === undefined ? content : text.slice(0, given.start).trimEnd();
}

const KINDS = ["solution", "hint", "spoiler", "instructor", "questions", "objectives", "keypoints"];

// Titles in the order of `KINDS`.
const TITLES: Record<string, readonly string[]> = {
  de: ["Lösung", "Hinweis", "Details", "Für Lehrende", "Fragen", "Lernziele", "Kernpunkte"],
  en: ["Solution", "Hint", "Details", "Instructor Note", "Questions", "Objectives", "Key Points"],
  es: ["Solución", "Pista", "Detalles", "Nota para quien enseña", "Preguntas", "Objetivos", "Puntos clave"],
  fr: ["Solution", "Indice", "Détails", "Note pour l'enseignement", "Questions", "Objectifs", "Points clés"],
  it: ["Soluzione", "Suggerimento", "Dettagli", "Nota per chi insegna", "Domande", "Obiettivi", "Punti chiave"],
  ja: ["解答", "ヒント", "詳細", "講師向けの注記", "質問", "目標", "要点"],
  pt: ["Solução", "Dica", "Detalhes", "Nota para quem ensina", "Perguntas", "Objetivos", "Pontos-chave"],
};

/** Returns a box's default title in a language (BCP 47), else in English; undefined for a kind without titles. */
function titleContainer(kind: string, language: string | undefined): string | undefined {
  return (findByLanguage(TITLES, language) ?? TITLES["en"])?.[KINDS.indexOf(kind)];
}
