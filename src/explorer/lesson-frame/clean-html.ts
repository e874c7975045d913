// Cleans a lesson's HTML in a template, where nothing loads or runs, before it enters a document. The frame's policy
// also forbids most of what is removed, but cleaning avoids errors in the console and covers what no policy forbids:
// navigation to another document, and names that shadow the document's properties.
import { formatAddress } from "../address/address.ts";
import type { Player } from "../../../packages/client/src/html/player.ts";
import { parseWebAddress } from "../../../packages/client/src/html/web-address.ts";
import { findEmbed } from "./embeds.ts";

/** Elements that have no meaning in a lesson, or that affect the whole document. */
const DROPPED = "script, base, meta, link, title, template, applet, frame, frameset, param, portal, fencedframe";
/** Elements that embed documents. */
const EMBEDDING = "iframe, object, embed";
/** Elements whose `name` attribute shadows a property of the document. */
const NAMED_IN_DOCUMENT = new Set(["IMG"]);
const DROPPED_ATTRIBUTES = new Set(["target", "rel", "ping", "download", "form", "formaction", "autofocus", "srcdoc"]);
/** Attributes that SVG must not animate: a link's URL and target. */
const ANIMATED_LINK = /^(?:(?:xlink:)?href|target)$/i;
const SAFE_LINK = /^(?:https?|mailto|tel|ftp):/i;
const SHOWN_BY_BROWSERS = /^(?:https?:)?\/\/|^data:(?:image|audio|video)\/|^\/assets\//i;

/**
 * Cleans lesson HTML in place. Calls `placeEmbed` with each element that reserves space for an embed. Links to lessons
 * stay in `release`.
 */
export function cleanHtml(
  root: DocumentFragment,
  placeEmbed: (place: HTMLElement, address: string) => void,
  release: number | undefined,
): void {
  for (const element of root.querySelectorAll(DROPPED)) element.remove();
  for (const element of root.querySelectorAll("[attributeName]")) {
    if (ANIMATED_LINK.test(element.getAttribute("attributeName")?.trim() ?? "")) element.remove();
  }
  // Replacing an outer frame also removes the frames inside it.
  for (const element of root.querySelectorAll(EMBEDDING)) {
    if (root.contains(element)) replaceEmbedding(element, placeEmbed);
  }
  // Scripts do not run, so the fallback for them is shown.
  for (const element of root.querySelectorAll("noscript")) element.replaceWith(...element.childNodes);
  let formCount = 0;
  for (const form of root.querySelectorAll("form")) replaceForm(form, ++formCount);
  for (const element of root.querySelectorAll("*")) cleanAttributes(element, release);
  for (const image of root.querySelectorAll("img")) checkImage(image);
}

function cleanAttributes(element: Element, release: number | undefined): void {
  for (const name of element.getAttributeNames()) {
    const local = name.toLowerCase();
    const isHiding = local === "name" && NAMED_IN_DOCUMENT.has(element.tagName);
    if (local.startsWith("on") || DROPPED_ATTRIBUTES.has(local) || isHiding) element.removeAttribute(name);
  }
  for (const name of ["href", "xlink:href"]) {
    if (element.hasAttribute(name) && isNavigating(element)) cleanLink(element, name, release);
  }
}

/** In SVG elements other than `a`, `href` refers to a part of the drawing. */
function isNavigating(element: Element): boolean {
  return !(element instanceof SVGElement) || element.localName === "a";
}

function cleanLink(element: Element, name: string, release: number | undefined): void {
  const address = element.getAttribute(name)?.trim() ?? "";
  if (address.startsWith("#")) return;
  if (element.hasAttribute("data-lesson-id")) {
    // In a new tab, the link opens the explorer, whose path is one level above the frame's.
    const { courseId, lessonId, fragment } = readLessonLink(element, address);
    const target = formatAddress({
      kind: "lesson",
      course: courseId,
      lesson: lessonId,
      heading: fragment,
      release,
    });
    element.setAttribute("href", `../${target}`);
    element.setAttribute("data-fragment", fragment);
    return;
  }
  if (SAFE_LINK.test(address) || address.startsWith("//")) {
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer");
    return;
  }
  element.removeAttribute(name);
  element.classList.add("leads-nowhere");
  element.setAttribute("title", `This link is broken: ${cut(address)}`);
}

function readLessonLink(link: Element, address: string): { courseId: string; lessonId: string; fragment: string } {
  const [courseId, lessonId] = ["data-course-id", "data-lesson-id"].map((name) => link.getAttribute(name) ?? "");
  return { courseId: courseId ?? "", lessonId: lessonId ?? "", fragment: readFragment(address) };
}

/** Returns a URL's decoded fragment; "" if absent. */
export function readFragment(address: string): string {
  const mark = address.indexOf("#");
  if (mark === -1) return "";
  try {
    return decodeURIComponent(address.slice(mark + 1));
  } catch {
    return address.slice(mark + 1);
  }
}

/**
 * Replaces a form: it must not be submitted, and its fields could shadow its properties. Keeps radio groups separate.
 */
function replaceForm(form: HTMLFormElement, number: number): void {
  const division = form.ownerDocument.createElement("div");
  for (const name of ["class", "id", "lang", "dir", "style"]) {
    const value = Element.prototype.getAttribute.call(form, name);
    if (value !== null) division.setAttribute(name, value);
  }
  const children = form.ownerDocument.createRange();
  children.selectNodeContents(form);
  division.append(children.extractContents());
  for (const field of division.querySelectorAll("input[name], select[name], textarea[name], button[name]")) {
    field.setAttribute("name", `form-${number}-${field.getAttribute("name")}`);
  }
  Element.prototype.replaceWith.call(form, division);
}

function replaceEmbedding(element: Element, placeEmbed: (place: HTMLElement, address: string) => void): void {
  const { ownerDocument } = element;
  const address = element.getAttribute(element.localName === "object" ? "data" : "src") ?? "";
  const embed = findEmbed(address);
  if (embed !== undefined) {
    const place = createEmbedPlace(ownerDocument, embed);
    element.replaceWith(place);
    placeEmbed(place, address);
    return;
  }
  const link = createLink(ownerDocument, address, element.getAttribute("title") ?? "");
  // The content of an object is its fallback.
  element.replaceWith(link, ...(element.localName === "object" ? element.childNodes : []));
}

/** Creates an element that reserves an embed's space. */
export function createEmbedPlace(document: Document, { ratio }: Player): HTMLElement {
  const place = document.createElement("div");
  place.className = "embed";
  place.style.aspectRatio = String(ratio);
  return place;
}

/** Creates a link in place of content that is not shown, or a remark if the content has no URL. */
export function createLink(document: Document, address: string, title: string): HTMLElement {
  const box = document.createElement("p");
  box.className = "elsewhere";
  const url = parseWebAddress(address);
  if (url === undefined) {
    box.textContent = "An embedded page is not shown here.";
    return box;
  }
  const link = document.createElement("a");
  link.setAttribute("href", url.href);
  link.textContent = `${title === "" ? "Open the page" : title} (${url.host})`;
  box.append(link);
  return box;
}

/** Puts an explanation in place of an image that no browser can load. */
function checkImage(image: HTMLImageElement): void {
  const address = (image.getAttribute("src") ?? "").trim();
  if (address === "" || SHOWN_BY_BROWSERS.test(address)) return;
  const option = createCode(image.ownerDocument, "--public-url");
  // A line break at a hyphen would make the option unreadable.
  option.className = "whole";
  const reason = ["is a path, not a URL: the import found no such file, or had no ", option, " (see its warnings)"];
  image.replaceWith(describeMissing(image, address, reason));
}

/** Creates a note to show in place of a missing image. */
export function describeMissing(image: HTMLImageElement, address: string, reason: (string | Node)[]): HTMLElement {
  const note = image.ownerDocument.createElement("span");
  note.className = "missing";
  const alt = image.getAttribute("alt")?.trim() ?? "";
  const code = createCode(image.ownerDocument, cut(address));
  // The reason comes first, because descriptions can be long.
  note.append("Image not shown: ", code, " ", ...reason, ".", alt === "" ? "" : ` Description: ${alt}`);
  return note;
}

function createCode(document: Document, text: string): HTMLElement {
  const code = document.createElement("code");
  code.textContent = text;
  return code;
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
