// Builds the explorer for browsers into `dist/explorer/`. `npm run prepare` runs this script.
import { fileURLToPath } from "node:url";
import { writeBuiltFiles, type FileToWrite } from "../builds/write-built-files.ts";
import { renderIndexDocument } from "./index-document.ts";
import { buildLessonFrame } from "./build-lesson-frame.ts";

const OUTPUT = fileURLToPath(new URL("../../dist/explorer/", import.meta.url));
/** The entries. Documents find a built file by the name of its entry. */
const ENTRIES = ["main.tsx", "main.css", "preview/preview.tsx", "preview/preview.css"];

const built = await Bun.build({
  entrypoints: ENTRIES.map((path) => fileURLToPath(new URL(path, import.meta.url))),
  target: "browser",
  format: "esm",
  minify: true,
  define: { "process.env.NODE_ENV": '"production"' },
  naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
});
if (!built.success) throw new AggregateError(built.logs, "the explorer cannot be built");

const files: FileToWrite[] = await Promise.all(
  built.outputs.map(async (output) => ({
    name: output.path.replace(/^.*\//, ""),
    content: new Uint8Array(await output.arrayBuffer()),
  })),
);
const icon = await Bun.file(new URL("icon.svg", import.meta.url)).bytes();
files.push({ name: `icon-${Bun.hash(icon).toString(36).slice(0, 8)}.svg`, content: icon });
const encoder = new TextEncoder();
files.push({ name: "index.html", content: encoder.encode(renderIndexDocument(findName, ["main"])) });
files.push({ name: "preview.html", content: encoder.encode(renderIndexDocument(findName, ["main", "preview"])) });
files.push(...(await buildLessonFrame()));
await writeBuiltFiles(OUTPUT, files);

/** Finds the built file of an entry: `main-1a2b3c4d.js` for `main.js`. Throws if the entry is unknown. */
function findName(entry: string): string {
  const mark = entry.lastIndexOf(".");
  const found = files.find(
    ({ name }) => name.startsWith(`${entry.slice(0, mark)}-`) && name.endsWith(entry.slice(mark)),
  );
  if (found === undefined) throw new Error(`the build has no output for ${entry}`);
  return found.name;
}
