// Files of XML that outlines are read from.
import type { SourceTree } from "../files/source-tree.ts";
import { decodeXml, parseXml, type XmlElement } from "../html/xml.ts";
import { tellUnreadable, type Tell } from "../source.ts";

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
