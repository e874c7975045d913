// Counts converted and skipped content for the summary after an import.
import { cutText } from "./quote.ts";
import type { Problem } from "./source.ts";

/** A count in a file or course; part of a problem or of a note. */
export interface TallyEntry {
  /** Singular name: `LTI block`. */
  what: string;
  /** Plural other than adding s: `discussions in Open edX`. */
  plural?: string | undefined;
  count: number;
  /** True for converted content, such as a problem as a quiz; false for skipped content. */
  isKept: boolean;
}

/** Counts one more of a kind, by `what`. */
export function countInto(counts: Map<string, TallyEntry>, entry: Omit<TallyEntry, "count">): void {
  const known = counts.get(entry.what);
  if (known === undefined) counts.set(entry.what, { ...entry, count: 1 });
  else known.count++;
}

/** The most kinds to count, since hostile input can invent names. */
const MAX_KINDS = 40;

/** Sums up an import's tallies. */
export class Tally {
  readonly #kept = new Map<string, TallyEntry>();
  readonly #dropped = new Map<string, TallyEntry>();

  add({ tally = [] }: Pick<Problem, "tally">): void {
    for (const entry of tally) {
      const kinds = entry.isKept ? this.#kept : this.#dropped;
      const isKnown = kinds.has(entry.what) || kinds.size < MAX_KINDS;
      const { what, plural } = isKnown ? entry : { what: "other", plural: "others" };
      const known = kinds.get(what);
      if (known === undefined) kinds.set(what, { ...entry, what, plural });
      else known.count += entry.count;
    }
  }

  /** `kept: 3 quizzes; not shown: 2 drafts`, the most frequent first; undefined if empty. */
  format(): string | undefined {
    const kept = formatKinds([...this.#kept.values()]);
    const dropped = formatKinds([...this.#dropped.values()]);
    const parts = [kept === "" ? "" : `kept: ${kept}`, dropped === "" ? "" : `not shown: ${dropped}`];
    return parts.some((part) => part !== "") ? parts.filter((part) => part !== "").join("; ") : undefined;
  }
}

function formatKinds(entries: TallyEntry[]): string {
  return entries
    .toSorted((a, b) => b.count - a.count || (a.what < b.what ? -1 : 1))
    .map(({ what, plural, count }) => {
      const name = count === 1 ? what : (plural ?? `${what}s`);
      return `${count.toLocaleString("en-US")} ${cutText(name, 60)}`;
    })
    .join(", ");
}
