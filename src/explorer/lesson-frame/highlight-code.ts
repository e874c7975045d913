// Colours of code, built as a file of its own: most lessons have none.
import highlighter from "highlight.js/lib/common";
import type { HighlightCode } from "./loaded-scripts.ts";

const highlightCode: HighlightCode = (code, language) =>
  highlighter.getLanguage(language) === undefined
    ? undefined
    : highlighter.highlight(code, { language, ignoreIllegals: true }).value;
Object.assign(globalThis, { highlightCode });
