// Parses queries of words, "phrases" and -words. All words and phrases must match, and -words must not.
import { lastToken, normalizeText, toTokens, visitSegments, type Segment } from "./words.ts";

const MAX_CHARACTERS = 200;
const MAX_WORDS = 8;

/** Tokens that match only if they are adjacent. */
export interface Term {
  tokens: string[];
  /** True if the last token also matches longer words. */
  isPrefix: boolean;
}

export interface SearchQuery {
  terms: Term[];
  excluded: Term[];
}

/** An exclusion, a phrase with or without its closing quote, or a word. */
const PART = /(?<=^|\s)-(?=[\p{L}\p{N}"])(?:"([^"]*)"?|(\S+))|"([^"]*)("?)|([^\s"]+)/gu;

/** Parses a query. Returns a message for people if the query is invalid. */
export function parseQuery(text: string): SearchQuery | string {
  if (text.trim() === "") return "q is missing: give the words to search for";
  if ([...text].length > MAX_CHARACTERS) return `q must have at most ${MAX_CHARACTERS} characters`;
  const normal = normalizeText(text).replace(/[“”„＂]/g, '"');
  const query: SearchQuery = { terms: [], excluded: [] };
  const words: Segment[] = [];
  let count = 0;
  let endsOpen = false;
  for (const [, excludedPhrase, excludedWord, phrase, quote, word] of normal.matchAll(PART)) {
    const segments = listSegments(excludedPhrase ?? excludedWord ?? phrase ?? word ?? "");
    if (segments.length === 0) continue;
    count += segments.length;
    const isExcluded = excludedPhrase !== undefined || excludedWord !== undefined;
    if (isExcluded) query.excluded.push(toTerm(segments));
    else if (phrase === undefined) query.terms.push(...segments.map((each) => toTerm([each])));
    else query.terms.push(toTerm(segments));
    if (!isExcluded) words.push(...segments);
    endsOpen = !isExcluded && quote !== '"';
  }
  const [first, ...others] = words;
  if (count > MAX_WORDS) return `q has ${count} words: the limit is ${MAX_WORDS}`;
  if (first === undefined && count > 0) return "q only excludes words: add a word to search for";
  if (first === undefined) return "q must contain a letter or a digit";
  if (others.length === 0 && !first.isRun && [...first.text].length === 1) {
    return "q is a single letter: use a longer word";
  }
  const last = query.terms.at(-1);
  if (last !== undefined && endsOpen) last.isPrefix = true;
  return query;
}

function listSegments(text: string): Segment[] {
  const segments: Segment[] = [];
  visitSegments(text, (segment) => void segments.push(segment));
  return segments;
}

/** Converts segments to a term. Omits a final run's `lastToken`, because in a lesson the run can continue. */
function toTerm(segments: Segment[]): Term {
  const tokens = segments.flatMap((segment, at) =>
    at < segments.length - 1 ? [...toTokens(segment), ...lastToken(segment)] : toTokens(segment),
  );
  const last = segments.at(-1);
  const isOne = last !== undefined && last.isRun && last.characters.length === 1;
  return { tokens: isOne ? [...tokens, ...lastToken(last)] : tokens, isPrefix: isOne };
}

/** Returns the query in FTS5 syntax, with quoted terms only. */
export function formatMatch({ terms, excluded }: SearchQuery, columns = ""): string {
  const all = `(${terms.map(formatTerm).join(" AND ")})`;
  if (columns !== "") return `{${columns}} : ${all}`;
  return excluded.length === 0 ? all : `${all} NOT (${excluded.map(formatTerm).join(" OR ")})`;
}

function formatTerm({ tokens, isPrefix }: Term): string {
  return `"${tokens.join(" ")}"${isPrefix ? " *" : ""}`;
}
