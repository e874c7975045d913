// YAML as authors mean it: every scalar stays the text that was typed (007, 2024, 2026-01-31), and knows its place.
import {
  Composer,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type Alias,
  type Document,
  type Node,
} from "yaml";
import { describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";
import { cutText } from "../quote.ts";
import type { Location, Tell } from "../source.ts";
import type { PlacedFields, PlacedValue } from "./placed-value.ts";

/** Where a YAML text begins, and how much of it is read. */
export interface YamlPlace {
  file: string;
  firstLine: number;
  limits: SourceLimits;
}

/** What to do about faults whose message names the rule of YAML only. */
const ADVICE = new Map<string, string>([
  ["BLOCK_AS_IMPLICIT_KEY", '; a text with ": " in it must stand in quotes'],
  ["BAD_SCALAR_START", "; a text that begins so must stand in quotes"],
  ["TAB_AS_INDENT", "; indent with blanks"],
]);

/**
 * Parses YAML text. Undefined when it is not valid YAML, or has too many nodes; that is reported. An empty text is a
 * value without a value.
 */
export function parseYaml(text: string, { file, firstLine, limits }: YamlPlace, report: Tell): PlacedValue | undefined {
  const lineCounter = new LineCounter();
  const placeOf = (offset: number): Location => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: line + firstLine - 1, column: col };
  };
  try {
    const documents = composeDocuments(text, lineCounter, limits);
    const [document] = documents;
    if (document === undefined) return { value: undefined, place: placeOf(0) };
    for (const { message, pos, code } of document.errors) {
      const advice = ADVICE.get(code) ?? "";
      report({ kind: "syntax", ...placeOf(pos[0]), message: `${cutText(message)}${advice}` });
    }
    const [, second] = documents;
    if (second !== undefined) {
      const message = "the file holds more than one YAML document; a line --- begins another";
      report({ kind: "syntax", ...placeOf(second.range[0]), message });
    }
    for (const { message, pos } of document.warnings) {
      report({ kind: "ignored-value", ...placeOf(pos[0]), message: cutText(message) });
    }
    if (document.errors.length > 0 || second !== undefined) return undefined;
    const converter = new Converter(document, placeOf, limits);
    const value = converter.convert(document.contents);
    for (const [offset, message] of converter.faults) report({ kind: "syntax", ...placeOf(offset), message });
    return converter.faults.size === 0 ? value : undefined;
  } catch (error) {
    // The parser recurses, so text that is nested thousands of levels deep exhausts the stack.
    if (!(error instanceof UnreadableText) && !(error instanceof RangeError)) throw error;
    const kind = error instanceof UnreadableText ? error.kind : "too-large";
    const message = error instanceof UnreadableText ? error.message : "the YAML is nested too deeply to be read";
    report({ kind, file, line: firstLine, message });
    return undefined;
  }
}

// What `parseDocument` does, lexeme by lexeme, so that it ends before a text fills the memory. Up to two documents.
function composeDocuments(text: string, lineCounter: LineCounter, limits: SourceLimits): Document.Parsed[] {
  const parser = new Parser(lineCounter.addNewLine);
  // It tells of the lines after the first.
  lineCounter.addNewLine(0);
  // The parser would compare each key with every other.
  const options = { schema: "failsafe", lineCounter, prettyErrors: false, uniqueKeys: false } as const;
  const composer = new Composer(options);
  const documents: Document.Parsed[] = [];
  // A text can have as many errors as characters; their stacks would take most of the memory.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const counter = new LexemeCounter(limits);
    for (const lexeme of new Lexer().lex(text)) {
      counter.add(lexeme);
      for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
      if (documents.length > 1) return documents;
    }
    for (const token of parser.end()) documents.push(...composer.next(token));
    documents.push(...composer.end(true, text.length));
    return documents;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Counts what becomes a node, and apart from it the marks between, of which a valid text has no more, and the white space and
 * comments, of which it has a few for each.
 */
class LexemeCounter {
  #nodes = 0;
  #marks = 0;
  #blanks = 0;

  readonly #limits: SourceLimits;

  constructor(limits: SourceLimits) {
    this.#limits = limits;
  }

  /** Throws UnreadableText when the limit is passed. */
  add(lexeme: string): void {
    if (this.#count(lexeme) > this.#limits.maxNodes)
      throw new UnreadableText(describeTooManyNodes(this.#limits, "the YAML"));
  }

  #count(lexeme: string): number {
    // With what the lexer tells the parser by: https://eemeli.org/yaml/#lexer.
    if (/^[\s#\x02\x18\x1f]|^$/.test(lexeme)) return ++this.#blanks / 4;
    return /^[:,\]}&!%]/.test(lexeme) ? ++this.#marks : ++this.#nodes;
  }
}

class Converter {
  /** Messages by offset: what has an alias is converted more than once. */
  readonly faults = new Map<number, string>();
  /** Values, lists, mappings and keys. An alias stands for a whole subtree, so nested ones multiply. */
  #nodes = 0;
  readonly #targets: Map<Alias, Node | undefined>;

  readonly #placeOf: (offset: number) => Location;
  readonly #limits: SourceLimits;

  constructor(document: Document, placeOf: (offset: number) => Location, limits: SourceLimits) {
    this.#placeOf = placeOf;
    this.#limits = limits;
    this.#targets = findTargets(document);
  }

  convert(node: Node | null, place = this.#placeOf(node?.range?.[0] ?? 0)): PlacedValue {
    if (isAlias(node)) {
      const target = this.#targets.get(node);
      if (target === undefined)
        this.faults.set(node.range?.[0] ?? 0, `*${cutText(node.source)} has no anchor before it`);
      return this.convert(target ?? null, place);
    }
    this.#count();
    if (isSeq<Node>(node)) return { value: node.items.map((item) => this.convert(item)), place };
    if (isMap<Node, Node | null>(node)) {
      const fields: PlacedFields = new Map();
      for (const { key, value } of node.items) {
        this.#count();
        const offset = key.range?.[0] ?? 0;
        const name = isScalar(key) ? String(key.value) : String(key);
        if (fields.has(name)) this.faults.set(offset, "Map keys must be unique");
        fields.set(name, this.convert(value, this.#placeOf(offset)));
      }
      return { value: fields, place };
    }
    if (!isScalar(node)) return { value: undefined, place };
    const text = String(node.value);
    const isEmpty = node.type === "PLAIN" && /^(?:|~|null|Null|NULL)$/.test(text);
    return { value: isEmpty ? undefined : text, place };
  }

  #count(): void {
    if (++this.#nodes > this.#limits.maxNodes) {
      throw new UnreadableText(describeTooManyNodes(this.#limits, "the YAML, with its aliases written out,"));
    }
  }
}

// Each alias means the last node before it with its anchor. The library looks through the document for each, and its own
// visit copies the way to each node.
function findTargets(document: Document): Map<Alias, Node | undefined> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  const visit = (node: unknown): void => {
    if (isAlias(node)) {
      targets.set(node, anchors.get(node.source));
    } else if (isPair(node)) {
      visit(node.key);
      visit(node.value);
    } else if (isNode(node)) {
      if ("anchor" in node && typeof node.anchor === "string") anchors.set(node.anchor, node);
      if (isCollection(node)) for (const item of node.items) visit(item);
    }
  };
  visit(document.contents);
  return targets;
}
