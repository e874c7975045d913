// Limits the includes of a course and of a source.
import type { SourceTree } from "../files/source-tree.ts";
import { MIB } from "../limits.ts";

/** The maximum number of includes per course. Each include scans a file; books contain a few hundred includes. */
const MAX_DIRECTIVES = 20_000;
const MAX_READ_BYTES = 64 * MIB;
/** The maximum number of includes per source. */
const MAX_SOURCE_DIRECTIVES = 5 * MAX_DIRECTIVES;
const MAX_SOURCE_BYTES = 4 * MAX_READ_BYTES;
/** The maximum total length of cached files. Caching helps since lessons often include parts of the same file. */
const MAX_KEPT = 32 * MIB;

/** Counts a course's includes and caches their files. */
export class IncludeBudget<Kept> {
  readonly #tree: SourceTree;
  readonly #kept = new Map<string, Kept>();
  #keptSize = 0;

  constructor(tree: SourceTree) {
    this.#tree = tree;
  }

  /** True once the budget is spent. */
  get isExhausted(): boolean {
    return this.#tree.includedByCourse.isExhausted;
  }

  set isExhausted(isExhausted: boolean) {
    this.#tree.includedByCourse.isExhausted = isExhausted;
  }

  /** Counts an include. Returns false beyond the limit of the course or the source. */
  countDirective(): boolean {
    const { included, includedByCourse } = this.#tree;
    return ++includedByCourse.directives <= MAX_DIRECTIVES && ++included.directives <= MAX_SOURCE_DIRECTIVES;
  }

  /** Counts a file that is searched for the part to include: searching costs less than including. */
  countSearch({ length }: string): void {
    this.#count(length / 16);
  }

  /** Counts included text. Returns false if it makes the lesson too long, or if the budget for text is spent. */
  take(lessonLength: number, { length }: Pick<string, "length">): boolean {
    this.#count(length);
    if (lessonLength + length > this.#tree.limits.maxFileBytes) return false;
    const { included, includedByCourse } = this.#tree;
    return includedByCourse.bytes <= MAX_READ_BYTES && included.bytes <= MAX_SOURCE_BYTES;
  }

  #count(bytes: number): void {
    this.#tree.includedByCourse.bytes += bytes;
    this.#tree.included.bytes += bytes;
  }

  /** Returns true if a limit of the source is exceeded, and not only a limit of the course. */
  get isSourceSpent(): boolean {
    const { directives, bytes } = this.#tree.included;
    return directives > MAX_SOURCE_DIRECTIVES || bytes > MAX_SOURCE_BYTES;
  }

  find(path: string): Kept | undefined {
    return this.#kept.get(path);
  }

  keep(path: string, file: Kept, { length }: string): Kept {
    this.#keptSize += length;
    if (this.#keptSize > MAX_KEPT) {
      this.#kept.clear();
      this.#keptSize = length;
    }
    this.#kept.set(path, file);
    return file;
  }
}
