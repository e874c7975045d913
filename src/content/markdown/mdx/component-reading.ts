import { SearchBudget, type FoundItem } from "./jsx-items.ts";
import { placeQuestions } from "./mdx-quiz.ts";

/** A dropped part: its name, the line of its first use and the number of uses. */
export interface DroppedPart {
  name: string;
  line: number;
  count: number;
}

export interface ComponentOptions {
  /** False makes the first video the lesson's `url`; true embeds all videos. */
  keepsVideo: boolean;
  /** The framework whose branches are kept; undefined keeps all branches. */
  framework: string | undefined;
  /** The course's language (BCP 47); English if undefined. */
  language: string | undefined;
}

/** The maximum number of rests of a line within each other: each takes some of the program's stack. */
const MAX_RESTS = 100;

/** Collects findings on components during parsing. */
export class ComponentReading {
  /** The URL of the first video component, unless the video is embedded. */
  videoUrl: string | undefined;
  /** The first choice between frameworks and the number of choices, if all branches are kept. */
  branches: DroppedPart | undefined;
  /** The line of the first question, if any. */
  questionLine: number | undefined;
  /** The number of imports and exports so far, and the number of tokens up to the last of them. */
  moduleCount = 0;
  lastModule = 0;
  readonly budget: SearchBudget;
  readonly options: ComponentOptions;
  readonly placeQuestions = placeQuestions;
  readonly #dropped = new Map<string, DroppedPart>();
  /** The number of open block components by name. */
  readonly #open = new Map<string, number>();
  /** The number of rests of a line, each behind items, that are being read. */
  #rests = 0;

  constructor(options: ComponentOptions, textLength: number) {
    this.options = options;
    this.budget = new SearchBudget(textLength);
  }

  /** Lists dropped parts in order of first use. */
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

  /** Counts a block item; `tokenCount` is the number of tokens so far, including the item's. */
  countBlock(item: FoundItem, tokenCount: number): void {
    if (item.kind === "module") {
      this.moduleCount++;
      this.lastModule = tokenCount;
    }
    const change =
      item.kind === "open" || item.kind === "begin" ? 1 : item.kind === "close" || item.kind === "end" ? -1 : 0;
    if (change !== 0) this.#open.set(keyOf(item), Math.max(0, (this.#open.get(keyOf(item)) ?? 0) + change));
  }

  /** True if the rest of a line must be read as text, even if it begins with an item. */
  get isDeep(): boolean {
    return this.#rests >= MAX_RESTS;
  }

  nest(readRest: () => void): void {
    this.#rests++;
    readRest();
    this.#rests--;
  }

  /** Returns true if the item might close or continue an open block component. */
  isOpen(item: FoundItem): boolean {
    return (this.#open.get(keyOf(item)) ?? 0) > 0;
  }
}

/** Returns a key that items share if they can form a group. */
export function keyOf({ kind, name }: Pick<FoundItem, "kind" | "name">): string {
  return kind === "open" || kind === "close" ? `<${name}` : "{";
}
