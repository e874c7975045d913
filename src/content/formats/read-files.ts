// Files of a course that outlines are read from.
import { join } from "node:path/posix";
import type { SourceTree } from "../files/source-tree.ts";
import { decodeXml, parseXml, type XmlElement } from "../html/xml.ts";
import type { PlacedValue } from "../resolve/placed-value.ts";
import { parseYaml } from "../resolve/yaml-text.ts";
import { tellUnreadable, type Tell } from "../source.ts";

/** A file of YAML, or of JSON, which is YAML. Undefined when it cannot be read; that is reported. */
export async function readYaml(tree: SourceTree, path: string, report: Tell): Promise<PlacedValue | undefined> {
  const text = await tree.readText(path, report);
  const place = { file: tree.toTypedPath(path), firstLine: 1, limits: tree.limits };
  return text === undefined ? undefined : parseYaml(text, place, report);
}

/** The text of an XML or HTML file in its encoding. Undefined when it cannot be read; that is reported. */
export async function readXmlText(tree: SourceTree, path: string, report: Tell): Promise<string | undefined> {
  const bytes = await tree.readBytes(path, report);
  try {
    return bytes && decodeXml(bytes);
  } catch (error) {
    return tellUnreadable(error, { file: tree.toTypedPath(path) }, report);
  }
}

/** The root of an XML file. Undefined when it cannot be read; that is reported. */
export async function readXml(tree: SourceTree, path: string, report: Tell): Promise<XmlElement | undefined> {
  const text = await readXmlText(tree, path, report);
  try {
    return text === undefined ? undefined : parseXml(text, tree.limits);
  } catch (error) {
    return tellUnreadable(error, { file: tree.toTypedPath(path) }, report);
  }
}

/** How an XML file begins, its markup at least; "" when it cannot be read. */
export async function readOpening(tree: SourceTree, path: string): Promise<string> {
  const bytes = await tree.readBytes(path, () => undefined);
  // UTF-16 has a zero beside each letter of markup.
  return new TextDecoder("latin1").decode(bytes?.subarray(0, 16_384)).replaceAll("\0", "");
}

/** The files below a folder, relative to it. */
export async function listFilesBelow(tree: SourceTree, folder: string): Promise<Set<string>> {
  const files = new Set<string>();
  const folders = ["."];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const { name, isFolder, isLink } of await tree.list(join(folder, next))) {
      // A linked folder may lead back here.
      if (!isFolder) files.add(join(next, name));
      else if (!isLink) folders.push(join(next, name));
    }
  }
  return files;
}
