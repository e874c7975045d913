// What the files of a resource tell beside its text: what it is called, and whether its platform shows it.
import { toPlainText } from "../../html/plain-text.ts";
import { decodeXml } from "../../html/xml.ts";
import { UnreadableText } from "../../limits.ts";
import { findFirstFile, findKind, type CartridgeContext } from "./cartridge-lesson.ts";
import type { CartridgeItem, CartridgeResource } from "./manifest.ts";

// The names that Canvas gives the files in which it keeps what is not the text.
const SETTINGS = /(?:^|\/)(?:assignment_settings|assessment_meta)\.xml$/;
const UNPUBLISHED = /<workflow_state>\s*unpublished\s*<|<available>\s*false\s*</;
const UNPUBLISHED_PAGE = /<meta\b[^>]*\bname="workflow_state"[^>]*\bcontent="unpublished"/i;
/** What is longer is told by its first part. */
const HEAD = 65_536;

/** The resources that Canvas does not show, of those that no visible item names. */
export async function listUnpublished(
  items: readonly CartridgeItem[],
  hidden: ReadonlySet<string>,
  context: CartridgeContext,
): Promise<Set<string>> {
  const shown = new Set<string>();
  const visit = (item: CartridgeItem): void => {
    if (!item.isVisible || hidden.has(item.id)) return;
    if (item.resource !== undefined) shown.add(item.resource);
    item.items.forEach(visit);
  };
  items.forEach(visit);
  const unpublished = new Set<string>();
  for (const resource of context.resources.values()) {
    if (!shown.has(resource.id) && (await isUnpublished(resource, context))) unpublished.add(resource.id);
  }
  return unpublished;
}

async function isUnpublished(resource: CartridgeResource, context: CartridgeContext): Promise<boolean> {
  const { resources } = context;
  const kind = findKind(resource);
  const first = findFirstFile(resource) ?? "";
  if (kind === "page" && first.startsWith("wiki_content/")) {
    return UNPUBLISHED_PAGE.test(await readHead(first, context));
  }
  const owned = resource.dependencies.flatMap((id) => resources.get(id)?.files ?? []);
  const settings = kind === "topic" ? owned : [...resource.files, ...owned].filter((file) => SETTINGS.test(file));
  for (const file of settings) {
    if (file.endsWith(".xml") && UNPUBLISHED.test(await readHead(file, context))) return true;
  }
  return false;
}

/** What a resource calls itself; undefined where it does not. */
export async function readTitle(resource: CartridgeResource, context: CartridgeContext): Promise<string | undefined> {
  const head = await readHead(findFirstFile(resource) ?? "", context);
  const written =
    findKind(resource) === "quiz"
      ? /<(?:\w+:)?assessment\b[^>]*?\stitle="([^"]*)"/.exec(head)?.[1]
      : /<(?:\w+:)?title\b[^>]*>([^<]*)</i.exec(head)?.[1];
  const title = toPlainText(written ?? "");
  const isAssignment = resource.files.some((file) => SETTINGS.test(file));
  return (isAssignment ? title.replace(/^Assignment: /, "") : title) || undefined;
}

// That it cannot be read is told where its text is.
async function readHead(file: string, { tree, toPath, urls }: CartridgeContext): Promise<string> {
  const path = urls.findFile(file);
  const bytes = path === undefined ? undefined : await tree.readBytes(toPath(path), () => undefined);
  try {
    return bytes === undefined ? "" : decodeXml(bytes).slice(0, HEAD);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    return "";
  }
}
