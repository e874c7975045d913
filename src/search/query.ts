// What is searched: words, "phrases" and -words in a text, all of which must match but the last.
import { lastToken, normalizeText, toTokens, visitSegments, type Segment } from "./words.ts";

const MAX_CHARACTERS = 200;
const MAX_WORDS = 8;

/** Tokens that follow each other. */
export interface Term {
  tokens: string[];
  /** The last token is the beginning of one. */
  isPrefix: boolean;
}

export interface SearchQuery {
  terms: Term[];
  excluded: Term[];
}

/** An exclusion, a phrase with its closing quote or without it, or what stands between blanks. */
const PART = /(?<=^|\s)-(?=[\p{L}\p{N}"])(?:"([^"]*)"?|(\S+))|"([^"]*)("?)|([^\s"]+)/gu;

/** Reads a query. Gives the reason, for people, when it can be none. */
export function parseQuery(text: string): SearchQuery | string {
  if (text.trim() === "") return "q is missing: the words to search";
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
  if (count > MAX_WORDS) return `q has ${count} words: search at most ${MAX_WORDS}`;
  if (first === undefined && count > 0) return "q only says what to leave out: add a word to search";
  if (first === undefined) return "q has no letter and no digit: there is nothing to search";
  if (others.length === 0 && !first.isRun && [...first.text].length === 1) {
    return "q is one letter, which nearly every lesson has: search a longer word";
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

/** As a text has them, but the last character of its last run, which may go on in a text. */
function toTerm(segments: Segment[]): Term {
  const tokens = segments.flatMap((segment, at) =>
    at < segments.length - 1 ? [...toTokens(segment), ...lastToken(segment)] : toTokens(segment),
  );
  const last = segments.at(-1);
  const isOne = last !== undefined && last.isRun && last.characters.length === 1;
  return { tokens: isOne ? [...tokens, ...lastToken(last)] : tokens, isPrefix: isOne };
}

/** The query in the language of FTS5, with quoted terms only. */
export function formatMatch({ terms, excluded }: SearchQuery, columns = ""): string {
  const all = `(${terms.map(formatTerm).join(" AND ")})`;
  if (columns !== "") return `{${columns}} : ${all}`;
  return excluded.length === 0 ? all : `${all} NOT (${excluded.map(formatTerm).join(" OR ")})`;
}

function formatTerm({ tokens, isPrefix }: Term): string {
  return `"${tokens.join(" ")}"${isPrefix ? " *" : ""}`;
}
