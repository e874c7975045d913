import type { Release } from "../../catalog/store.ts";
import type { Answer } from "./answer.ts";
import type { EncodedBody } from "./encoded-body.ts";
import { throwUnlessGone } from "../request/errors.ts";
import type { LargeAnswers } from "./large-answers.ts";
import type { LargeWork } from "../operations/large-work.ts";
import { RecentlySeen } from "./recently-seen.ts";

/**
 * What an entry takes beside its body: headers, keys, objects, and the room that the garbage collector leaves. Measured
 * as growth of the process: 3,300 entries of 2.3 KB took 100 MB.
 */
const ENTRY_OVERHEAD_BYTES = 26_000;
let caches = 0;

interface Entry {
  answer: Answer;
  scope: Map<string, Entry>;
  path: string;
  /** Set by each use, taken back when the entry is spared for it. */
  wasUsed: boolean;
}

interface HeldBody {
  body: EncodedBody;
  /** How many entries share it. */
  uses: number;
  /** As counted: a body grows when it is compressed. */
  bytes: number;
}

/**
 * Answers to whole resources, ready to send. A release never changes, so nothing is ever invalidated: what nobody asks
 * for any more is pushed out by what somebody does. Only to be asked for a request whose key was checked.
 */
export class ResponseCache {
  readonly #maxBytes: number;
  /** Its own: large answers outlive a cache, in which the same release may be another one. */
  readonly #number = ++caches;
  /** By release and by what its reader may see, then by path in canonical form. */
  readonly #scopes = new Map<number, Map<string, Entry>>();
  /** Oldest first; a used one is moved to the end when its turn to go comes (second chance). */
  readonly #entries = new Set<Entry>();
  /** By digest: a new release shares most of the old one's. */
  readonly #bodies = new Map<string, HeldBody>();
  readonly #seen = new RecentlySeen();
  /** What is large is kept apart, and counted with what is under way. */
  readonly large: LargeAnswers;
  readonly #pending = new Map<string, Promise<Answer | undefined>>();
  #bytes = 0;

  /** With `maxBytes` 0 nothing is kept. */
  constructor(maxBytes: number, large: LargeAnswers) {
    this.#maxBytes = maxBytes;
    this.large = large;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get entries(): number {
    return this.#entries.size;
  }

  /** The answer for a path in canonical form, to who reads this release with or without drafts. */
  find(release: Release, readsDrafts: boolean, path: string): Answer | undefined {
    const entry = this.#scopes.get(toScopeKey(release, readsDrafts))?.get(path);
    if (entry !== undefined) {
      entry.wasUsed = true;
      return entry.answer;
    }
    return this.large.find(this.#toKey(release, readsDrafts, path));
  }

  /** A body with this digest that some answer has, so that equal content is kept and compressed once. */
  findBody(digest: string): EncodedBody | undefined {
    return this.#bodies.get(digest)?.body ?? this.large.findBody(digest);
  }

  /**
   * The answer for a path, made by `build` if it is not there; undefined when `build` gives none. One build at a time,
   * however many ask: what it throws they get too, unless only the client has gone whose request it was. Throws 499 when
   * the client of `work` has.
   */
  async obtain(
    release: Release,
    readsDrafts: boolean,
    path: string,
    build: () => Promise<Answer | undefined>,
    work: LargeWork,
  ): Promise<Answer | undefined> {
    const found = this.find(release, readsDrafts, path);
    if (found !== undefined) return found;
    const answer = await this.#buildOnce(this.#toKey(release, readsDrafts, path), build, work);
    if (answer !== undefined) this.#add(release, readsDrafts, path, answer);
    return answer;
  }

  /**
   * The same for a part of a list, which `part` tells apart from all others. There are more different ones than a cache
   * could hold: only large ones are kept, for those who ask for the same in the same minute.
   */
  async obtainPart(
    release: Release,
    readsDrafts: boolean,
    part: string,
    build: () => Promise<Answer | undefined>,
    work: LargeWork,
  ): Promise<Answer | undefined> {
    const key = this.#toKey(release, readsDrafts, part);
    const found = this.large.find(key);
    if (found !== undefined) return found;
    const answer = await this.#buildOnce(key, build, work);
    if (answer !== undefined && this.#maxBytes > 0) this.large.keep(key, answer);
    return answer;
  }

  async #buildOnce(
    key: string,
    build: () => Promise<Answer | undefined>,
    work: LargeWork,
  ): Promise<Answer | undefined> {
    for (;;) {
      const others = this.#pending.get(key);
      if (others === undefined) {
        const pending = build().finally(() => this.#pending.delete(key));
        this.#pending.set(key, pending);
        return pending;
      }
      try {
        return await others;
      } catch (error) {
        throwUnlessGone(error);
        work.stopIfGone();
      }
    }
  }

  #add(release: Release, readsDrafts: boolean, path: string, answer: Answer): void {
    if (this.#maxBytes === 0) return;
    if (answer.body.isLarge) {
      this.large.keep(this.#toKey(release, readsDrafts, path), answer);
      return;
    }
    const isFull = this.#bytes + answer.body.bytes + ENTRY_OVERHEAD_BYTES > this.#maxBytes;
    // Somebody who reads a whole catalog once must not push out what is asked for again and again. By path alone: what was
    // asked for in one release will be in the next.
    if (!this.#seen.note(path) && isFull) return;
    const scopeKey = toScopeKey(release, readsDrafts);
    const scope = this.#scopes.get(scopeKey) ?? new Map<string, Entry>();
    if (scope.has(path)) return;
    this.#scopes.set(scopeKey, scope);
    const entry: Entry = { answer, scope, path, wasUsed: false };
    scope.set(path, entry);
    this.#entries.add(entry);
    this.#bytes += ENTRY_OVERHEAD_BYTES;
    const { body } = answer;
    const held = this.#bodies.get(body.digest) ?? { body, uses: 0, bytes: 0 };
    held.uses++;
    this.#bodies.set(body.digest, held);
    this.recount(body);
  }

  /** Counts what a body has grown by since it was compressed. */
  recount(body: EncodedBody): void {
    if (body.isLarge) this.large.recount(body);
    const held = this.#bodies.get(body.digest);
    if (held === undefined) return;
    this.#bytes += held.body.bytes - held.bytes;
    held.bytes = held.body.bytes;
    this.#evict();
  }

  /** Forgets large answers that nobody asked for lately. To be called now and then. */
  sweep(nowMs: number): void {
    this.large.sweep(nowMs);
    for (const [key, scope] of this.#scopes) if (scope.size === 0) this.#scopes.delete(key);
  }

  #toKey(release: Release, readsDrafts: boolean, path: string): string {
    return `${this.#number} ${toScopeKey(release, readsDrafts)} ${path}`;
  }

  #evict(): void {
    for (const entry of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(entry);
      if (entry.wasUsed) {
        entry.wasUsed = false;
        this.#entries.add(entry);
        continue;
      }
      entry.scope.delete(entry.path);
      this.#bytes -= ENTRY_OVERHEAD_BYTES;
      const { digest } = entry.answer.body;
      const held = this.#bodies.get(digest);
      if (held === undefined || --held.uses > 0) continue;
      this.#bytes -= held.bytes;
      this.#bodies.delete(digest);
    }
  }
}

function toScopeKey({ id }: Release, readsDrafts: boolean): number {
  return 2 * id + (readsDrafts ? 1 : 0);
}
