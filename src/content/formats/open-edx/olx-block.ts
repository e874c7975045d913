// Blocks of Open edX: an element that holds what it says, or that points to the file which does.
import type { SourceTree } from "../../files/source-tree.ts";
import { isElement, type XmlElement } from "../../html/xml.ts";
import { cutText } from "../../quote.ts";
import { readXml } from "../read-xml.ts";
import type { Location, Tell } from "../../source.ts";

/** A block, wherever it stands. */
export interface OlxBlock {
  tag: string;
  /** Its `url_name`; "" where it has none. */
  id: string;
  element: XmlElement;
  /** Relative to the source's root: where the element stands. */
  file: string;
  /** True where it has the file for itself. */
  isFile: boolean;
  place: Location;
}

// What only points has nothing else: https://github.com/openedx/XBlock, `url_name`; a course tells its key as well.
const POINTER_ATTRIBUTES = new Set(["url_name", "org", "course", "slug"]);

/** Blocks that only hold others, inside of a sequential. */
export const CONTAINERS: ReadonlySet<string> = new Set([
  "vertical",
  "wrapper",
  "problemset",
  "videosequence",
  "unit",
  "sequential",
  "section",
]);
/** Blocks that readers get something of; of others a title is enough. */
const HOLDERS = new Set([...CONTAINERS, "course", "chapter"]);
const READ = new Set([...HOLDERS, "html", "video", "problem"]);

/** A part of a text may be in several units; a file that is named again and again would be read as often. */
const MAX_NAMINGS = 20;

/** An element in a block: the block itself, or what points to it. */
export interface OlxPart {
  element: XmlElement;
  parent: OlxBlock;
}

/** Reads blocks of one course. */
export class OlxBlocks {
  readonly #namings = new Map<string, number>();
  readonly #tree: SourceTree;
  readonly #folder: string;
  readonly #report: Tell;

  /** `folder` is that of the course. */
  constructor(tree: SourceTree, folder: string, report: Tell) {
    this.#tree = tree;
    this.#folder = folder;
    this.#report = report;
  }

  /** The path of a file of the course, relative to the source's root. */
  toPath(path: string): string {
    return this.#folder === "." ? path : `${this.#folder}/${path}`;
  }

  /** The root of an XML file. Undefined when it cannot be read; that is reported. */
  async readFile(path: string): Promise<OlxBlock | undefined> {
    const element = await readXml(this.#tree, path, this.#report);
    return element && { ...toBlock(element, path, this.#tree.toTypedPath(path)), isFile: true };
  }

  /** Counts that a block is named. False when it is named too often; that is reported. */
  note({ element, parent }: OlxPart): boolean {
    if (!isPointer(element)) return true;
    const block = toBlock(element, parent.file, parent.place.file);
    const path = this.#toFile(block);
    const times = (this.#namings.get(path) ?? 0) + 1;
    this.#namings.set(path, times);
    const most = HOLDERS.has(block.tag) ? 1 : MAX_NAMINGS;
    if (times <= most) return true;
    const message = `names <${cutText(block.tag, 40)}> "${cutText(block.id, 80)}" again: a course may have it ${most === 1 ? "once" : `${most} times`}`;
    this.#report({ kind: "clash", ...block.place, message });
    return false;
  }

  /** A block that stands in another, or is named there. Undefined when it cannot be read; that is reported. */
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
    // Older exports have the text alone.
    const html = path.replace(/\.xml$/, ".html");
    if (block.tag === "html" && (await this.#tree.find(html)) === "file") return { ...block, file: html, isFile: true };
    if (!READ.has(block.tag)) return block;
    const message = `names <${cutText(block.tag, 40)}> "${cutText(block.id, 80)}", but there is no file ${cutText(path)}`;
    this.#report({ kind: found === "hidden" ? "missing-part" : "missing-file", ...block.place, message });
    return undefined;
  }

  #toFile({ tag, id }: OlxBlock): string {
    return this.toPath(`${tag}/${id.replaceAll(":", "/")}.xml`);
  }
}

function toBlock(element: XmlElement, path: string, file: string): OlxBlock {
  const id = element.attributes.get("url_name") ?? element.attributes.get("slug") ?? "";
  return { tag: element.name, id, element, file: path, isFile: false, place: { file, line: element.line } };
}

function isPointer({ attributes, children }: XmlElement): boolean {
  if ((attributes.get("url_name") ?? "") === "") return false;
  if ([...attributes.keys()].some((name) => !POINTER_ATTRIBUTES.has(name))) return false;
  return children.every((child) => !isElement(child) && child.text.trim() === "");
}
