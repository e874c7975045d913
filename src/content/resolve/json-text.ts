// Parses JSON strictly: JSON.parse accepts duplicate members and has no memory limit.
import { describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";
import { formatPath } from "./validate-course.ts";
import { cutText } from "../quote.ts";

/** The maximum depth, which limits recursion. Real courses are only six levels deep. */
const MAX_DEPTH = 100;

/** Parses JSON. Throws SyntaxError for invalid JSON, and UnreadableText for duplicate members or text over a limit. */
export function parseJson(text: string, limits: SourceLimits): unknown {
  const members = countMembers(text, limits);
  const value = JSON.parse(text) as unknown;
  // A duplicate member counts twice in the text but once in the value, so the counts differ.
  if (countKeys(value) !== members) throw new UnreadableText(`${findRepeated(text)} appears twice`, "syntax");
  return value;
}

/** Throws UnreadableText for text that is too large or nested too deeply to parse. Accepts invalid JSON. */
export function checkJsonSize(text: string, limits: SourceLimits): void {
  countMembers(text, limits);
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

// Counts the members in JSON and checks the limits. Accepts any text, even invalid JSON.
function countMembers(text: string, limits: SourceLimits): number {
  let members = 0;
  let values = 1;
  let depth = 0;
  const countValue = (): void => {
    if (++values > limits.maxNodes) throw new UnreadableText(describeTooManyNodes(limits.maxNodes, "the JSON"));
  };
  for (let position = 0; position < text.length; position++) {
    switch (text.charCodeAt(position)) {
      case QUOTE:
        position = findStringEnd(text, position);
        break;
      case COLON:
        members++;
        break;
      case COMMA:
        countValue();
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        countValue();
        if (++depth > MAX_DEPTH) throw new UnreadableText(`nested too deeply: the limit is ${MAX_DEPTH} levels`);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return members;
}

/** Returns the offset of the closing quote of the string at `start`; the text's end if there is none. */
export function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escape = end;
    while (text.charCodeAt(escape - 1) === BACKSLASH) escape--;
    if ((end - escape) % 2 === 0) return end;
  }
  return text.length;
}

// MAX_DEPTH bounds the recursion.
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") count += countKeys(item);
    return count;
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    count++;
    const member = record[key];
    if (typeof member === "object") count += countKeys(member);
  }
  return count;
}

/** An object or list around the current position; `part` is its current member or item. */
interface Level {
  names: Set<string> | undefined;
  part: string | number;
}

/** Returns the path of the first duplicate member in valid JSON, such as `chapters[0].name`. */
function findRepeated(text: string): string {
  const levels: Level[] = [];
  const afterName = /\s*:/y;
  for (let position = 0; position < text.length; position++) {
    const level = levels.at(-1);
    switch (text.charCodeAt(position)) {
      case QUOTE: {
        const end = findStringEnd(text, position);
        afterName.lastIndex = end + 1;
        if (level?.names !== undefined && afterName.test(text)) {
          const name = JSON.parse(text.slice(position, end + 1)) as string;
          level.part = name;
          if (level.names.has(name)) return cutText(formatPath(levels.map(({ part }) => part)));
          level.names.add(name);
        }
        position = end;
        break;
      }
      case COMMA:
        if (typeof level?.part === "number") level.part++;
        break;
      case OPEN_OBJECT:
        levels.push({ names: new Set(), part: "" });
        break;
      case OPEN_LIST:
        levels.push({ names: undefined, part: 0 });
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        levels.pop();
        break;
    }
  }
  return "a member";
}
