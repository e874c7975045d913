// What of a source readers get in another form, or not at all: counted by kind, and stated once at the end.
import { cutText } from "./quote.ts";
import type { Problem } from "./source.ts";

/** How often something stands in a file or course; part of a problem, or of a note that is nothing but this. */
export interface TallyEntry {
  /** One of it, in the words of its format: `LTI block`. */
  what: string;
  /** Several of it, where it is not `what` with an s: `discussions in Open edX`. */
  plural?: string | undefined;
  count: number;
  /** True for what readers get in another form, such as a problem as a quiz; false for what they do not get. */
  isKept: boolean;
}

/** Counts one more of a kind in `counts`, by `what`. */
export function countInto(counts: Map<string, TallyEntry>, entry: Omit<TallyEntry, "count">): void {
  const known = counts.get(entry.what);
  if (known === undefined) counts.set(entry.what, { ...entry, count: 1 });
  else known.count++;
}

/** More kinds than this are counted as one: hostile texts make up any number of names. */
const MAX_KINDS = 40;

/** Adds up what the problems of an import tell of it. */
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

  /** `kept: 3 quizzes; not shown: 2 drafts`, the most frequent first; undefined when there is nothing to tell. */
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
