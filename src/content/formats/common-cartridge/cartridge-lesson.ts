// Converts a cartridge resource to a lesson.
import { dirname } from "node:path/posix";
import type { Answers } from "../../quiz/answers.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import { escapeHtml } from "../../html/escape.ts";
import { markFormulas, replaceEquationImages, TEX_DELIMITERS } from "../../html/tex-formulas.ts";
import { findElement, listElements, textOf, type XmlElement } from "../../html/xml.ts";
import type { PlacedFields } from "../../resolve/placed-value.ts";
import { cutText } from "../../quote.ts";
import type { Location, ReportFinding } from "../../source.ts";
import { LessonParts, DEAD_LINK } from "../lesson-parts.ts";
import { readXml, readXmlText } from "../read-xml.ts";
import { decodeUrl, encodePath } from "../../html/links.ts";
import type { CartridgeUrls, FindOwned, OwnedKind } from "./cartridge-urls.ts";
import { type CartridgeResource, findFirstFile, findKind, type ResourceKind } from "./manifest.ts";
import { PLATFORM, readAssessment } from "./qti.ts";

/** Context for reading a cartridge's resources. */
export interface CartridgeContext {
  tree: SourceTree;
  /** Converts a path in the cartridge to a path relative to the source root. */
  toPath: (path: string) => string;
  urls: CartridgeUrls;
  findOwned: FindOwned;
  resources: ReadonlyMap<string, CartridgeResource>;
  answers: Answers;
  /** The course's language; undefined if unknown. */
  language: string | undefined;
}

// Canvas's and Moodle's MathJax delimiters.
const FORMULAS = [...TEX_DELIMITERS, { open: "$$", close: "$$", isDisplayed: true }];
/** The kinds of resources that require a file. */
const WITH_FILE: ReadonlySet<ResourceKind> = new Set(["page", "file", "link", "topic", "quiz", "assignment"]);
const VIDEO = /\.(?:mp4|m4v|webm|ogv|mov)$/i;
const SOUND = /\.(?:mp3|m4a|ogg|oga|wav)$/i;
const IMAGE = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;
const VIDEO_SITE =
  /^https?:\/\/(?:www\.|m\.)?(?:youtube(?:-nocookie)?\.com|youtu\.be|vimeo\.com|player\.vimeo\.com)\//i;

/** Texts from the item tree. */
export interface ItemTexts {
  title: string;
  /** The headings above the item. */
  headings: readonly string[];
}

/** Returns the fields of a resource's lesson, without its name. Reports an unreadable file and returns undefined. */
export async function composeResource(
  resource: CartridgeResource,
  { title, headings }: ItemTexts,
  context: CartridgeContext,
  report: ReportFinding,
): Promise<PlacedFields | undefined> {
  const path = context.urls.findFile(findFirstFile(resource) ?? "");
  const composer = new ResourceComposer(resource, title, path, context, report);
  composer.addHeadings(headings);
  return (await composer.read(findKind(resource))) ? composer.finish() : undefined;
}

class ResourceComposer {
  readonly #parts = new LessonParts(PLATFORM, (html) => markFormulas(replaceEquationImages(html), FORMULAS));
  readonly #resource: CartridgeResource;
  readonly #title: string;
  readonly #path: string | undefined;
  readonly #context: CartridgeContext;
  readonly #report: ReportFinding;

  constructor(
    resource: CartridgeResource,
    title: string,
    path: string | undefined,
    context: CartridgeContext,
    report: ReportFinding,
  ) {
    this.#resource = resource;
    this.#title = title;
    this.#path = path;
    this.#context = context;
    this.#report = report;
  }

  // Moodle and Canvas export only the titles of content between lessons; these titles become headings.
  addHeadings(headings: readonly string[]): void {
    for (const heading of headings) {
      this.#parts.addText(`<p class="heading"><strong>${escapeHtml(heading)}</strong></p>`);
      this.#parts.count({ what: "heading as a text", plural: "headings as texts", isKept: true });
    }
  }

  /** Reads the resource's file. Reports an unreadable file and returns false. */
  async read(kind: ResourceKind): Promise<boolean> {
    if (this.#path === undefined && WITH_FILE.has(kind) && this.#resource.inline === undefined)
      return this.#reportMissing();
    switch (kind) {
      case "page":
        return this.#addPage();
      case "file":
        this.#addFile();
        return true;
      case "link":
        return this.#addLink();
      case "topic":
        return this.#addText("discussion topic");
      case "assignment":
        return this.#addText("assignment");
      case "quiz":
        return this.#addQuiz();
      case "tool":
        this.#parts.addUnavailable({ what: "LTI", plural: "LTI" }, this.#title);
        return true;
      case "other": {
        const what = this.#resource.type.split("/")[0] || "resource without a type";
        this.#parts.addUnavailable({ what, plural: what }, this.#title);
        return true;
      }
    }
  }

  // Keeps a lesson whose file is missing: people who import a cartridge cannot repair the cartridge.
  #reportMissing(): true {
    const named = findFirstFile(this.#resource) ?? "";
    const message = `resource ${cutText(this.#resource.id)} names "${cutText(named)}", which is missing from the cartridge`;
    this.#report({ kind: "missing-part", ...this.place, message });
    this.#parts.addUnavailable({ what: "item without its file", plural: "items without their files" }, this.#title);
    return true;
  }

  finish(): PlacedFields {
    const { urls, answers, language } = this.#context;
    const { place } = this;
    const folder = dirname(this.#path ?? "");
    const mapUrl = (url: string): string | undefined => {
      const message = `link "${cutText(url)}" points to content outside all lessons`;
      if (!urls.isLost(url)) return urls.map(url, folder);
      this.#report({ kind: "link-to-nothing", ...place, message });
      return DEAD_LINK;
    };
    return this.#parts.finish({ place, answers, language, mapUrl, limits: this.#context.tree.limits }, this.#report);
  }

  get place(): Location {
    const { tree, toPath } = this.#context;
    const path = this.#path;
    if (path !== undefined) return { file: tree.toTypedPath(toPath(path)) };
    return { file: tree.toTypedPath(toPath("imsmanifest.xml")), line: this.#resource.line };
  }

  async #addPage(): Promise<boolean> {
    const text = await readXmlText(this.#context.tree, this.#context.toPath(this.#path ?? ""), this.#report);
    if (text === undefined) return false;
    const body = findBody(text);
    // The page of an assignment can be empty, for example if another program provides the task.
    if (body === "" && this.#findOwned("assignment") !== undefined) {
      this.#parts.addUnavailable({ what: "assignment without text", plural: "assignments without text" }, this.#title);
    } else this.#parts.addText(body);
    return true;
  }

  #addFile(): void {
    const path = this.#path ?? "";
    const url = encodePath(path);
    this.#context.urls.used.add(path);
    const shown = escapeHtml(this.#title);
    // Like links in a text, this URL is relative to the file's folder.
    const local = escapeHtml(url.slice(url.lastIndexOf("/") + 1));
    if (VIDEO.test(path)) this.#parts.url = url;
    else if (SOUND.test(path)) this.#parts.addText(`<audio src="${local}" controls></audio>`);
    else if (IMAGE.test(path)) this.#parts.addText(`<p><img src="${local}" alt="${shown}"></p>`);
    else this.#parts.addText(`<p><a href="${local}">${shown}</a></p>`);
  }

  async #addLink(): Promise<boolean> {
    const root = this.#resource.inline ?? (await this.#parse(this.#path ?? ""));
    if (root === undefined) return false;
    const url = findElement(root, "url")?.attributes.get("href")?.trim() ?? "";
    if (!/^https?:\/\//i.test(url)) {
      this.#parts.addUnavailable({ what: "link without a URL" }, this.#title);
      return true;
    }
    if (VIDEO_SITE.test(url) || VIDEO.test(url.replace(/[?#].*$/s, ""))) this.#parts.url = url;
    else this.#parts.addText(`<p><a href="${escapeHtml(url)}">${escapeHtml(this.#title)}</a></p>`);
    return true;
  }

  // Adds the text of a topic or an assignment, and links to the attachments that are for learners.
  async #addText(counted: string): Promise<boolean> {
    const root = await this.#parse(this.#path ?? "");
    if (root === undefined) return false;
    const text = findElement(root, "text");
    this.#parts.addText(text === undefined ? "" : textToHtml(text));
    const attachments = findElement(root, "attachments");
    const links = (attachments === undefined ? [] : listElements(attachments)).flatMap((attachment) => {
      const href = attachment.attributes.get("href");
      const isForLearners = /^(?:all|learner)?$/i.test(attachment.attributes.get("role") ?? "");
      if (href === undefined || !isForLearners) return [];
      const name = decodeUrl(href.slice(href.lastIndexOf("/") + 1));
      return [`<li><a href="${escapeHtml(`$IMS-CC-FILEBASE$/${href}`)}">${escapeHtml(name)}</a></li>\n`];
    });
    if (links.length > 0) this.#parts.addText(`<ul class="attachments">\n${links.join("")}</ul>\n`);
    this.#parts.count({ what: `${counted} as a text`, plural: `${counted}s as texts`, isKept: true });
    return true;
  }

  async #addQuiz(): Promise<boolean> {
    const whole = this.#findOwned("quiz");
    const root = await (whole === undefined ? this.#parse(this.#path ?? "") : this.#parse(whole));
    if (root === undefined) return false;
    const { questions, unknown, text, introduction } = readAssessment(root);
    this.#parts.addText(introduction);
    this.#parts.addText(await this.#readQuizIntroduction());
    this.#parts.addText(text.trim());
    this.#parts.addQuestions(questions);
    for (const _ of questions)
      this.#parts.count({ what: "question in a quiz", plural: "questions in quizzes", isKept: true });
    for (const what of unknown) this.#parts.count({ what, isKept: false });
    if (unknown.length > 0) {
      const which = unknown.length === 1 ? "1 question" : `${unknown.length} questions`;
      this.#parts.addText(`<p class="unavailable">${which} available in ${PLATFORM}</p>`);
    }
    return true;
  }

  // Canvas stores a quiz's description in a separate file.
  async #readQuizIntroduction(): Promise<string> {
    const path = this.#findOwned("introduction");
    const root = path === undefined ? undefined : await this.#parse(path);
    const description = root && findElement(root, "description");
    return description === undefined ? "" : textOf(description);
  }

  /** Returns the first file of a kind that belongs to the resource or, if there is none, to one of its dependencies. */
  #findOwned(kind: OwnedKind): string | undefined {
    const { findOwned, resources } = this.#context;
    for (const owner of [this.#resource, ...this.#resource.dependencies.map((id) => resources.get(id))]) {
      const path = owner && findOwned(owner, kind);
      if (path !== undefined) return path;
    }
    return undefined;
  }

  #parse(path: string): Promise<XmlElement | undefined> {
    return readXml(this.#context.tree, this.#context.toPath(path), this.#report);
  }
}

/** Returns the content of `<body>` or, if that element is missing, the whole text without its XML declaration. */
function findBody(html: string): string {
  const opening = html.search(/<body\b/i);
  const start = opening === -1 ? 0 : html.indexOf(">", opening) + 1;
  if (start === 0) return html.replace(/^\s*<\?xml[^>]*\?>/, "").trim();
  let end: number | undefined;
  for (const closing of html.matchAll(/<\/body/gi)) end = closing.index;
  return html.slice(start, end === undefined || end < start ? undefined : end).trim();
}

function textToHtml(text: XmlElement): string {
  const isHtml = text.attributes.get("texttype")?.toLowerCase() !== "text/plain";
  const written = textOf(text);
  return isHtml ? written : `<p>${escapeHtml(written)}</p>`;
}
