// The formats of course folders, in the order in which they are looked for. A format's code is loaded once a folder may have it.
import type { Format } from "./format.ts";

/** What makes a folder one of a format: an outline, numbers, a file that may be about something else, or nothing else. */
export type Claim = "outline" | "numbers" | "weak" | "rest";

/** A format in the registry. */
export interface FormatEntry {
  /** As `--format` names it. */
  name: string;
  /** What a folder of the format has, for people: `a SUMMARY.md`. */
  sign: string;
  /** The root of a source is no course of a weak format when folders in it are courses; one of the rest when anything else is. */
  claim: Claim;
  /** A name that is in every such folder; absent where none is. */
  holds?: RegExp;
  /** True where a file of that name is nothing else. */
  ownsName?: boolean;
  /** True for Lectern's own outline, which may describe a course of any format and be joined by its chapters. */
  describes?: boolean;
  /** True where the front matter of a page holds it back, such as a draft; that of other programs is theirs. */
  holdsPages?: boolean;
  load: () => Promise<Format>;
}

export const FORMATS: FormatEntry[] = [
  {
    name: "course.yaml",
    sign: "a course.yaml",
    claim: "outline",
    holds: /^course\.ya?ml$/,
    ownsName: true,
    describes: true,
    holdsPages: true,
    load: async () => (await import("./course-yaml/course-yaml.ts")).courseYaml,
  },
  {
    name: "toctree",
    sign: "a _toctree.yml",
    claim: "outline",
    holds: /^_toctree\.ya?ml$/,
    ownsName: true,
    load: async () => (await import("./hugging-face/toctree.ts")).toctree,
  },
  {
    name: "olx",
    sign: "a course.xml of Open edX",
    claim: "outline",
    holds: /^course\.xml$/,
    load: async () => (await import("./open-edx/olx.ts")).olx,
  },
  {
    name: "common-cartridge",
    sign: "an imsmanifest.xml of a Common Cartridge",
    claim: "outline",
    holds: /^imsmanifest\.xml$/,
    load: async () => (await import("./common-cartridge/cartridge.ts")).cartridge,
  },
  {
    name: "mdbook",
    sign: "a SUMMARY.md",
    claim: "outline",
    holds: /^book\.toml$/,
    load: async () => (await import("./mdbook/mdbook.ts")).mdbook,
  },
  {
    name: "carpentries",
    sign: "a config.yaml of The Carpentries",
    claim: "outline",
    holds: /^config\.ya?ml$/,
    load: async () => (await import("./carpentries/carpentries.ts")).carpentries,
  },
  {
    name: "jupyter-book",
    sign: "a _toc.yml or myst.yml of Jupyter Book",
    claim: "outline",
    holds: /^(?:_toc|myst)\.ya?ml$/,
    load: async () => (await import("./jupyter-book/jupyter-book.ts")).jupyterBook,
  },
  {
    name: "numbered",
    sign: "folders and lessons whose names begin with numbers, such as 01-start.md",
    claim: "numbers",
    holdsPages: true,
    load: async () => (await import("./numbered/numbered-folder.ts")).numberedFolder,
  },
  {
    name: "mdbook",
    sign: "a SUMMARY.md",
    claim: "weak",
    holds: /^(?:SUMMARY\.md|src)$/,
    load: async () => (await import("./mdbook/mdbook.ts")).summary,
  },
  {
    name: "liascript",
    sign: "a README.md in LiaScript",
    claim: "weak",
    holds: /\.(?:md|rmd|markdown|mkd)$/i,
    load: async () => (await import("./liascript/liascript.ts")).liascript,
  },
  {
    name: "plain",
    sign: "Markdown files",
    claim: "rest",
    holdsPages: true,
    load: async () => (await import("./plain/plain.ts")).plain,
  },
];

/** The names that `--format` takes. */
export function listFormatNames(): string[] {
  return [...new Set(FORMATS.filter(({ describes }) => describes !== true).map(({ name }) => name))];
}

/** True for the name of a file that is an outline and nothing else, so that readers never get it. */
export function isOutlineName(name: string): boolean {
  return FORMATS.some(({ ownsName, holds }) => ownsName === true && holds?.test(name) === true);
}
