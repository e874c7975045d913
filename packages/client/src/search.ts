// What a search takes and answers.

export interface SearchOptions {
  /** Only in this course, by id or slug. */
  course?: string | undefined;
  /** Only in courses in this language or a variety of it. */
  language?: string | undefined;
  /** Only in courses that have this tag, or all of these. */
  tag?: string | readonly string[] | undefined;
  /** How many results a page has; 20 unless given, and at most. */
  limit?: number | undefined;
  /** How many results stand before this page. */
  offset?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface SearchPage {
  /** Of all pages together. */
  total: number;
  results: SearchResult[];
}

/** A lesson, or a course whose own texts match: then the lesson's members are "". */
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
