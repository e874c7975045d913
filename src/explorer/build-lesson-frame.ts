// Builds the lesson frame: its document, and the files that it loads on demand.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { FileToWrite } from "../builds/write-built-files.ts";
import { renderFrameDocument } from "./lesson-frame/frame-document.ts";

/** A font in KaTeX's stylesheet: WOFF 2, which every supported browser reads, then older formats. */
const FONT = /url\(fonts\/([\w-]+)\.woff2\)( ?format\("woff2"\))(?:, ?url\([^)]*\) ?format\("\w+"\))*/g;

/** Builds the lesson frame's files: `lesson.html`, and files with hashed names. */
export async function buildLessonFrame(): Promise<FileToWrite[]> {
  const [script, styles, math, code] = await Promise.all(
    ["frame.ts", "frame.css", "typeset-math.ts", "highlight-code.ts"].map(build),
  );
  const typesetMath = nameByHash("typeset-math.js", math);
  const highlightCode = nameByHash("highlight-code.js", code);
  const [typesetMathStyle, ...fonts] = await listMathStyles();
  const document = renderFrameDocument(script ?? "", styles ?? "", {
    typesetMath: typesetMath.name,
    typesetMathStyle: typesetMathStyle.name,
    highlightCode: highlightCode.name,
  });
  const content = new TextEncoder().encode(document);
  return [{ name: "lesson.html", content }, typesetMath, typesetMathStyle, ...fonts, highlightCode];
}

async function build(entry: string): Promise<string> {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(new URL(`lesson-frame/${entry}`, import.meta.url))],
    target: "browser",
    // A document with an opaque origin cannot load modules.
    format: "iife",
    minify: true,
  });
  const [output] = built.outputs;
  if (!built.success || output === undefined) throw new AggregateError(built.logs, `${entry} cannot be built`);
  return (await output.text()).trim();
}

/** Returns KaTeX's stylesheet, then its fonts. */
async function listMathStyles(): Promise<[FileToWrite, ...FileToWrite[]]> {
  const folder = new URL("./", import.meta.resolve("katex/dist/katex.min.css"));
  const sheet = await Bun.file(new URL("katex.min.css", folder)).text();
  const fonts = new Map<string, FileToWrite>();
  for (const [, name = ""] of sheet.matchAll(FONT)) {
    const content = await Bun.file(new URL(`fonts/${name}.woff2`, folder)).bytes();
    fonts.set(name, nameByHash(`${name}.woff2`, content));
  }
  const renamed = sheet.replace(FONT, (_, name: string, format: string) => `url(${fonts.get(name)?.name})${format}`);
  return [nameByHash("typeset-math.css", renamed), ...fonts.values()];
}

/** Creates a file with a hash in its name: `beans-1a2b3c4d.js` for `beans.js`. */
function nameByHash(name: string, content: string | Uint8Array<ArrayBuffer> = ""): FileToWrite {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  return { name: name.replace(/\.\w+$/, `-${hash}$&`), content: bytes };
}
