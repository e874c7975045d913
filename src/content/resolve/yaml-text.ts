// Parses YAML with locations. Scalars such as 007, 2024 and 2026-01-31 stay text.
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
import { describeTooLarge, describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";
import { cutText } from "../quote.ts";
import type { Location, ReportFinding } from "../source.ts";
import type { PlacedFields, PlacedValue } from "./placed-value.ts";

/** The limits of a source, and the number of nodes to which the aliases of all its texts expand. */
export interface YamlSource {
  readonly limits: SourceLimits;
  readonly included: { aliases: number };
}

/** The location of a YAML text, and its source. */
export interface YamlPlace {
  file: string;
  firstLine: number;
  source: YamlSource;
}

/** Advice for errors whose message from the library only names a rule of YAML. */
const ADVICE = new Map<string, string>([
  ["BLOCK_AS_IMPLICIT_KEY", '; quote a text that contains ": "'],
  ["BAD_SCALAR_START", "; put text that begins with this character in quotes"],
  ["TAB_AS_INDENT", "; indent with spaces"],
]);

/**
 * Parses YAML. Returns undefined, and reports problems, if the text is invalid or too large. For an empty text, `value`
 * is undefined.
 */
export function parseYaml(
  text: string,
  { file, firstLine, source }: YamlPlace,
  report: ReportFinding,
): PlacedValue | undefined {
  const lineCounter = new LineCounter();
  const placeOf = (offset: number): Location => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: line + firstLine - 1, column: col };
  };
  try {
    const documents = composeDocuments(text, lineCounter, source.limits);
    const [document] = documents;
    if (document === undefined) return { value: undefined, place: placeOf(0) };
    for (const { message, pos, code } of document.errors) {
      const advice = ADVICE.get(code) ?? "";
      report({ kind: "syntax", ...placeOf(pos[0]), message: `${cutText(message)}${advice}` });
    }
    const [, second] = documents;
    if (second !== undefined) {
      const message = "the file contains more than one YAML document; remove the lines that consist of ---";
      report({ kind: "syntax", ...placeOf(second.range[0]), message });
    }
    for (const { message, pos } of document.warnings) {
      report({ kind: "ignored-value", ...placeOf(pos[0]), message: cutText(message) });
    }
    if (document.errors.length > 0 || second !== undefined) return undefined;
    const converter = new Converter(document, text, placeOf, source);
    const value = converter.convert(document.contents);
    for (const [offset, message] of converter.faults) report({ kind: "syntax", ...placeOf(offset), message });
    return converter.faults.size === 0 ? value : undefined;
  } catch (error) {
    // The parser is recursive, so deep nesting exhausts the stack.
    if (!(error instanceof UnreadableText) && !(error instanceof RangeError)) throw error;
    const kind = error instanceof UnreadableText ? error.kind : "too-large";
    const message = error instanceof UnreadableText ? error.message : "the YAML is nested too deeply to be read";
    report({ kind, file, line: firstLine, message });
    return undefined;
  }
}

// Like `parseDocument`, but stops after two documents, and throws before a large text exhausts memory.
function composeDocuments(text: string, lineCounter: LineCounter, limits: SourceLimits): Document.Parsed[] {
  const parser = new Parser(lineCounter.addNewLine);
  // The parser adds only the lines after the first.
  lineCounter.addNewLine(0);
  // `uniqueKeys` is off, since it compares keys in quadratic time.
  const options = { schema: "failsafe", lineCounter, prettyErrors: false, uniqueKeys: false } as const;
  const composer = new Composer(options);
  const documents: Document.Parsed[] = [];
  // A text can have as many errors as characters, and their stack traces would exhaust memory.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const count = createLexemeCounter(limits);
    for (const lexeme of new Lexer().lex(text)) {
      count(lexeme);
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
 * Creates a counter of lexemes that throws UnreadableText beyond the limit. Punctuation and blanks (white space and
 * comments) are counted separately, since valid text contains a few of them for each node.
 */
function createLexemeCounter(limits: SourceLimits): (lexeme: string) => void {
  let [nodes, marks, blanks] = [0, 0, 0];
  return (lexeme) => {
    // Blanks include the lexer's control characters: https://eemeli.org/yaml/#lexer.
    const isBlank = /^[\s#\x02\x18\x1f]|^$/.test(lexeme);
    const count = isBlank ? ++blanks / 4 : /^[:,\]}&!%]/.test(lexeme) ? ++marks : ++nodes;
    if (count > limits.maxNodes) throw new UnreadableText(describeTooManyNodes(limits.maxNodes, "the YAML"));
  };
}

class Converter {
  /** Messages by offset, since a fault in a node recurs for every alias of the node. */
  readonly faults = new Map<number, string>();
  /** The number of values, lists, mappings and keys, which nested aliases multiply. */
  #nodes = 0;
  /** The number of aliases around the current node. */
  #aliases = 0;
  /** The length of all texts, which aliases multiply, too. */
  #length = 0;
  readonly #targets: Map<Alias, Node | undefined>;

  readonly #text: string;
  readonly #placeOf: (offset: number) => Location;
  readonly #source: YamlSource;

  constructor(document: Document, text: string, placeOf: (offset: number) => Location, source: YamlSource) {
    this.#text = text;
    this.#placeOf = placeOf;
    this.#source = source;
    this.#targets = findTargets(document);
  }

  convert(node: Node | null, place = this.#placeOf(node?.range?.[0] ?? 0)): PlacedValue {
    if (isAlias(node)) {
      const target = this.#targets.get(node);
      if (target === undefined)
        this.faults.set(node.range?.[0] ?? 0, `*${cutText(node.source)} has no anchor before it`);
      this.#aliases++;
      const expanded = this.convert(target ?? null, place);
      this.#aliases--;
      return expanded;
    }
    this.#count();
    if (isSeq<Node>(node)) return { value: node.items.map((item) => this.convert(item)), place };
    if (isMap<Node, Node | null>(node)) {
      const fields: PlacedFields = new Map();
      for (const { key, value } of node.items) {
        this.#count();
        const offset = key.range?.[0] ?? 0;
        const name = isScalar(key) ? String(key.value) : this.#text.slice(offset, key.range?.[1]);
        this.#measure(name);
        if (fields.has(name)) this.faults.set(offset, "Map keys must be unique");
        fields.set(name, this.convert(value, this.#placeOf(offset)));
      }
      return { value: fields, place };
    }
    if (!isScalar(node)) return { value: undefined, place };
    const text = String(node.value);
    this.#measure(text);
    const isEmpty = node.type === "PLAIN" && /^(?:|~|null|Null|NULL)$/.test(text);
    return { value: isEmpty ? undefined : text, place };
  }

  #measure({ length }: string): void {
    const { maxFileBytes } = this.#source.limits;
    this.#length += length;
    if (this.#length <= maxFileBytes) return;
    const what = "YAML with its aliases expanded";
    throw new UnreadableText(describeTooLarge(this.#length, maxFileBytes, what, "max-file-size"));
  }

  #count(): void {
    const { limits, included } = this.#source;
    if (++this.#nodes > limits.maxNodes)
      throw new UnreadableText(describeTooManyNodes(limits.maxNodes, "the YAML, with its aliases expanded,"));
    if (this.#aliases > 0 && ++included.aliases > limits.maxNodes)
      throw new UnreadableText(
        describeTooManyNodes(limits.maxNodes, "the expansion of all YAML aliases in the source"),
      );
  }
}

// Finds the target of each alias: the last preceding node with its anchor. The library's own functions are slower: one
// searches the document for each alias, and the visitor copies each node's path.
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
