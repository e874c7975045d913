// Cuts out the text around a query's first hit, marks the hits in that text, and finds the heading above the first hit.
import type { SearchQuery, Term } from "./query.ts";
import type { VisibleText } from "./visible-text.ts";
import { lastToken, toTokens, visitSegments } from "./words.ts";

const EXCERPT_CHARACTERS = 200;
const LEAD_CHARACTERS = 60;
/** How many characters an excerpt's ends can move to reach a word boundary. */
const MAX_SHIFT = 20;

interface Token {
  text: string;
  start: number;
  end: number;
}

type Hit = Omit<Token, "text">;

/** Returns an excerpt as escaped HTML with `<mark>` around hits; without a hit, the beginning of the text. */
export function cutExcerpt({ text, headings }: VisibleText, { terms }: SearchQuery) {
  const first = findFirstHit(text, terms);
  const from = first === undefined ? 0 : findBegin(text, first.start);
  const end = findEnd(text, from);
  const above = first && headings.findLast(({ id, start }) => id !== "" && start <= first.start);
  const hits = first === undefined ? [] : listHits(text.slice(from, end), terms);
  return {
    headingId: above?.id ?? "",
    heading: above === undefined ? "" : text.slice(above.start, above.end).replaceAll("\n", " "),
    excerpt: (from > 0 ? "… " : "") + mark(text.slice(from, end), hits) + (end < text.length ? " …" : ""),
  };
}

function findFirstHit(text: string, terms: readonly Term[]): Hit | undefined {
  let first: Hit | undefined;
  visitHits(text, terms, (hit) => {
    first = hit;
    return false;
  });
  return first;
}

/** Lists hits in order. Merges those that overlap. */
function listHits(text: string, terms: readonly Term[]): Hit[] {
  const hits: Hit[] = [];
  visitHits(text, terms, (hit) => void hits.push(hit));
  const apart: Hit[] = [];
  for (const hit of hits.sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || hit.start >= last.end) apart.push(hit);
    else last.end = Math.max(last.end, hit.end);
  }
  return apart;
}

/** Visits hits in the order of their ends. Remembers only as many tokens as the longest term contains. */
function visitHits(text: string, terms: readonly Term[], visit: (hit: Hit) => boolean | void): void {
  const longest = Math.max(...terms.map(({ tokens }) => tokens.length));
  let from = 0;
  let goesOn = true;
  for (const block of text.split("\n")) {
    const recent: Token[] = [];
    const base = from;
    visitSegments(block, (segment) => {
      for (const token of placeTokens(segment)) {
        recent.push(token);
        if (recent.length > longest) recent.shift();
        for (const term of terms) {
          const hit = goesOn ? findHit(recent, term) : undefined;
          if (hit && visit({ start: base + hit.start, end: base + hit.end }) === false) goesOn = false;
        }
      }
      return goesOn;
    });
    if (!goesOn) return;
    from += block.length + 1;
  }
}

function placeTokens(segment: Parameters<typeof toTokens>[0]): Token[] {
  const { isRun, start, end, characters } = segment;
  const [word = ""] = isRun ? [] : toTokens(segment);
  if (!isRun) return [{ text: word, start, end }];
  return [...toTokens(segment), ...lastToken(segment)].map((text, at) => {
    const character = characters[at];
    return { text, start: character?.start ?? start, end: (characters[at + 1] ?? character)?.end ?? end };
  });
}

/** Returns the hit of a term, if these tokens end with one. */
function findHit(recent: readonly Token[], { tokens, isPrefix }: Term): Hit | undefined {
  const from = recent.length - tokens.length;
  const [first, last] = [recent[from], recent.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const matches = tokens.every((token, at) => {
    const found = recent[from + at]?.text ?? "";
    return isPrefix && at === tokens.length - 1 ? found.startsWith(token) : found === token;
  });
  return matches ? { start: first.start, end: last.end } : undefined;
}

function findBegin(text: string, hit: number): number {
  if (hit <= LEAD_CHARACTERS) return 0;
  const at = hit - LEAD_CHARACTERS;
  const blank = text.slice(at, at + MAX_SHIFT).search(/\s/);
  return blank === -1 ? wholeCharacter(text, at) : at + blank + 1;
}

function findEnd(text: string, from: number): number {
  const at = from + EXCERPT_CHARACTERS;
  if (at >= text.length) return text.length;
  const before = /\s\S*$/.exec(text.slice(at - MAX_SHIFT, at + 1));
  return before === null ? wholeCharacter(text, at) : at - MAX_SHIFT + before.index;
}

/** Moves an offset back if it would split a surrogate pair, or a letter from its marks. */
function wholeCharacter(text: string, at: number): number {
  let place = at;
  while (place > at - MAX_SHIFT && /^[\udc00-\udfff]|^\p{M}/u.test(text.slice(place, place + 2))) place--;
  return place;
}

function mark(text: string, hits: readonly Hit[]): string {
  let html = "";
  let done = 0;
  for (const { start, end } of hits) {
    html += `${escapeText(text.slice(done, start))}<mark>${escapeText(text.slice(start, end))}</mark>`;
    done = end;
  }
  return (html + escapeText(text.slice(done))).replaceAll("\n", " ");
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
