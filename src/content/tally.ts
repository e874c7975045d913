// Counts converted and skipped content for the summary after an import.
import { cutText } from "./quote.ts";
import type { Problem } from "./source.ts";

/** The count of one kind of content in a file or course. */
export interface TallyEntry {
  /** The singular name, such as `LTI block`. */
  what: string;
  /** The plural, such as `discussions in Open edX`; by default, `what` with an s. */
  plural?: string | undefined;
  count: number;
  /** True for converted content, such as a problem that becomes a quiz; false for skipped content. */
  isKept: boolean;
}

/** Adds one to the count of the entry with the same `what`, or adds the entry with a count of 1. */
export function countInto(counts: Map<string, TallyEntry>, entry: Omit<TallyEntry, "count">): void {
  const known = counts.get(entry.what);
  if (known === undefined) counts.set(entry.what, { ...entry, count: 1 });
  else known.count++;
}

/** The maximum number of kinds to count separately, since hostile input can invent names. */
const MAX_KINDS = 40;

/** Adds up an import's tallies. */
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

  /** Returns `kept: 3 quizzes; not shown: 2 drafts`, the most frequent kinds first; undefined if there are none. */
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
