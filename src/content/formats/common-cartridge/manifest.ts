// imsmanifest.xml of a Common Cartridge: the tree of its items, and the resources that they name.
import { join } from "node:path/posix";
import { findElement, listElements, textOf, type XmlElement } from "../../html/xml.ts";

/** The name of the file. */
export const MANIFEST = "imsmanifest.xml";

/** An entry of the tree that readers see. */
export interface CartridgeItem {
  id: string;
  /** "" where it has none. */
  title: string;
  /** The id of a resource; undefined for one that only holds others. */
  resource: string | undefined;
  isVisible: boolean;
  items: CartridgeItem[];
  line: number;
}

export interface CartridgeResource {
  id: string;
  /** Such as `imswl_xmlv1p1`. */
  type: string;
  /** Relative to the cartridge: what it begins with, and all that it consists of. */
  href: string | undefined;
  files: string[];
  dependencies: string[];
  /** True for what learners are not meant to see. */
  isForInstructors: boolean;
  /** A web link of a thin cartridge, which has no file. */
  inline: XmlElement | undefined;
  line: number;
}

export interface Manifest {
  /** Undefined where it is not told. */
  title: string | undefined;
  description: string | undefined;
  language: string | undefined;
  items: CartridgeItem[];
  /** In their order. */
  resources: Map<string, CartridgeResource>;
}

/** Reads a manifest of any version. */
export function readManifest(root: XmlElement): Manifest {
  const general = findDeep(root, ["metadata", "lom", "general"]);
  const organization = findDeep(root, ["organizations", "organization"]);
  return {
    title: findString(general, "title") ?? (organization && textOfChild(organization, "title")),
    description: findString(general, "description"),
    language: general && textOfChild(general, "language"),
    items: organization === undefined ? [] : unwrap(listItems(organization)),
    resources: listResources(root),
  };
}

// A cartridge has one item without a title around all others.
function unwrap(items: CartridgeItem[]): CartridgeItem[] {
  const [only] = items;
  return items.length === 1 && only?.title === "" && only.resource === undefined ? only.items : items;
}

function listItems(parent: XmlElement): CartridgeItem[] {
  return listElements(parent, "item").map((item) => ({
    id: item.attributes.get("identifier") ?? "",
    title: textOfChild(item, "title") ?? "",
    resource: item.attributes.get("identifierref") || undefined,
    isVisible: item.attributes.get("isvisible")?.toLowerCase() !== "false",
    items: listItems(item),
    line: item.line,
  }));
}

function listResources(root: XmlElement): Map<string, CartridgeResource> {
  const resources = new Map<string, CartridgeResource>();
  const list = findElement(root, "resources");
  const base = (element: XmlElement | undefined): string => element?.attributes.get("base") ?? "";
  for (const resource of list === undefined ? [] : listElements(list, "resource")) {
    const id = resource.attributes.get("identifier") ?? "";
    const toPath = (href: string): string => join(base(root), base(list), base(resource), href);
    const href = resource.attributes.get("href");
    const files = listElements(resource, "file").map((file) => file.attributes.get("href") ?? "");
    if (resources.has(id)) continue;
    resources.set(id, {
      id,
      type: (resource.attributes.get("type") ?? "").trim().toLowerCase(),
      href: href === undefined || href === "" ? undefined : toPath(href),
      files: files.filter((file) => file !== "").map(toPath),
      dependencies: listElements(resource, "dependency").map((each) => each.attributes.get("identifierref") ?? ""),
      isForInstructors: isForInstructors(resource),
      inline: findElement(resource, "webLink"),
      line: resource.line,
    });
  }
  return resources;
}

// https://www.imsglobal.org/cc/ccv1p3/imscc_Overview-v1p3.html: a lesson plan, or one whose roles are without learners.
function isForInstructors(resource: XmlElement): boolean {
  if (resource.attributes.get("intendeduse")?.toLowerCase() === "lessonplan") return true;
  const educational = findDeep(resource, ["metadata", "lom", "educational"]);
  const roles = educational === undefined ? [] : listElements(educational, "intendedEndUserRole");
  const values = roles.map((role) => textOf(findElement(role, "value") ?? role).toLowerCase());
  return values.length > 0 && !values.includes("learner");
}

function findDeep(root: XmlElement, names: readonly string[]): XmlElement | undefined {
  let element: XmlElement | undefined = root;
  for (const name of names) element = element && findElement(element, name);
  return element;
}

// <title><string>Tea</string></title>, or <langstring> in older ones.
function findString(general: XmlElement | undefined, name: string): string | undefined {
  const field = general && findElement(general, name);
  const text = field && textOf(listElements(field)[0] ?? field);
  return text === "" ? undefined : text;
}

function textOfChild(element: XmlElement, name: string): string | undefined {
  const child = findElement(element, name);
  const text = child && textOf(child).replace(/\s+/g, " ");
  return text === "" ? undefined : text;
}
