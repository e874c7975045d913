// YAML as authors mean it: every scalar stays the text that was typed (007, 2024, 2026-01-31), and knows its place.
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from "yaml";
import type { PlacedFields, PlacedValue } from "./placed-value.ts";
import type { Location, Report } from "./source.ts";

// An alias stands for a whole subtree, so nested ones multiply; outlines have no need for more.
const MAX_ALIASES = 100;

class TooManyAliases extends Error {}

/**
 * Parses YAML text that begins at `firstLine` of the file. Undefined when it is not valid YAML; that is reported. An
 * empty text is a value without a value.
 */
export function parseYaml(text: string, file: string, firstLine: number, report: Report): PlacedValue | undefined {
  const lineCounter = new LineCounter();
  const placeOf = (offset: number): Location => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: line + firstLine - 1, column: col };
  };
  try {
    // The parser would compare each key with every other.
    const options = { schema: "failsafe", lineCounter, prettyErrors: false, uniqueKeys: false } as const;
    const document = parseDocument(text, options);
    for (const { message, pos } of document.errors) report({ severity: "error", ...placeOf(pos[0]), message });
    for (const { message, pos } of document.warnings) report({ severity: "warning", ...placeOf(pos[0]), message });
    if (document.errors.length > 0) return undefined;
    const converter = new Converter(document, placeOf);
    const value = converter.convert(document.contents);
    for (const place of converter.repeatedKeys.values()) {
      report({ severity: "error", ...place, message: "Map keys must be unique" });
    }
    return converter.repeatedKeys.size === 0 ? value : undefined;
  } catch (error) {
    // The parser recurses, so text that is nested thousands of levels deep exhausts the stack.
    if (!(error instanceof TooManyAliases) && !(error instanceof RangeError)) throw error;
    const message =
      error instanceof TooManyAliases ? `has more than ${MAX_ALIASES} aliases` : "is nested too deeply to be read";
    report({ severity: "error", file, line: firstLine, message: `the YAML ${message}` });
    return undefined;
  }
}

class Converter {
  /** By offset: what has an alias is converted more than once. */
  readonly repeatedKeys = new Map<number, Location>();
  private aliases = 0;

  constructor(
    private readonly document: Document,
    private readonly placeOf: (offset: number) => Location,
  ) {}

  convert(node: Node | null, place = this.placeOf(node?.range?.[0] ?? 0)): PlacedValue {
    if (isAlias(node)) {
      if (++this.aliases > MAX_ALIASES) throw new TooManyAliases();
      return this.convert(node.resolve(this.document) ?? null, place);
    }
    if (isSeq<Node>(node)) return { value: node.items.map((item) => this.convert(item)), place };
    if (isMap<Node, Node | null>(node)) {
      const fields: PlacedFields = new Map();
      for (const { key, value } of node.items) {
        const offset = key.range?.[0] ?? 0;
        const name = isScalar(key) ? String(key.value) : String(key);
        const keyPlace = this.placeOf(offset);
        if (fields.has(name)) this.repeatedKeys.set(offset, keyPlace);
        fields.set(name, this.convert(value, keyPlace));
      }
      return { value: fields, place };
    }
    if (!isScalar(node)) return { value: undefined, place };
    const text = String(node.value);
    const isEmpty = node.type === "PLAIN" && (text === "" || text === "~" || text === "null");
    return { value: isEmpty ? undefined : text, place };
  }
}
