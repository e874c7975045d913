// Reads the pages that `npm run prepare` built, and the OpenAPI document.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import {
  BuiltFiles,
  DESCRIPTION_IN_FOLDER_NAME,
  DESCRIPTION_NAME,
  type BuiltFile,
  type BuiltSet,
} from "../http/pages/serve-pages.ts";
import { findProjectFile } from "../program-files.ts";

export interface Pages {
  explorer: BuiltSet | undefined;
  reference: BuiltSet;
  description: BuiltFiles;
}

/** Reads all pages. `index` names the file that is the explorer's first page. */
export function readPages({ explorer, index = "index.html" }: { explorer: boolean; index?: string }): Pages {
  return {
    explorer: explorer ? readBuiltFiles("explorer", { "index.html": index }) : undefined,
    reference: readBuiltFiles("reference"),
    description: readDescription(),
  };
}

/** Reads a set of built files, such as `explorer`. `instead` maps a file to another that provides its content. */
export function readBuiltFiles(set: string, instead: Record<string, string> = {}): BuiltFiles | "missing" {
  const folder = findProjectFile(`dist/${set}/`);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return "missing";
    throw error;
  }
  const read = (name: string): Uint8Array<ArrayBuffer> | undefined =>
    names.includes(name) ? new Uint8Array(readFileSync(folder + name)) : undefined;
  const files = names
    .filter((name) => !/\.(br|gz)$/.test(name))
    .map((name): BuiltFile => {
      const from = instead[name] ?? name;
      return { name, content: read(from) ?? new Uint8Array(), gzip: read(`${from}.gz`) };
    });
  return files.length === 0 ? "missing" : new BuiltFiles(files);
}

export function readDescription(): BuiltFiles {
  const content = new Uint8Array(readFileSync(findProjectFile("docs/openapi.json")));
  const text = new TextDecoder().decode(content).replace('"url": "."', '"url": ".."');
  return new BuiltFiles([
    { name: DESCRIPTION_NAME, content, gzip: new Uint8Array(gzipSync(content)) },
    // This copy is not compressed, because clients rarely request it.
    { name: DESCRIPTION_IN_FOLDER_NAME, content: new TextEncoder().encode(text) },
  ]);
}
