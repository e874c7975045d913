// Options and results of a search.

export interface SearchOptions {
  /** Searches only this course, by id or slug. */
  course?: string | undefined;
  /** Searches only courses in this language or a variant of it. */
  language?: string | undefined;
  /** Searches only courses with this tag, or with all of these. */
  tag?: string | readonly string[] | undefined;
  /** The most results on a page: up to 20, the default. */
  limit?: number | undefined;
  /** Results to skip. */
  offset?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface SearchPage {
  /** Matches on all pages. */
  total: number;
  results: SearchResult[];
}

/** A lesson, or a course whose own texts match: its lesson members are "". */
export interface SearchResult {
  courseId: string;
  courseName: string;
  lessonId: string;
  lessonName: string;
  /** The last heading with an id at or before the first hit; "" without one. */
  headingId: string;
  heading: string;
  /** Escaped HTML with `<mark>` around hits. */
  excerpt: string;
}
