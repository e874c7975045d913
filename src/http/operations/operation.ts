// What an operation is: a release and parsed input become a value.
import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import { isIdentifier } from "../../catalog/identifier.ts";
import type { Release } from "../../catalog/store.ts";
import type { Bytes } from "../../catalog/stored-document.ts";
import type { ServedChannel } from "../../following/served-state.ts";
import { courseNotFound } from "../request/errors.ts";
import type { Parameters } from "../request/parameters.ts";
import type { ContentRoute } from "../request/route.ts";
import type { LargeWork } from "./large-work.ts";
import type { LessonLists } from "./lesson-lists.ts";
import type { NameIndexes } from "./name-index.ts";
import type { TraitIndexes } from "./trait-index.ts";

export interface OperationInput {
  catalog: CatalogReader;
  names: NameIndexes;
  traits: TraitIndexes;
  lessonLists: LessonLists;
  /** The channel that the key reads. */
  channel: ServedChannel;
  /** Undefined while the key's channel has no release: the catalog is empty then. */
  release: Release | undefined;
  /** The release of `since`; undefined where that is not given. */
  since: Release | undefined;
  readsDrafts: boolean;
  parameters: Parameters;
  /** Decoded path parameters, in order. */
  segments: string[];
  /** For work that takes long, or much memory. */
  work: LargeWork;
}

export interface OperationResult {
  /**
   * JSON text of the envelope's `data`, in pieces; the pieces of a long list are read from the store one by one. Or the whole
   * body in gzip, as it is stored.
   */
  data: Iterable<string> | AsyncIterable<string> | Bytes;
  /** Changes exactly when `data` does. Undefined when the caller must compute it. */
  digest: string | undefined;
  link?: string | undefined;
}

/** Undefined when the release has no such course for this reader, by id or slug. */
export type Operation = (input: OperationInput) => Promise<OperationResult | undefined>;

/** A path that an operation answers, in an envelope and for a key. */
export interface OperationRoute extends ContentRoute {
  operation: Operation;
  /** True for an answer that tells more of the channel than its release: it is kept until the next update of what is served. */
  tellsOfChannel?: boolean;
}

/** The course that a path names, in a release. Throws 404 for what cannot name one. */
export function toCourse(release: Release | undefined, [course = ""]: string[]): [Release, string] {
  // Text that is no valid identifier names no course, and a database may reject it.
  if (release === undefined || !isIdentifier(course)) throw courseNotFound();
  return [release, course];
}

/** The lesson that a path names: "", which none has, for what cannot name one. */
export function toLesson([, lesson = ""]: string[]): string {
  return isIdentifier(lesson) ? lesson : "";
}
