// The rules of the parser that only sites of MkDocs and Zensical have.
import type { MarkdownIt } from "markdown-it";
import { addAbbreviations } from "./abbreviations.ts";
import { addCodeNotes } from "./code-notes.ts";
import { addIndentedBoxes } from "./indented-boxes.ts";
import { addMarkedText } from "./marked-text.ts";
import { addSlashBlocks } from "./slash-blocks.ts";
import { addTextDetails } from "./text-details.ts";

/** Adds them to a parser; each asks whether its extension is configured. */
export function addMkdocsRules(parser: MarkdownIt): void {
  addIndentedBoxes(parser);
  addSlashBlocks(parser);
  addMarkedText(parser);
  addAbbreviations(parser);
  addCodeNotes(parser);
  addTextDetails(parser);
}
