// Builds the API reference into `dist/reference/`: Scalar's page, stored by `keep-page.ts`, and its start script. Run by
// `npm run prepare`.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { writeBuiltFiles, type FileToWrite } from "../builds/write-built-files.ts";
import { renderReferenceDocument } from "./reference-document.ts";

const OUTPUT = fileURLToPath(new URL("../../dist/reference/", import.meta.url));

const started = await Bun.build({
  entrypoints: [fileURLToPath(new URL("start-reference.ts", import.meta.url))],
  target: "browser",
  minify: true,
});
const [start] = started.outputs;
if (!started.success || start === undefined) throw new AggregateError(started.logs, "the reference cannot be built");
const page = brotliDecompressSync(await Bun.file(new URL("page.js.br", import.meta.url)).bytes());
const files = [
  nameByContent("page", new Uint8Array(page)),
  nameByContent("start", new Uint8Array(await start.arrayBuffer())),
] as const;
const scripts = { page: files[0].name, start: files[1].name };
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
await writeBuiltFiles(OUTPUT, [
  ...files,
  { name: "index.html", content: encode(renderReferenceDocument("docs/", scripts)) },
  { name: "folder.html", content: encode(renderReferenceDocument("", scripts)) },
]);

function nameByContent(name: string, content: Uint8Array<ArrayBuffer>): FileToWrite {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  return { name: `${name}-${hash}.js`, content };
}
