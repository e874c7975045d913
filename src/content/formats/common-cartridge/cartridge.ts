// Reads Common Cartridges, which learning platforms export: items become the outline, and resources become lessons.
import { toPlainText } from "../../html/plain-text.ts";
import { listElements, findElement, textOf, type XmlElement } from "../../html/xml.ts";
import { MARKDOWN } from "../../markdown/dialects.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import { reportUnreadable, type Location } from "../../source.ts";
import {
  addLanguage,
  findFile,
  nameAfterFolder,
  nameFields,
  reportWithoutChapters,
  type CourseFolder,
  type Outline,
  type Format,
} from "../format.ts";
import { listFilesBelow } from "../read-files.ts";
import { readOpening, readXml } from "../read-xml.ts";
import { TOP_SECTIONS } from "../outline-tree.ts";
import { CartridgeReader } from "./cartridge-chapters.ts";
import { findFirstFile, findKind, type ResourceKind, MANIFEST, readManifest, type Manifest } from "./manifest.ts";
import { CartridgeUrls, createFindOwned } from "./cartridge-urls.ts";
import { listUnpublished } from "./resource-heads.ts";

/** The kinds of resources whose files, such as attachments, readers can download. */
const WITH_FILES: ReadonlySet<ResourceKind> = new Set(["page", "topic", "assignment"]);

/** Common Cartridges of all versions, including thin cartridges. */
export const cartridge: Format = {
  async detect({ tree, entries }) {
    const path = findFile(entries, MANIFEST)?.path;
    if (path === undefined) return undefined;
    return /imsccv1p\d|\/xsd\/imscc\/|Common Cartridge/i.test(await readOpening(tree, path)) ? path : undefined;
  },
  outline: readCartridge,
};

async function readCartridge(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const { tree, folder, report, answers } = course;
  const root = await readXml(tree, path, report);
  if (root === undefined) return undefined;
  let manifest: Manifest;
  try {
    manifest = readManifest(root);
  } catch (error) {
    return reportUnreadable(error, { file: tree.toTypedPath(path) }, report);
  }
  const toPath = (file: string): string => (folder === "." ? file : `${folder}/${file}`);
  const urls = new CartridgeUrls(await listFilesBelow(tree, folder));
  const place = { file: tree.toTypedPath(path), line: 1 };
  const fields = readFields(course, manifest, place);
  const context = {
    tree,
    toPath,
    urls,
    findOwned: createFindOwned(urls),
    resources: manifest.resources,
    answers,
    language: findText(fields, "language"),
  };
  for (const resource of manifest.resources.values()) {
    const file = findKind(resource) === "file" ? urls.findFile(findFirstFile(resource) ?? "") : undefined;
    // A link to the file points to the file itself, not to the lesson around it.
    if (file !== undefined) urls.add(resource.id, file);
  }
  const hidden = await readHidden(course, urls, toPath);
  if (hidden === undefined) return undefined;
  const unpublished = await listUnpublished(manifest.items, hidden, context);
  const given = listGiven(manifest, urls, unpublished);
  tree.restrictGiven(folder, (file) => given.has(file));
  const reader = new CartridgeReader(course, manifest, context, { hidden, unpublished }, place.file);
  const parts = await reader.readChapters();
  reportWithoutChapters(parts, place, report);
  return { fields, place, parts, flattening: TOP_SECTIONS, dialect: MARKDOWN, unlisted: undefined };
}

// Lists the files that readers can download. Excludes files with answers, settings or keys, even if texts link to them.
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

function readFields(course: CourseFolder, { title, description, language }: Manifest, place: Location): PlacedFields {
  const fields = title === undefined ? nameAfterFolder(course, place) : nameFields(title, place);
  const text = description === undefined ? "" : toPlainText(description);
  if (text !== "") fields.set("description", { value: text, place });
  if (language !== undefined) addLanguage(fields, "language", language, place, course.report);
  return fields;
}

// Reads the ids of unpublished items from Canvas's settings. Reports an unreadable file and returns undefined.
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
