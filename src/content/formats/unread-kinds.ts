// Kinds of files that authors may expect to be read, but are not.

export interface UnreadKind {
  ending: RegExp;
  /** The message after the file's name: its kind, and what to do. */
  advice: string;
  /** True for a possible lesson, false for linked or accompanying files. */
  isText: boolean;
}

export const UNREAD_KINDS: readonly UnreadKind[] = [
  { ending: /\.(?:ndjson|jsonl)$/i, advice: "may contain courses, one per line: import that file", isText: false },
  { ending: /\.(?:zip|tar|tgz|tar\.gz|imscc)$/i, advice: "is an archive: import that file", isText: false },
  {
    ending: /\.(?:7z|rar|xz|bz2)$/i,
    advice: "is an unsupported archive: unpack it, and import the folder",
    isText: false,
  },
  {
    ending: /\.mbz$/i,
    advice: "is a Moodle backup, which is not supported: export the course as a Common Cartridge",
    isText: false,
  },
  {
    ending: /\.rst$/i,
    advice: "is reStructuredText, which is not supported: convert it to Markdown with pandoc",
    isText: true,
  },
  { ending: /\.(?:adoc|asciidoc)$/i, advice: "is AsciiDoc, which is not supported: convert it to HTML", isText: true },
  { ending: /\.qmd$/i, advice: "is Quarto, which is not supported: render it to Markdown or HTML", isText: true },
  {
    ending: /\.(?:docx?|odt|pptx?|pdf)$/i,
    advice: "is a document, which is not supported: convert it to Markdown or HTML",
    isText: false,
  },
  {
    ending: /\.(?:htm|xhtml)$/i,
    advice: "is not a lesson: its name must end with .md, .mdx or .html",
    isText: true,
  },
  {
    ending: /\.txt$/i,
    advice: "is not a lesson: its name must end with .md, .mdx or .html",
    isText: false,
  },
];
