// What kinds of problem there are, and how severe each is. A kind's name is stable: annotations hold it.

/** An error stops the import of its course: without it, readers would get a wrong course, or none. */
export type Severity = "error" | "warning" | "note";

interface Kind {
  severity: Severity;
  /** For people who see how many of a kind there are. */
  about: string;
}

/** Every kind. */
export const PROBLEM_KINDS = {
  "all-branches": { severity: "warning", about: "branches for different readers, of which all readers see every one" },
  "bad-archive": { severity: "error", about: "archives that are damaged, not to be trusted, or over a limit" },
  "case-clash": { severity: "warning", about: "files whose names differ in case alone" },
  "changed-format": { severity: "error", about: "courses that cannot be read any more as what they are published as" },
  clash: { severity: "error", about: "ids, slugs or files that are taken twice" },
  counted: { severity: "note", about: "what only the statement at the end of an import counts" },
  "dropped-component": {
    severity: "warning",
    about: "components and other parts that cannot be shown, and are left out",
  },
  encoding: { severity: "warning", about: "texts that are not UTF-8, and are read as Windows-1252" },
  empty: { severity: "warning", about: "lessons and chapters in which there is nothing" },
  "flattened-outline": { severity: "warning", about: "levels of an outline that become one" },
  "former-slug": { severity: "warning", about: "ids and slugs that take over addresses of another course" },
  "ignored-value": { severity: "warning", about: "values that are not taken over" },
  languages: { severity: "warning", about: "lessons in other languages that stay lessons, as readers know them" },
  "leftover-syntax": { severity: "warning", about: "text that was meant for another program, and that readers see" },
  "link-to-no-lesson": { severity: "warning", about: "links to lesson files that no course has" },
  "link-to-nothing": { severity: "warning", about: "links and images that lead to nothing" },
  "missing-file": { severity: "error", about: "files and folders that an outline names, and that are not there" },
  "missing-heading": { severity: "warning", about: "links to places that are not in the lesson" },
  "missing-part": {
    severity: "warning",
    about: "what a format's own tool builds without: files and anchors that are not there",
  },
  "moved-root": { severity: "warning", about: "sources whose only course lies in a folder below" },
  "no-course": { severity: "error", about: "folders and files that hold no course" },
  "no-name": { severity: "warning", about: "chapters and lessons without a name, which are named after what follows" },
  "no-number": { severity: "warning", about: "lessons without a number in a course whose order is its numbers" },
  "no-order": { severity: "warning", about: "courses in whose folders nothing but the alphabet says the order" },
  "new-order": {
    severity: "warning",
    about: "courses that have another name or order than before, though none is newer",
  },
  "other-format": { severity: "warning", about: "courses that could be read as another format, too" },
  "relative-link": { severity: "warning", about: "links and images that mean something only beside their file" },
  "repeated-file": { severity: "warning", about: "files that an outline names again: the first counts" },
  script: { severity: "warning", about: "what runs scripts in the reader's page" },
  "skipped-part": { severity: "warning", about: "entries and texts that are not read" },
  syntax: { severity: "error", about: "texts that cannot be parsed" },
  "too-large": { severity: "error", about: "what is over a limit" },
  "unknown-field": { severity: "warning", about: "fields that nothing reads" },
  unreadable: { severity: "error", about: "files and folders that cannot be read" },
  "unstored-file": {
    severity: "warning",
    about: "files that lessons show or link to, and that are too large or cannot be read",
  },
  "unused-file": { severity: "warning", about: "files that are no lesson of a course" },
  "wrong-value": { severity: "error", about: "fields and entries that are missing or malformed" },
} as const satisfies Record<string, Kind>;

/** The stable name of a kind of problem. */
export type ProblemKind = keyof typeof PROBLEM_KINDS;
