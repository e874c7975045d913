// Reads the XML files of outlines.
import type { SourceTree } from "../files/source-tree.ts";
import { decodeXml, parseXml, type XmlElement } from "../html/xml.ts";
import { reportUnreadable, type ReportFinding } from "../source.ts";

/** Returns an XML or HTML file's text. Reports an unreadable file and returns undefined. */
export async function readXmlText(tree: SourceTree, path: string, report: ReportFinding): Promise<string | undefined> {
  const bytes = await tree.readBytes(path, report);
  try {
    return bytes && decodeXml(bytes);
  } catch (error) {
    return reportUnreadable(error, { file: tree.toTypedPath(path) }, report);
  }
}

/** Returns an XML file's root. Reports an unreadable file and returns undefined. */
export async function readXml(tree: SourceTree, path: string, report: ReportFinding): Promise<XmlElement | undefined> {
  const text = await readXmlText(tree, path, report);
  try {
    return text === undefined ? undefined : parseXml(text, tree.limits);
  } catch (error) {
    return reportUnreadable(error, { file: tree.toTypedPath(path) }, report);
  }
}

/** Returns the start of an XML file, for detection; "" if unreadable. */
export async function readOpening(tree: SourceTree, path: string): Promise<string> {
  const bytes = await tree.readBytes(path, () => undefined);
  // Removes the zero byte that accompanies each character of markup in UTF-16.
  return new TextDecoder("latin1").decode(bytes?.subarray(0, 16_384)).replaceAll("\0", "");
}
