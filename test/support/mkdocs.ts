// A MkDocs site with one page.
import { read } from "./written-folder.ts";

/** Reads a site with these extensions and one page, `docs/a.md`. Returns the page as HTML. */
export async function render(extensions: string, text: string): Promise<{ html: string; problems: string[] }> {
  const configuration = `nav: [a.md]\nmarkdown_extensions: ${extensions}\n`;
  const { lessons, problems } = await read({ "mkdocs.yml": configuration, "docs/a.md": text });
  return { html: lessons[0]?.additionalText ?? "", problems };
}

/** Returns the HTML of a callout. */
export const callout = (kind: string, title: string, text: string): string =>
  `<aside class="callout" data-callout="${kind}">\n<p class="callout-title">${title}</p>\n${text}</aside>\n`;

/** Returns the HTML of tabs. */
export const tabs = (...each: [title: string, text: string][]): string => {
  const options = each.map(
    ([title, text]) =>
      `<div class="option" data-option="${title}">\n<p class="option-title">${title}</p>\n${text}</div>\n`,
  );
  return `<div class="options">\n${options.join("")}</div>\n`;
};
