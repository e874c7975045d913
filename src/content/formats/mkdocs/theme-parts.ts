// Handles what needs the site's theme or plugins: tag indexes, images for dark pages, and media.
import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { countRepeated, environmentOf } from "../../markdown/markdown-environment.ts";
import { cutText } from "../../quote.ts";
import { countTokens } from "./counted-tokens.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

const LIGHT = /#(?:only|gh)-light(?:-mode-only)?$/;
const DARK = /#(?:only|gh)-dark(?:-mode-only)?$/;

export function addThemeParts({ core: { ruler } }: MarkdownIt): void {
  ruler.before("emptied_paragraphs", "dark_images", dropDarkImages);
  ruler.before("emptied_paragraphs", "tag_indexes", dropTagIndexes);
  ruler.after("inline", "media", showMedia);
}

// https://squidfunk.github.io/mkdocs-material/reference/images/#light-and-dark-mode
function dropDarkImages(state: StateCore): void {
  const inlines = state.tokens.flatMap(({ children }) => (children === null ? [] : [children]));
  const addressOf = (token: Token): string => (token.type === "image" ? String(token.attrGet("src") ?? "") : "");
  if (!inlines.some((children) => children.some((child) => LIGHT.test(addressOf(child))))) return;
  for (const children of inlines) {
    for (const [index, child] of children.entries()) {
      const address = addressOf(child);
      if (!DARK.test(address)) continue;
      Object.assign(child, { type: "dark_image", content: address });
      const [before, after] = [children[index - 1], children[index + 1]];
      if (before?.type !== "link_open" || after?.type !== "link_close") continue;
      for (const link of [before, after]) Object.assign(link, { type: "text", tag: "", nesting: 0, content: "" });
    }
  }
  countTokens(state, "dark_image", {
    what: "image for dark pages",
    plural: "images for dark pages",
    isKept: false,
    describe: (address) => `image "${cutText(address, 100)}" is left out: the page has one for light pages`,
  });
}

function dropTagIndexes(state: StateCore): void {
  if (!hasExtension(state, "tags")) return;
  for (const { content, children } of state.tokens)
    if (children?.[0] !== undefined && content.trim() === "[TAGS]") Object.assign(children[0], { type: "tag_index" });
  countTokens(state, "tag_index", {
    what: "index of tags",
    plural: "indexes of tags",
    isKept: false,
    describe: () => "[TAGS] is left out: a plugin lists the site's tags there",
  });
}

const MEDIA: Record<string, { plugin: string; tag: string }> = {
  "type:video": { plugin: "mkdocs-video", tag: "video" },
  "type:audio": { plugin: "mkdocs-audio", tag: "audio" },
};

// Renders `![type:video](leaf.mp4)` and `![type:audio](leaf.mp3)` as players: https://github.com/soulless-viewer/mkdocs-video
function showMedia(state: StateCore): void {
  for (const child of state.tokens.flatMap(({ children }) => children ?? [])) {
    const media = child.type === "image" && Object.hasOwn(MEDIA, child.content) ? MEDIA[child.content] : undefined;
    if (media === undefined || !hasExtension(state, media.plugin)) continue;
    const address = String(child.attrGet("src") ?? "");
    countRepeated(environmentOf(state), address);
    const source = `src="${state.md.utils.escapeHtml(address)}"`;
    const isPlayer = /^https?:/i.test(address) && !/\.\w{3,4}$/.test(address);
    const content = isPlayer
      ? `<iframe ${source} allowfullscreen></iframe>`
      : `<${media.tag} controls ${source}></${media.tag}>`;
    Object.assign(child, { type: "html_inline", content, children: null });
  }
}
