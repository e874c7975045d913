// Kinds of problems and their severities. Names are stable, since annotations refer to them.

/** An error blocks its course, because readers would get a wrong course or none. */
export type Severity = "error" | "warning" | "note";

interface Kind {
  severity: Severity;
  /** Describes the kind in counts. */
  about: string;
}

export const PROBLEM_KINDS = {
  "all-branches": { severity: "warning", about: "branches for different readers that every reader sees" },
  "bad-archive": { severity: "error", about: "damaged or untrusted archives, or archives over a limit" },
  "case-clash": { severity: "warning", about: "files whose names differ only in letter case" },
  "changed-format": { severity: "error", about: "courses that no longer have their published format" },
  clash: { severity: "error", about: "duplicate ids, slugs or files" },
  counted: { severity: "note", about: "counts for the summary after an import" },
  "dropped-component": {
    severity: "warning",
    about: "unsupported components and other dropped parts",
  },
  encoding: { severity: "warning", about: "files read as Windows-1252 because they are not UTF-8" },
  empty: { severity: "warning", about: "empty lessons and chapters" },
  "flattened-outline": { severity: "warning", about: "outline levels that are merged" },
  "former-slug": { severity: "warning", about: "ids and slugs that take over another course's URLs" },
  "ignored-value": { severity: "warning", about: "ignored values" },
  languages: { severity: "warning", about: "lessons in other languages that remain in their published course" },
  "leftover-syntax": { severity: "warning", about: "visible text that another program should have processed" },
  "link-to-no-lesson": { severity: "warning", about: "links to lesson files outside all courses" },
  "link-to-nothing": { severity: "warning", about: "broken links and images" },
  "missing-file": { severity: "error", about: "missing files and folders in an outline" },
  "missing-heading": { severity: "warning", about: "links to missing ids in a lesson" },
  "missing-part": {
    severity: "warning",
    about: "missing files and anchors that a format's own tool ignores",
  },
  "moved-root": { severity: "warning", about: "sources whose only course is in a subfolder" },
  "no-course": { severity: "error", about: "folders and files without a course" },
  "no-name": { severity: "warning", about: "chapters and lessons without a name, which get one from their content" },
  "no-number": { severity: "warning", about: "lessons without a number in a numbered course" },
  "no-order": { severity: "warning", about: "course folders in alphabetical order" },
  "other-format": { severity: "warning", about: "courses that match another format too" },
  "relative-link": { severity: "warning", about: "links and images that are relative to their file" },
  "repeated-file": { severity: "warning", about: "files that an outline repeats: the first counts" },
  script: { severity: "warning", about: "scripts that would run in the reader's page" },
  "skipped-part": { severity: "warning", about: "skipped entries and text" },
  syntax: { severity: "error", about: "invalid texts" },
  "too-large": { severity: "error", about: "content over a limit" },
  "unknown-field": { severity: "warning", about: "unknown fields" },
  unreadable: { severity: "error", about: "unreadable files and folders" },
  "unstored-file": {
    severity: "warning",
    about: "linked files that are too large or unreadable",
  },
  "unused-file": { severity: "warning", about: "files without a lesson" },
  "wrong-value": { severity: "error", about: "missing or malformed fields and entries" },
} as const satisfies Record<string, Kind>;

export type ProblemKind = keyof typeof PROBLEM_KINDS;
