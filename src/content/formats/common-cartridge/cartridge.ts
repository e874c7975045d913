// Common Cartridges: what learning platforms export. The organization is the outline, resources are the lessons.
import { join } from "node:path/posix";
import type { SourceTree } from "../../files/source-tree.ts";
import { toPlainText } from "../../html/plain-text.ts";
import { decodeXml, listElements, findElement, parseXml, textOf, type XmlElement } from "../../html/xml.ts";
import { DIALECTS } from "../../markdown/dialects.ts";
import { UnreadableText } from "../../limits.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import type { Location, Tell } from "../../source.ts";
import {
  addLanguage,
  findFile,
  nameAfterFolder,
  nameFields,
  tellWithoutChapters,
  type CourseFolder,
  type Outline,
  type OutlineFolder,
  type Format,
} from "../format.ts";
import { CartridgeReader } from "./cartridge-chapters.ts";
import { findFirstFile, findKind, type ResourceKind } from "./resource-kind.ts";
import { CartridgeUrls } from "./cartridge-urls.ts";
import { MANIFEST, readManifest, type Manifest } from "./manifest.ts";
import { OwnedFiles } from "./owned-files.ts";
import { listUnpublished } from "./resource-heads.ts";

/** Kinds whose files are for readers, such as attachments. */
const WITH_FILES: ReadonlySet<ResourceKind> = new Set(["page", "topic", "assignment"]);

/** A Common Cartridge of any version, also a thin one. */
export const cartridge: Format = {
  detect: findManifest,
  outline: readCartridge,
};

async function findManifest({ tree, entries }: OutlineFolder): Promise<string | undefined> {
  const path = findFile(entries, MANIFEST)?.path;
  if (path === undefined) return undefined;
  const bytes = await tree.readBytes(path, () => undefined);
  // UTF-16 has a zero beside each of these letters.
  const opening = bytes && new TextDecoder("latin1").decode(bytes.subarray(0, 16_384)).replaceAll("\0", "");
  return opening !== undefined && /imsccv1p\d|\/xsd\/imscc\/|Common Cartridge/i.test(opening) ? path : undefined;
}

async function readCartridge(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const { tree, folder, report, answers } = course;
  const root = await readXml(tree, path, report);
  if (root === undefined) return undefined;
  const manifest = readManifest(root);
  const toPath = (file: string): string => (folder === "." ? file : `${folder}/${file}`);
  const urls = new CartridgeUrls(await listFiles(tree, folder));
  const place = { file: tree.toTypedPath(path), line: 1 };
  const fields = readFields(course, manifest, place);
  const context = {
    tree,
    toPath,
    urls,
    owned: new OwnedFiles(urls),
    resources: manifest.resources,
    answers,
    language: findText(fields, "language"),
  };
  for (const resource of manifest.resources.values()) {
    const file = findKind(resource) === "file" ? urls.findFile(findFirstFile(resource) ?? "") : undefined;
    // A link to a file means the file, not the lesson that offers it.
    if (file !== undefined) urls.add(resource.id, file);
  }
  const hidden = await readHidden(course, urls, toPath);
  if (hidden === undefined) return undefined;
  const unpublished = await listUnpublished(manifest.items, hidden, context);
  const given = listGiven(manifest, urls, unpublished);
  tree.restrictGiven(folder, (file) => given.has(file));
  const reader = new CartridgeReader(course, manifest, context, { hidden, unpublished }, place.file);
  const chapters = await reader.readChapters();
  tellWithoutChapters(chapters, place, report);
  return {
    fields,
    place,
    chapters,
    dialect: DIALECTS.markdown,
    unlisted: undefined,
  };
}

// Not what has answers, settings or keys in it, whatever a text leads to.
function listGiven({ resources }: Manifest, urls: CartridgeUrls, unpublished: ReadonlySet<string>): Set<string> {
  const given = new Set<string>();
  for (const resource of resources.values()) {
    if (resource.isForInstructors || unpublished.has(resource.id)) continue;
    if (resource.type !== "webcontent" && !WITH_FILES.has(findKind(resource))) continue;
    for (const file of [resource.href ?? "", ...resource.files]) {
      const path = urls.findFile(file);
      if (path !== undefined && !/\.(?:xml|qti)$|^course_settings\//i.test(path)) given.add(path);
    }
  }
  return given;
}

/** Undefined when it cannot be read; that is reported. */
async function readXml(tree: SourceTree, path: string, report: Tell): Promise<XmlElement | undefined> {
  const bytes = await tree.readBytes(path, report);
  try {
    return bytes && parseXml(decodeXml(bytes), tree.limits);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    const file = tree.toTypedPath(path);
    report({ kind: error.kind, file, line: error.line, message: error.message });
    return undefined;
  }
}

function readFields(course: CourseFolder, { title, description, language }: Manifest, place: Location): PlacedFields {
  const fields = title === undefined ? nameAfterFolder(course, place) : nameFields(title, place);
  const text = description === undefined ? "" : toPlainText(description);
  if (text !== "") fields.set("description", { value: text, place });
  if (language !== undefined) addLanguage(fields, "language", language, place, course.report);
  return fields;
}

/** The files of a cartridge, relative to it. */
async function listFiles(tree: SourceTree, folder: string): Promise<Set<string>> {
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

// Canvas exports what is not published as well, and says so beside the manifest. Undefined when that cannot be read; it is reported.
async function readHidden(
  { tree, report }: CourseFolder,
  urls: CartridgeUrls,
  toPath: (file: string) => string,
): Promise<Set<string> | undefined> {
  const hidden = new Set<string>();
  const path = urls.findFile("course_settings/module_meta.xml");
  if (path === undefined) return hidden;
  const root = await readXml(tree, toPath(path), report);
  if (root === undefined) return undefined;
  const visit = (element: XmlElement): void => {
    const state = findElement(element, "workflow_state");
    const id = element.attributes.get("identifier");
    if (state !== undefined && id !== undefined && textOf(state) === "unpublished") hidden.add(id);
    for (const child of listElements(element)) visit(child);
  };
  visit(root);
  return hidden;
}
