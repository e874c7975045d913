import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { BuiltFiles } from "../http/pages/built-files.ts";
import { DESCRIPTION_IN_FOLDER_NAME, DESCRIPTION_NAME } from "../http/pages/serve-reference.ts";
import { findProjectFile } from "../program-files.ts";

/** A hundredth of the time of the best one, for a file that is a tenth of a megabyte. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Reads the description of the interface. It is no built file: an installation without built files has it, too. */
export function readDescription(): BuiltFiles {
  const content = new Uint8Array(readFileSync(findProjectFile("docs/openapi.json")));
  const text = new TextDecoder().decode(content).replace('"url": "."', '"url": ".."');
  const [br, gzip] = [brotliCompressSync(content, BROTLI), gzipSync(content)].map((each) => new Uint8Array(each));
  return new BuiltFiles([
    { name: DESCRIPTION_NAME, content, br, gzip },
    // Few ask for it: it is not compressed.
    { name: DESCRIPTION_IN_FOLDER_NAME, content: new TextEncoder().encode(text) },
  ]);
}
