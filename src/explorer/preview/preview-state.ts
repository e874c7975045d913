/** A problem and its location. */
export interface PreviewProblem {
  severity: "error" | "warning";
  file: string;
  line?: number | undefined;
  column?: number | undefined;
  message: string;
  hints: readonly string[];
  /** The lesson of its file in the current release, if any. */
  courseId?: string | undefined;
  courseSlug?: string | undefined;
  lessonId?: string | undefined;
}

/** The state of a preview after each read of the folder. */
export interface PreviewState {
  /** The current release; 0 without one. */
  release: number;
  /** Total number; `problems` has the first ones, errors first. */
  errors: number;
  warnings: number;
  problems: PreviewProblem[];
  /** Courses without a list entry. */
  drafts: { courseId: string; slug: string }[];
}
