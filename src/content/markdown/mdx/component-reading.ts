import { SearchBudget, type FoundItem } from "./jsx-items.ts";
import { placeQuestions } from "./mdx-quiz.ts";

/** A dropped part: its name, first line, and count. */
export interface DroppedPart {
  name: string;
  line: number;
  count: number;
}

export interface ComponentOptions {
  /** False turns the first video into the lesson's URL; true embeds all. */
  keepsVideo: boolean;
  /** Keeps branches for this framework; undefined keeps all. */
  framework: string | undefined;
  /** The course's language (BCP 47); English if undefined. */
  language: string | undefined;
}

/** Collects findings on components during parsing. */
export class ComponentReading {
  /** The URL of the first video component, unless embedded. */
  videoUrl: string | undefined;
  /** The location of the framework branches, if all are kept. */
  branches: DroppedPart | undefined;
  /** The line of the first question, if any. */
  questionLine: number | undefined;
  /** The imports and exports so far, and the token count at the last one. */
  moduleCount = 0;
  lastModule = 0;
  readonly budget: SearchBudget;
  readonly options: ComponentOptions;
  readonly placeQuestions = placeQuestions;
  readonly #dropped = new Map<string, DroppedPart>();
  /** The number of open block components by name. */
  readonly #open = new Map<string, number>();

  constructor(options: ComponentOptions, textLength: number) {
    this.options = options;
    this.budget = new SearchBudget(textLength);
  }

  /** Lists dropped parts, except comments, switches and closing tags. */
  listDropped(): DroppedPart[] {
    return [...this.#dropped.values()];
  }

  drop(name: string, line: number, isCounted = true): void {
    const known = this.#dropped.get(name);
    if (known !== undefined) known.count++;
    else if (isCounted) this.#dropped.set(name, { name, line, count: 1 });
  }

  noteBranches(name: string, line: number): void {
    if (this.branches === undefined) this.branches = { name, line, count: 1 };
    else this.branches.count++;
  }

  /** Counts a block item; `tokenCount` is the number of tokens before its end. */
  countBlock(item: FoundItem, tokenCount: number): void {
    if (item.kind === "module") {
      this.moduleCount++;
      this.lastModule = tokenCount;
    }
    const change =
      item.kind === "open" || item.kind === "begin" ? 1 : item.kind === "close" || item.kind === "end" ? -1 : 0;
    if (change !== 0) this.#open.set(keyOf(item), Math.max(0, (this.#open.get(keyOf(item)) ?? 0) + change));
  }

  /** Returns true if an open block component may match the item. */
  isOpen(item: FoundItem): boolean {
    return (this.#open.get(keyOf(item)) ?? 0) > 0;
  }
}

/** Returns the key of items that may form a group. */
export function keyOf({ kind, name }: Pick<FoundItem, "kind" | "name">): string {
  return kind === "open" || kind === "close" ? `<${name}` : "{";
}
