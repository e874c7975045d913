// Renders MyST tables, which are written as lists of lists or as comma-separated values.
import type { Token } from "markdown-it";
import type { Directive } from "./myst-syntax.ts";
import type { MystTokens } from "./myst-tokens.ts";

/** The table elements for the levels of nested lists: list, row, inner list, cell. */
const PARTS = ["table", "tr", "", "td"];
const MAX_COLUMNS = 200;

/** Converts a list of lists to a table, or returns the list unchanged. */
export function showListTable(tokens: Token[], options: ReadonlyMap<string, string>): Token[] {
  const [first] = tokens;
  if (first?.type !== "bullet_list_open" || tokens.at(-1)?.type !== "bullet_list_close") return tokens;
  const partOf = ({ type, level }: Token): string | undefined =>
    /^(?:bullet_list|list_item)_(?:open|close)$/.test(type) ? PARTS[level - first.level] : undefined;
  // If a row is not a list, the row has no cells, so the whole list is not a table.
  if (tokens.some((token) => token.level - first.level < PARTS.length && partOf(token) === undefined)) return tokens;
  const headerRows = Number(options.get("header-rows") ?? 0);
  let row = -1;
  return tokens.flatMap((token) => {
    const part = partOf(token);
    if (part === undefined || part === "") return part === undefined ? [token] : [];
    if (part === "tr" && token.nesting === 1) row++;
    const tag = part === "td" && row < headerRows ? "th" : part;
    return [Object.assign(token, { type: `${part}_${token.nesting === 1 ? "open" : "close"}`, tag, attrs: null })];
  });
}

/** Converts comma-separated values (RFC 4180) to a table; `:header:` adds a row. */
export function showCsvTable({ body, options, token }: Directive, tokens: MystTokens): Token[] {
  const header = options.get("header");
  const headers = header === undefined ? [] : readCsv(header);
  const rows = [...headers, ...readCsv(body)];
  const headerRows = Number(options.get("header-rows") ?? 0) + headers.length;
  const shown = rows.flatMap((cells, row) => {
    const tag = row < headerRows ? "th" : "td";
    const texts = cells.flatMap((cell) => tokens.createText(tag, cell.trim(), token));
    return [tokens.create("tr_open", "tr", 1, token), ...texts, tokens.create("tr_close", "tr", -1, token)];
  });
  if (shown.length === 0) return [];
  return [tokens.create("table_open", "table", 1, token), ...shown, tokens.create("table_close", "table", -1, token)];
}

const VALUE = /[ \t]*(?:"((?:[^"]|"")*)"[^,\n]*|([^,\n]*))(,|\n|$)/y;

function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const whole = text.trim();
  for (VALUE.lastIndex = 0; VALUE.lastIndex < whole.length;) {
    const [, quoted, bare = "", end] = VALUE.exec(whole) ?? [];
    if (end === undefined) break;
    if (row.length < MAX_COLUMNS) row.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === ",") continue;
    if (row.some((cell) => cell.trim() !== "")) rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
