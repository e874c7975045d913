import { readdirSync, readFileSync } from "node:fs";
import { BuiltFiles, type BuiltFile } from "../http/pages/built-files.ts";
import { findProjectFile } from "../program-files.ts";

/**
 * Reads a set of files that `npm run prepare` has built, such as `explorer`; "missing" where it has not. `instead` gives files the
 * content of others.
 */
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
      const content = read(from) ?? new Uint8Array();
      return { name, content, gzip: read(`${from}.gz`) };
    });
  return files.length === 0 ? "missing" : new BuiltFiles(files);
}
