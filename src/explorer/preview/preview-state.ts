/** A problem and its location. */
export interface PreviewProblem {
  severity: "error" | "warning";
  file: string;
  line?: number | undefined;
  column?: number | undefined;
  message: string;
  hints: readonly string[];
  /** The course and the lesson made from the file in the current release, if any. */
  courseId?: string | undefined;
  courseSlug?: string | undefined;
  lessonId?: string | undefined;
}

/** The state of a preview, sent after each read of the folder. */
export interface PreviewState {
  /** The current release; 0 if there is none. */
  release: number;
  /** The total number of errors. `problems` contains only the first problems, errors before warnings. */
  errors: number;
  warnings: number;
  problems: PreviewProblem[];
  /** Draft courses, which are not in the course list. */
  drafts: { courseId: string; slug: string }[];
}
