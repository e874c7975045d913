// Syntax highlighting, in a separate file because most lessons contain no code.
import highlighter from "highlight.js/lib/common";
import type { HighlightCode } from "./loaded-scripts.ts";

const highlightCode: HighlightCode = (code, language) =>
  highlighter.getLanguage(language) === undefined
    ? undefined
    : highlighter.highlight(code, { language, ignoreIllegals: true }).value;
Object.assign(globalThis, { highlightCode });
