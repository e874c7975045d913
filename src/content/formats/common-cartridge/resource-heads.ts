// Reads the titles and visibility of resources from their files.
import { toPlainText } from "../../html/plain-text.ts";
import { readXmlText } from "../read-xml.ts";
import type { CartridgeContext } from "./cartridge-lesson.ts";
import { findFirstFile, findKind, type CartridgeItem, type CartridgeResource } from "./manifest.ts";

// Canvas's settings files.
const SETTINGS = /(?:^|\/)(?:assignment_settings|assessment_meta)\.xml$/;
const UNPUBLISHED = /<workflow_state>\s*unpublished\s*<|<available>\s*false\s*</;
const UNPUBLISHED_PAGE = /<meta\b[^<>]*\bname="workflow_state"[^<>]*\bcontent="unpublished"/i;
/** The number of characters searched for titles and Canvas's page settings, which are near the start of a file. */
const HEAD = 16_384;
/** The maximum number of dependencies, and of files in each, to search for settings. A quiz needs two. */
const MAX_OWNED = 20;

/** Lists the ids of the resources that Canvas hides and that no visible item refers to. */
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
  // Several resources can share a file.
  const known = new Map<string, boolean>();
  const says = async (file: string, pattern: RegExp, length?: number): Promise<boolean> => {
    const said = known.get(file) ?? pattern.test((await readText(file, context)).slice(0, length));
    known.set(file, said);
    return said;
  };
  for (const resource of context.resources.values()) {
    if (!shown.has(resource.id) && (await isUnpublished(resource, context, says))) unpublished.add(resource.id);
  }
  return unpublished;
}

async function isUnpublished(
  resource: CartridgeResource,
  { resources }: CartridgeContext,
  says: (file: string, pattern: RegExp, length?: number) => Promise<boolean>,
): Promise<boolean> {
  const kind = findKind(resource);
  const first = findFirstFile(resource) ?? "";
  if (kind === "page" && first.startsWith("wiki_content/")) {
    return says(first, UNPUBLISHED_PAGE, HEAD);
  }
  const owners = resource.dependencies.slice(0, MAX_OWNED).map((id) => resources.get(id));
  const owned = owners.flatMap((owner) => owner?.files.slice(0, MAX_OWNED) ?? []);
  const settings = kind === "topic" ? owned : [...resource.files, ...owned].filter((file) => SETTINGS.test(file));
  for (const file of settings) {
    if (file.endsWith(".xml") && (await says(file, UNPUBLISHED))) return true;
  }
  return false;
}

/** Returns a resource's own title; undefined if absent. */
export async function readTitle(resource: CartridgeResource, context: CartridgeContext): Promise<string | undefined> {
  const head = (await readText(findFirstFile(resource) ?? "", context)).slice(0, HEAD);
  const written =
    findKind(resource) === "quiz"
      ? /<(?:\w+:)?assessment\b[^<>]*?\stitle="([^"]*)"/.exec(head)?.[1]
      : /<(?:\w+:)?title\b[^<>]*>([^<]*)</i.exec(head)?.[1];
  const title = toPlainText(written ?? "");
  const isAssignment = resource.files.some((file) => SETTINGS.test(file));
  return (isAssignment ? title.replace(/^Assignment: /, "") : title) || undefined;
}

// Ignores an unreadable file, which is reported when its lesson is read.
async function readText(file: string, { tree, toPath, urls }: CartridgeContext): Promise<string> {
  const path = urls.findFile(file);
  return (path && (await readXmlText(tree, toPath(path), () => undefined))) ?? "";
}
