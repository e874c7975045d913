// Builds the reference for browsers, into `dist/reference/`: Scalar's page as its package has it, and the script that starts it. Run by
// `npm run prepare`.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { writeBuiltFiles, type FileToWrite } from "../builds/write-built-files.ts";
import { renderReferenceDocument } from "./reference-document.ts";

const ROOT = new URL("../../", import.meta.url);
const OUTPUT = fileURLToPath(new URL("dist/reference/", ROOT));
const PAGE = Bun.file(new URL("node_modules/@scalar/api-reference/dist/browser/standalone.js", ROOT));

// An installation for production goes without the package, and keeps what was built before.
if (await PAGE.exists()) await build();

async function build(): Promise<void> {
  const started = await Bun.build({
    entrypoints: [fileURLToPath(new URL("start-reference.ts", import.meta.url))],
    target: "browser",
    minify: true,
  });
  const [start] = started.outputs;
  if (!started.success || start === undefined) throw new AggregateError(started.logs, "the reference cannot be built");
  const files = [
    nameByContent("page", new Uint8Array(await PAGE.arrayBuffer())),
    nameByContent("start", new Uint8Array(await start.arrayBuffer())),
  ] as const;
  const scripts = { page: files[0].name, start: files[1].name };
  const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
  await writeBuiltFiles(OUTPUT, [
    ...files,
    { name: "index.html", content: encode(renderReferenceDocument("docs/", scripts)) },
    { name: "folder.html", content: encode(renderReferenceDocument("", scripts)) },
  ]);
}

function nameByContent(name: string, content: Uint8Array<ArrayBuffer>): FileToWrite {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  return { name: `${name}-${hash}.js`, content };
}
