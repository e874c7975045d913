// Options and results of a search.

export interface SearchOptions {
  /** Searches only this course, by id or slug. */
  course?: string | undefined;
  /** Searches only courses in this language or a variant of it. */
  language?: string | undefined;
  /** Searches only courses with this tag, or with all of these tags. */
  tag?: string | readonly string[] | undefined;
  /** The maximum number of results on the page, up to 20; 20 by default. */
  limit?: number | undefined;
  /** The number of results to skip. */
  offset?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface SearchPage {
  /** The number of matches on all pages. */
  total: number;
  results: SearchResult[];
}

/** A lesson, or a course whose own texts match. For a course, `lessonId` and `lessonName` are "". */
export interface SearchResult {
  courseId: string;
  courseName: string;
  lessonId: string;
  lessonName: string;
  /** The id of the last heading at or before the first hit; "" if there is none. */
  headingId: string;
  heading: string;
  /** Escaped HTML, with `<mark>` around hits. */
  excerpt: string;
}
