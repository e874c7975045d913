// Lists the formats of course folders by priority. A format's code is loaded on demand.
import type { Format } from "./format.ts";

/** How strong a format's sign is: an outline, numbers, an ambiguous file, or none. */
export type Claim = "outline" | "numbers" | "weak" | "rest";

export interface FormatEntry {
  /** The name for `--format`. */
  name: string;
  /** The sign as messages name it: `a SUMMARY.md`. */
  sign: string;
  /** If the root's claim is `weak`, course folders in the root take precedence; if `rest`, any other format does. */
  claim: Claim;
  /** Matches the name of a file or folder that every course folder in this format contains, if any. */
  holds?: RegExp;
  /** True if files with such a name are always outlines. */
  ownsName?: boolean;
  /** True for Lectern's own outline, which can describe a course in any format. */
  describes?: boolean;
  /** True if front matter holds pages back. */
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
    sign: "a Common Cartridge's imsmanifest.xml",
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
    sign: "a Carpentries config.yaml",
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

export function listFormatNames(): string[] {
  return [...new Set(FORMATS.filter(({ describes }) => describes !== true).map(({ name }) => name))];
}

/** Returns true for the name of an outline file. Readers cannot download outlines. */
export function isOutlineName(name: string): boolean {
  return FORMATS.some(({ ownsName, holds }) => ownsName === true && holds?.test(name) === true);
}
