// Finds the line numbers of cell sources in a notebook file, since JSON.parse does not report them.
import { findStringEnd } from "../resolve/json-text.ts";

const CELL = "{cell";
const SOURCE = "[source";
/** The maximum length of a name to read. The names that matter here are shorter. */
const MAX_NAME = 40;

/** Finds the line, from 1, of each string in each cell's source. Requires valid JSON. */
export function findSourceLines(json: string): number[][] {
  const cells: number[][] = [];
  /** The enclosing lists and objects, outermost first. */
  const around: string[] = [];
  let name = "";
  let line = 1;
  for (let position = 0; position < json.length; position++) {
    const inner = around.at(-1);
    // nbformat 3 calls a code cell's source `input`.
    const isSource = inner === CELL && (name === "source" || name === "input");
    switch (json[position]) {
      case "\n":
        line++;
        break;
      case '"': {
        const end = findStringEnd(json, position);
        if (isFollowedByColon(json, end)) name = end - position > MAX_NAME ? "" : json.slice(position + 1, end);
        else if (inner === SOURCE || isSource) cells.at(-1)?.push(line);
        position = end;
        break;
      }
      case "[":
        around.push(isSource ? SOURCE : `[${name}`);
        break;
      case "{":
        if (inner === "[cells") cells.push([]);
        around.push(inner === "[cells" ? CELL : "{");
        break;
      case "]":
      case "}":
        around.pop();
        break;
    }
  }
  return cells;
}

function isFollowedByColon(json: string, end: number): boolean {
  let next = end + 1;
  while (/\s/.test(json.charAt(next))) next++;
  return json[next] === ":";
}
