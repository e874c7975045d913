// Files that are not read as they are, though their authors may think so.

/** A kind of such files. */
export interface UnreadKind {
  ending: RegExp;
  /** What it is, and what to do with it; to be said behind its name. */
  advice: string;
  /** True where it may be meant as a lesson. Lessons link to files of the other kinds, or they lie beside them. */
  isText: boolean;
}

export const UNREAD_KINDS: readonly UnreadKind[] = [
  { ending: /\.(?:ndjson|jsonl)$/i, advice: "may hold courses, one a line: name that file", isText: false },
  { ending: /\.(?:zip|tar|tgz|tar\.gz|imscc)$/i, advice: "is an archive: name that file", isText: false },
  {
    ending: /\.(?:7z|rar|xz|bz2)$/i,
    advice: "is an archive of a kind that is not read: unpack it, and name the folder",
    isText: false,
  },
  {
    ending: /\.mbz$/i,
    advice: "is a backup of Moodle, which is not read: export the course as a Common Cartridge",
    isText: false,
  },
  {
    ending: /\.rst$/i,
    advice: "is reStructuredText, which is not read: pandoc can make Markdown of it",
    isText: true,
  },
  { ending: /\.(?:adoc|asciidoc)$/i, advice: "is AsciiDoc, which is not read: convert it to HTML", isText: true },
  { ending: /\.qmd$/i, advice: "is Quarto, which is not read: render it to Markdown or HTML", isText: true },
  {
    ending: /\.(?:docx?|odt|pptx?|pdf)$/i,
    advice: "is a document, which is not read: convert it to Markdown or HTML",
    isText: false,
  },
  {
    ending: /\.(?:htm|xhtml)$/i,
    advice: "is no lesson by its name: those end with .md, .mdx or .html",
    isText: true,
  },
  {
    ending: /\.txt$/i,
    advice: "is no lesson by its name: those end with .md, .mdx or .html",
    isText: false,
  },
];
