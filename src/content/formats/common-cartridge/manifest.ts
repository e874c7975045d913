// Parses imsmanifest.xml: the item tree and its resources.
import { join } from "node:path/posix";
import { findElement, listElements, textOf, type XmlElement } from "../../html/xml.ts";
import { UnreadableText } from "../../limits.ts";

export const MANIFEST = "imsmanifest.xml";
/** The maximum length of xml:base, since the paths of all resources repeat it. */
const MAX_BASE = 200;

/** An entry of the item tree. */
export interface CartridgeItem {
  id: string;
  /** The title; "" if absent. */
  title: string;
  /** The resource's id; undefined for a group. */
  resource: string | undefined;
  isVisible: boolean;
  items: CartridgeItem[];
  line: number;
}

export interface CartridgeResource {
  id: string;
  /** The type, such as `imswl_xmlv1p1`. */
  type: string;
  /** The start file. All paths are relative to the cartridge. */
  href: string | undefined;
  files: string[];
  dependencies: string[];
  /** True for content hidden from learners. */
  isForInstructors: boolean;
  /** A web link in the manifest itself, as in a thin cartridge. */
  inline: XmlElement | undefined;
  line: number;
}

export interface Manifest {
  title: string | undefined;
  description: string | undefined;
  language: string | undefined;
  items: CartridgeItem[];
  /** Resources by id, in document order. */
  resources: Map<string, CartridgeResource>;
}

/** Throws UnreadableText beyond a limit. */
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

// A cartridge wraps its items in one untitled item.
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
  const base = (element: XmlElement | undefined): string => {
    const path = element?.attributes.get("base") ?? "";
    if (path.length <= MAX_BASE) return path;
    throw new UnreadableText(`xml:base is limited to ${MAX_BASE} characters`, "too-large", element?.line);
  };
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

// Returns true for a lesson plan, and for a resource whose roles do not include learners:
// https://www.imsglobal.org/cc/ccv1p3/imscc_Overview-v1p3.html
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

// <title><string>Tea</string></title>, or <langstring> in older cartridges.
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

export type ResourceKind = "page" | "file" | "link" | "topic" | "quiz" | "assignment" | "tool" | "other";

const PAGE = /\.x?html?$/i;

/** Returns a resource's kind, which depends on its type and start file. */
export function findKind({ type, href, files, inline }: CartridgeResource): ResourceKind {
  if (inline !== undefined || type.startsWith("imswl_")) return "link";
  if (type.startsWith("imsdt_")) return "topic";
  if (type.startsWith("imsqti_") && !type.endsWith("question-bank")) return "quiz";
  if (type.startsWith("assignment_")) return "assignment";
  if (type.startsWith("imsbasiclti_") || type.startsWith("imslti")) return "tool";
  const first = href ?? files[0];
  if (first === undefined) return "other";
  if (type === "webcontent" || type.startsWith("associatedcontent")) return PAGE.test(first) ? "page" : "file";
  return "other";
}

/** Returns the start file; undefined if the resource has no files. */
export function findFirstFile({ href, files }: CartridgeResource): string | undefined {
  // Canvas lists an assignment's page and settings in any order: prefer the page.
  return href ?? files.find((file) => PAGE.test(file)) ?? files[0];
}
