/** The formats that a folder can be read as, in the order in which they are looked for. */
export const FORMAT_NAMES = [
  "toctree",
  "olx",
  "common-cartridge",
  "mdbook",
  "carpentries",
  "numbered",
  "liascript",
  "plain",
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];
