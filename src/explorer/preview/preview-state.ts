/** Something wrong in what an author wrote, with its place for people. */
export interface PreviewProblem {
  severity: "error" | "warning";
  file: string;
  line?: number | undefined;
  column?: number | undefined;
  message: string;
  hints: readonly string[];
  /** The lesson that its file is, in the release that is shown; undefined where it is none. */
  courseId?: string | undefined;
  courseSlug?: string | undefined;
  lessonId?: string | undefined;
}

/** What `lectern preview` tells its pages after each reading of the folder. */
export interface PreviewState {
  /** The release that is shown; 0 while there is none. */
  release: number;
  /** All there are; `problems` has the first of them, errors first. */
  errors: number;
  warnings: number;
  problems: PreviewProblem[];
  /** Courses that no list has. */
  drafts: { courseId: string; slug: string }[];
}
