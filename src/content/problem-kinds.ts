// What kinds of problem there are. A kind's name is stable: annotations hold it.

/** Every kind, with what it means for people who see how many of it there are. */
export const PROBLEM_KINDS = {
  "all-branches": "branches for different readers, of which all readers see every one",
  "bad-archive": "archives that are damaged, not to be trusted, or over a limit",
  clash: "ids, slugs or files that are taken twice",
  "dropped-component": "components and other parts that cannot be shown, and are left out",
  empty: "lessons and chapters in which there is nothing",
  "flattened-outline": "levels of an outline that become one",
  "former-slug": "ids and slugs that take over addresses of another course",
  "ignored-value": "values that are not taken over",
  "leftover-syntax": "text that was meant for another program, and that readers see",
  "link-to-nothing": "links and images that lead to nothing",
  "link-to-no-lesson": "links to lesson files that no course has",
  "missing-file": "files and folders that an outline names, and that are not there",
  "missing-heading": "links to places that are not in the lesson",
  "no-course": "folders and files that hold no course",
  "no-number": "lessons without a number in a course whose order is its numbers",
  "relative-link": "links and images that mean something only beside their file",
  script: "what runs scripts in the reader's page",
  "skipped-part": "entries and texts that are not read",
  syntax: "texts that cannot be parsed",
  "too-large": "what is over a limit",
  "unknown-field": "fields that nothing reads",
  unreadable: "files and folders that cannot be read",
  "unused-file": "files that are no lesson of a course",
  "wrong-value": "fields and entries that are missing or malformed",
} as const;

/** The stable name of a kind of problem. */
export type ProblemKind = keyof typeof PROBLEM_KINDS;
