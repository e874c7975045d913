// Reads Open edX blocks: an element contains the block's content or points to a file that contains it.
import { join } from "node:path/posix";
import type { SourceTree } from "../../files/source-tree.ts";
import { isElement, type XmlElement } from "../../html/xml.ts";
import { cutText } from "../../quote.ts";
import { readXml } from "../read-xml.ts";
import type { Location, ReportFinding } from "../../source.ts";

export interface OlxBlock {
  tag: string;
  /** The block's `url_name`; "" if absent. */
  id: string;
  element: XmlElement;
  /** The file that contains the element, relative to the source root. */
  file: string;
  /** True if the block has its own file. */
  isFile: boolean;
  place: Location;
}

// A pointer has only these attributes; `org` and `course` are from a course's key: https://github.com/openedx/XBlock
const POINTER_ATTRIBUTES = new Set(["url_name", "org", "course", "slug"]);

/** Blocks inside a sequential that only group other blocks. */
export const CONTAINERS: ReadonlySet<string> = new Set([
  "vertical",
  "wrapper",
  "problemset",
  "videosequence",
  "unit",
  "sequential",
  "section",
]);
/** Blocks that contain other blocks. */
const HOLDERS = new Set([...CONTAINERS, "course", "chapter"]);
/** Blocks whose files are required; for other blocks, a title is enough. */
const READ = new Set([...HOLDERS, "html", "video", "problem"]);

/** Longer ids are cut, since many links can lead to one. A lesson with an id this long is an error. */
const MAX_ID = 256;
/** The maximum number of references to a file: units can share a block, but each reference reads the file again. */
const MAX_NAMINGS = 20;

/** An element inside a block: either a block itself or a pointer to one. */
export interface OlxPart {
  element: XmlElement;
  parent: OlxBlock;
}

/** Reads blocks of one course. */
export class OlxBlocks {
  readonly #namings = new Map<string, number>();
  readonly #tree: SourceTree;
  readonly #folder: string;
  readonly #report: ReportFinding;

  /** `folder` is the course's folder. */
  constructor(tree: SourceTree, folder: string, report: ReportFinding) {
    this.#tree = tree;
    this.#folder = folder;
    this.#report = report;
  }

  /** Returns a course file's path relative to the source root. */
  toPath(path: string): string {
    return this.#folder === "." ? path : `${this.#folder}/${path}`;
  }

  /** Returns the root of an XML file. Reports an unreadable file and returns undefined. */
  async readFile(path: string): Promise<OlxBlock | undefined> {
    const element = await readXml(this.#tree, path, this.#report);
    return element && { ...toBlock(element, path, this.#tree.toTypedPath(path)), isFile: true };
  }

  /** Counts a reference to a block. Beyond the limit, reports the reference and returns false. */
  note({ element, parent }: OlxPart): boolean {
    const block = toBlock(element, parent.file, parent.place.file);
    const html = block.tag === "html" ? element.attributes.get("filename") : undefined;
    if (!isPointer(element) && html === undefined) return true;
    const path = html === undefined ? this.#toFile(block) : join("html", html);
    const times = (this.#namings.get(path) ?? 0) + 1;
    this.#namings.set(path, times);
    const most = HOLDERS.has(block.tag) ? 1 : MAX_NAMINGS;
    if (times <= most) return true;
    const message = `refers to <${cutText(block.tag, 40)}> "${cutText(html ?? block.id, 80)}" again and is skipped: the limit is ${most === 1 ? "one reference" : `${most} references`}`;
    this.#report({ kind: "clash", ...block.place, message });
    return false;
  }

  /** Reads a nested or referenced block. Reports a missing, hidden or unreadable file and returns undefined. */
  async read({ element, parent }: OlxPart): Promise<OlxBlock | undefined> {
    const block = toBlock(element, parent.file, parent.place.file);
    if (!isPointer(element)) return block;
    const path = this.#toFile(block);
    const found = await this.#tree.find(path);
    if (found === "file") {
      const read = await this.readFile(path);
      if (read === undefined) return undefined;
      return { ...read, tag: block.tag, id: block.id };
    }
    // Older exports contain only the HTML file, without an XML file beside it.
    const html = path.replace(/\.xml$/, ".html");
    const foundHtml = block.tag === "html" ? await this.#tree.find(html) : undefined;
    if (foundHtml === "file") return { ...block, file: html, isFile: true };
    if (!READ.has(block.tag)) return block;
    const message = `refers to <${cutText(block.tag, 40)}> "${cutText(block.id, 80)}", but there is no file ${cutText(path)}`;
    const isHidden = found === "hidden" || foundHtml === "hidden";
    this.#report({ kind: isHidden ? "missing-part" : "missing-file", ...block.place, message });
    return undefined;
  }

  #toFile({ tag, id }: OlxBlock): string {
    return this.toPath(join(tag, `${id.replaceAll(":", "/")}.xml`));
  }
}

function toBlock(element: XmlElement, path: string, file: string): OlxBlock {
  const written = element.attributes.get("url_name") ?? element.attributes.get("slug") ?? "";
  const id = written.slice(0, MAX_ID);
  return { tag: element.name, id, element, file: path, isFile: false, place: { file, line: element.line } };
}

function isPointer({ attributes, children }: XmlElement): boolean {
  if ((attributes.get("url_name") ?? "") === "") return false;
  if ([...attributes.keys()].some((name) => !POINTER_ATTRIBUTES.has(name))) return false;
  return children.every((child) => !isElement(child) && child.text.trim() === "");
}
