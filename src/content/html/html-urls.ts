import { applyEdits, editUrls, listLinks, listRelativeLinks, type TextEdit } from "./links.ts";

/** The HTML with other URLs for its relative ones; `map` gives undefined for one that stays. Every other byte stays as it is. */
export function mapRelativeUrls(html: string, map: (url: string) => string | undefined): string {
  const edits: TextEdit[] = [];
  for (const link of listLinks(html)) {
    const edit = editUrls(
      link,
      listRelativeLinks(link).map(({ url }) => map(url)),
    );
    if (edit !== undefined) edits.push(edit);
  }
  return edits.length === 0 ? html : applyEdits(html, edits);
}
