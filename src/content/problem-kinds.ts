// Kinds of problems and their severities. The kinds' names must not change, since annotations in CI contain them.

/** An error blocks its course, because readers would get a wrong course or none. */
export type Severity = "error" | "warning" | "note";

interface Kind {
  severity: Severity;
  /** Describes the kind beside its count. */
  about: string;
}

export const PROBLEM_KINDS = {
  "all-branches": { severity: "warning", about: "content for some readers that all readers see" },
  "bad-archive": { severity: "error", about: "archives that are damaged, unsafe or over a limit" },
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
  "flattened-outline": { severity: "warning", about: "levels of outlines, lists and quotations that are merged" },
  "former-slug": { severity: "warning", about: "ids and slugs that take over another course's URLs" },
  "ignored-value": { severity: "warning", about: "ignored values" },
  languages: { severity: "warning", about: "translated lessons that are not split into courses of their own" },
  "leftover-syntax": { severity: "warning", about: "syntax of other programs that stays visible as text" },
  "link-to-no-lesson": { severity: "warning", about: "links to lesson files that are in no course" },
  "link-to-nothing": { severity: "warning", about: "broken links and images" },
  "missing-file": { severity: "error", about: "missing files and folders that an outline names" },
  "missing-heading": { severity: "warning", about: "links to missing headings, ids and labels" },
  "missing-part": {
    severity: "warning",
    about: "missing files and anchors that a format's own tool ignores",
  },
  "moved-root": { severity: "warning", about: "sources whose only course is in a subfolder" },
  "no-course": { severity: "error", about: "folders and files without a course" },
  "no-name": { severity: "warning", about: "chapters and lessons without a name, which get one from their content" },
  "no-number": { severity: "warning", about: "lessons without a number in a numbered course" },
  "no-order": { severity: "warning", about: "folders without an order, which are sorted alphabetically" },
  "other-format": { severity: "warning", about: "courses that also match another format" },
  "relative-link": { severity: "warning", about: "links and images with relative URLs that cannot be resolved" },
  "repeated-file": { severity: "warning", about: "files that an outline names more than once" },
  script: { severity: "warning", about: "scripts that would run in the reader's page" },
  "skipped-part": { severity: "warning", about: "skipped entries and text" },
  syntax: { severity: "error", about: "texts with invalid syntax" },
  "too-large": { severity: "error", about: "content over a limit" },
  "unknown-field": { severity: "warning", about: "unknown fields" },
  unreadable: { severity: "error", about: "unreadable files and folders" },
  "unstored-file": {
    severity: "warning",
    about: "linked files that readers cannot download",
  },
  "unused-file": { severity: "warning", about: "files that no lesson uses" },
  "wrong-value": { severity: "error", about: "missing or malformed fields and entries" },
} as const satisfies Record<string, Kind>;

export type ProblemKind = keyof typeof PROBLEM_KINDS;
