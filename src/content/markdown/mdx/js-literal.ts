// Parses JavaScript literals, as in attributes of MDX components, without running code.
import { Parser, type Expression, type Node, type ObjectExpression } from "acorn";
import readJsx from "acorn-jsx";
import { escapeHtml } from "../../html/escape.ts";

/** Markup as a value, such as `<p>don't</p>`, without the tags of fragments. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

export type LiteralValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | Markup
  | LiteralValue[]
  | Map<string, LiteralValue>;

/** The error for text that is not a literal. The message says what was expected, and `offset` where. */
export class NoLiteral extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The maximum length to parse, since a syntax tree takes a hundred times the memory of its text. */
const MAX_LENGTH = 1_000_000;
const MAX_DEPTH = 100;
const MAX_VALUES = 10_000;
const TOO_LARGE = "the value is too large";

/** The maximum length of a regular expression to check, since the check takes superlinear time. */
const MAX_PATTERN = 1000;

/** The methods that the parser's types do not include. */
interface OpenParser {
  labels: unknown[];
  parseLabeledStatement(...parts: unknown[]): Node;
  validateRegExpPattern(state: { source: string }): void;
}

const JsxParser = Parser.extend(readJsx(), (Base) => {
  class LiteralParser extends (Base as unknown as new (...options: unknown[]) => OpenParser) {
    /** Does not look for duplicate names, which takes quadratic time: a literal declares none. */
    declareName(): void {}

    /** Each label is compared with those around it. */
    override parseLabeledStatement(...parts: unknown[]): Node {
      if (this.labels.length > MAX_DEPTH) throw new RangeError(TOO_LARGE);
      return super.parseLabeledStatement(...parts);
    }

    override validateRegExpPattern(state: { source: string }): void {
      if (state.source.length > MAX_PATTERN) throw new RangeError(TOO_LARGE);
      super.validateRegExpPattern(state);
    }
  }
  return LiteralParser as unknown as typeof Parser;
});

/**
 * Parses the literal between two offsets: a string, number, list, object, markup, `true`, `false`, `null` or
 * `undefined`. Comments and trailing commas are allowed. Throws NoLiteral for anything else, such as names, calls and
 * templates with values.
 */
export function parseLiteral(text: string, start: number, end: number): LiteralValue {
  if (end - start > MAX_LENGTH) throw new NoLiteral(TOO_LARGE, start);
  const written = text.slice(start, end);
  // Simple values do not need the parser, which starts slowly.
  if (/^(?:true|false|null|0|[1-9]\d{0,14})$/.test(written)) return JSON.parse(written) as LiteralValue;
  try {
    const [statement] = JsxParser.parse(`(${written}\n)`, { ecmaVersion: "latest" }).body;
    if (statement?.type !== "ExpressionStatement") throw new NoLiteral("expected one value", start);
    return new LiteralReader(written, start).read(statement.expression, 0);
  } catch (error) {
    if (error instanceof RangeError) throw new NoLiteral(TOO_LARGE, start);
    if (!(error instanceof SyntaxError)) throw error;
    const { pos = 0 } = error as SyntaxError & { pos?: number };
    const message = error.message.replace(/ \(\d+:\d+\)$/, "");
    throw new NoLiteral(
      message.charAt(0).toLowerCase() + message.slice(1),
      Math.min(end, Math.max(0, pos - 1) + start),
    );
  }
}

/** Replaces what HTML cannot contain: U+0000 and lone surrogates. */
export function toShownValue(value: LiteralValue): LiteralValue {
  if (typeof value === "string") return toShownText(value);
  if (Array.isArray(value)) return value.map(toShownValue);
  if (value instanceof Map) return new Map([...value].map(([name, each]) => [name, toShownValue(each)]));
  return value instanceof Markup ? new Markup(toShownText(value.html)) : value;
}

function toShownText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** The parser's types do not include JSX. */
interface JsxNode extends Node {
  children: JsxNode[];
  openingElement: JsxNode & { attributes: JsxNode[] };
  closingElement: JsxNode | null;
  value: JsxNode | null;
  expression: Expression;
}

class LiteralReader {
  #values = 0;

  /** The text as written. It is parsed within parentheses, so node offsets are greater by one. */
  readonly #text: string;
  /** The offset of the text in its source, for errors. */
  readonly #start: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
  }

  read(node: Node, depth: number): LiteralValue {
    if (depth > MAX_DEPTH || ++this.#values > MAX_VALUES) this.#fail(TOO_LARGE, node);
    const value = node as Expression;
    switch (value.type) {
      case "Literal":
        if (typeof value.value !== "object" || value.value === null) {
          if (typeof value.value !== "bigint") return value.value;
        }
        break;
      case "Identifier":
        if (value.name === "undefined") return undefined;
        break;
      case "TemplateLiteral":
        if (value.expressions.length > 0) this.#fail("templates with values are not supported", node);
        return value.quasis[0]?.value.cooked ?? "";
      case "UnaryExpression": {
        const number = this.read(value.argument, depth + 1);
        if (typeof number === "number" && (value.operator === "-" || value.operator === "+"))
          return value.operator === "-" ? -number : number;
        break;
      }
      case "BinaryExpression":
        return this.#readSum(value, depth);
      case "ArrayExpression":
        return value.elements.map((element) => this.read(element ?? node, depth + 1));
      case "ObjectExpression":
        return this.#readObject(value, depth);
      default:
        if (/^JSX(?:Element|Fragment)$/.test(node.type)) return new Markup(this.#readMarkup(node as JsxNode, depth));
    }
    return this.#fail("expected a string, number, list or object", node);
  }

  /** Reads a long text that is written as a sum: `"one " + "two"`. */
  #readSum(sum: Expression, depth: number): string {
    const parts: string[] = [];
    let node = sum;
    const add = (part: Node): void => {
      const value = this.read(part, depth + 1);
      if (typeof value !== "string") this.#fail("only strings can be joined with +", part);
      parts.push(value);
    };
    for (; node.type === "BinaryExpression"; node = node.left as Expression) {
      if (node.operator !== "+") this.#fail("only strings can be joined with +", node);
      add(node.right);
    }
    add(node);
    return parts.toReversed().join("");
  }

  #readObject({ properties }: ObjectExpression, depth: number): Map<string, LiteralValue> {
    const object = new Map<string, LiteralValue>();
    for (const property of properties) {
      if (property.type !== "Property" || property.computed) return this.#fail("expected a field name", property);
      const { key, value } = property;
      const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : undefined;
      if (name === undefined) return this.#fail("expected a field name", key);
      // Of several fields with the same name, the last wins, as in JavaScript.
      object.set(name, this.read(value, depth + 1));
    }
    return object;
  }

  #readMarkup({ children, openingElement, closingElement }: JsxNode, depth: number): string {
    if (depth > MAX_DEPTH) this.#fail(TOO_LARGE, openingElement);
    const parts = openingElement === undefined ? [] : [this.#readTag(openingElement)];
    for (const child of children) {
      if (child.type === "JSXText") parts.push(this.#slice(child));
      else if (child.type !== "JSXExpressionContainer") parts.push(this.#readMarkup(child, depth + 1));
      else if ((child.expression.type as string) !== "JSXEmptyExpression") {
        const value = this.read(child.expression, depth + 1);
        if (typeof value !== "string") this.#fail("values in markup must be strings", child);
        parts.push(escapeHtml(value).replaceAll("&quot;", '"'));
      }
    }
    if (closingElement) parts.push(this.#slice(closingElement));
    return parts.join("");
  }

  #readTag(tag: JsxNode & { attributes: JsxNode[] }): string {
    const computed = tag.attributes.find(
      ({ value, type }) => type !== "JSXAttribute" || value?.type === "JSXExpressionContainer",
    );
    if (computed !== undefined) this.#fail("markup with computed attributes is not supported", computed);
    return this.#slice(tag).replace(/(\s)className=/g, "$1class=");
  }

  #slice({ start, end }: Node): string {
    return this.#text.slice(start - 1, end - 1);
  }

  #fail(message: string, { start }: Node): never {
    throw new NoLiteral(message, this.#start + start - 1);
  }
}
