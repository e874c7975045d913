import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { BuiltFiles } from "../http/pages/built-files.ts";
import { DESCRIPTION_IN_FOLDER_NAME, DESCRIPTION_NAME } from "../http/pages/serve-pages.ts";
import { findProjectFile } from "../program-files.ts";

/** Reads the description of the interface. It is no built file: an installation without built files has it, too. */
export function readDescription(): BuiltFiles {
  const content = new Uint8Array(readFileSync(findProjectFile("docs/openapi.json")));
  const text = new TextDecoder().decode(content).replace('"url": "."', '"url": ".."');
  return new BuiltFiles([
    { name: DESCRIPTION_NAME, content, gzip: new Uint8Array(gzipSync(content)) },
    // Few ask for it: it is not compressed.
    { name: DESCRIPTION_IN_FOLDER_NAME, content: new TextEncoder().encode(text) },
  ]);
}
