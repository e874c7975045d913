// How much the lessons of a course, and all of a source, may take in from other files, in any format.
import type { SourceTree } from "../files/source-tree.ts";
import { MIB } from "../limits.ts";

/** Of one course. Each costs a look through a file, or for one; ordinary books have a few hundred. */
const MAX_DIRECTIVES = 20_000;
const MAX_READ_BYTES = 64 * MIB;
/** Of all courses of a source. */
const MAX_SOURCE_DIRECTIVES = 5 * MAX_DIRECTIVES;
const MAX_SOURCE_BYTES = 4 * MAX_READ_BYTES;
/** Files that are kept while a course is read: a lesson shows parts of the same one again and again. */
const MAX_KEPT = 32 * MIB;

/** Counts what the lessons of one course take in, and keeps the files that they do so from. */
export class IncludeBudget<Kept> {
  /** True once nothing more is taken in. */
  isExhausted = false;
  readonly #tree: SourceTree;
  readonly #kept = new Map<string, Kept>();
  #keptSize = 0;
  #directives = 0;
  #readSize = 0;

  constructor(tree: SourceTree) {
    this.#tree = tree;
  }

  /** False for one more than the course or the source may have. */
  countDirective(): boolean {
    return ++this.#directives <= MAX_DIRECTIVES && ++this.#tree.included.directives <= MAX_SOURCE_DIRECTIVES;
  }

  /** Counts a text that is taken in, or of which a part is. */
  countRead({ length }: string): void {
    this.#readSize += length;
    this.#tree.included.bytes += length;
  }

  /** False where a lesson of such a length may not take in so much more. */
  allows(lessonLength: number, { length }: string): boolean {
    if (lessonLength + length > this.#tree.limits.maxFileBytes) return false;
    return this.#readSize <= MAX_READ_BYTES && this.#tree.included.bytes <= MAX_SOURCE_BYTES;
  }

  /** True where it is the source that has too much. */
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
