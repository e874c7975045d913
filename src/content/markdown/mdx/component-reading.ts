import { SearchBudget } from "./jsx-items.ts";
import type { FoundItem } from "./jsx-items.ts";
import { placeQuestions } from "./mdx-quiz.ts";

/** Something that the text holds no more: what it was, its first line, and how often it stood there. */
export interface DroppedPart {
  name: string;
  line: number;
  count: number;
}

export interface ComponentOptions {
  /** With false the first video is the lesson's URL, else all are embedded where they stand. */
  keepsVideo: boolean;
  /** The framework for whose readers the text is; undefined for all branches, one after the other. */
  framework: string | undefined;
  /** The language of the course (BCP 47); undefined: English. */
  language: string | undefined;
}

/** What is found out of the components of one text while it is parsed. */
export class ComponentReading {
  /** The URL of the first video component; undefined when there is none, or it is kept. */
  videoUrl: string | undefined;
  /** Where all the branches for readers of different frameworks stand. */
  branches: DroppedPart | undefined;
  /** The line of the first question; undefined when there is none. */
  questionLine: number | undefined;
  /** How many imports and exports were read, and how many tokens there were at the last. */
  moduleCount = 0;
  lastModule = 0;
  readonly budget: SearchBudget;
  readonly options: ComponentOptions;
  readonly placeQuestions = placeQuestions;
  readonly #dropped = new Map<string, DroppedPart>();
  /** How many of each name are open that have lines of their own. */
  readonly #open = new Map<string, number>();

  constructor(options: ComponentOptions, textLength: number) {
    this.options = options;
    this.budget = new SearchBudget(textLength);
  }

  /** What is not shown; comments, switches and closing tags are not counted. */
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

  /** Counts an item that has lines of its own, behind which there are so many tokens. */
  countBlock(item: FoundItem, tokenCount: number): void {
    if (item.kind === "module") {
      this.moduleCount++;
      this.lastModule = tokenCount;
    }
    const change =
      item.kind === "open" || item.kind === "begin" ? 1 : item.kind === "close" || item.kind === "end" ? -1 : 0;
    if (change !== 0) this.#open.set(keyOf(item), Math.max(0, (this.#open.get(keyOf(item)) ?? 0) + change));
  }

  /** True where something with lines of its own is open that the item may end. */
  isOpen(item: FoundItem): boolean {
    return (this.#open.get(keyOf(item)) ?? 0) > 0;
  }
}

/** What is the same for all that may belong together. */
export function keyOf({ kind, name }: Pick<FoundItem, "kind" | "name">): string {
  return kind === "open" || kind === "close" ? `<${name}` : "{";
}
