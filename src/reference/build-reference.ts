// Builds the API reference into `dist/reference/`, from Scalar's page, which `keep-page.ts` stores, and a start script.
// `npm run prepare` runs this script.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { writeBuiltFiles, type FileToWrite } from "../builds/write-built-files.ts";

const OUTPUT = fileURLToPath(new URL("../../dist/reference/", import.meta.url));

const started = await Bun.build({
  entrypoints: [fileURLToPath(new URL("start-reference.ts", import.meta.url))],
  target: "browser",
  minify: true,
});
const [start] = started.outputs;
if (!started.success || start === undefined) throw new AggregateError(started.logs, "Cannot build the API reference");
const page = brotliDecompressSync(await Bun.file(new URL("page.js.br", import.meta.url)).bytes());
const files = [
  nameByContent("page", new Uint8Array(page)),
  nameByContent("start", new Uint8Array(await start.arrayBuffer())),
] as const;
const scripts = { page: files[0].name, start: files[1].name };
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
await writeBuiltFiles(OUTPUT, [
  ...files,
  { name: "index.html", content: encode(renderReferenceDocument("docs/")) },
  { name: "folder.html", content: encode(renderReferenceDocument("")) },
]);

function nameByContent(name: string, content: Uint8Array<ArrayBuffer>): FileToWrite {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  return { name: `${name}-${hash}.js`, content };
}

/**
 * Renders the reference's HTML. `folder` is the path from the page's URL to its scripts, which depends on whether that
 * URL ends in a slash.
 */
function renderReferenceDocument(folder: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Lectern: reference</title>
<link rel="icon" href="data:,">
<script defer src="${folder}${scripts.page}"></script>
<script type="module" src="${folder}${scripts.start}"></script>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The description that it shows is <a href="${folder}../openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`;
}
