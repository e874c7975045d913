import type { Lesson } from "../../../packages/client/src/catalog-client.ts";

/** Elements that begin a new line. */
const BLOCKS =
  "address,article,aside,blockquote,dd,details,div,dl,dt,fieldset,figcaption,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,legend,li,main,nav,ol,p,pre,section,summary,table,tr,ul,br";
const MARKS: Record<string, string> = {
  H1: "# ",
  H2: "## ",
  H3: "### ",
  H4: "#### ",
  H5: "##### ",
  H6: "###### ",
  LI: "• ",
};

/** Lists a lesson's visible content as text lines: name, video, text, quiz. Runs no scripts and loads nothing. */
export function listTextLines({ name, url, additionalText, quizHtml }: Lesson): string[] {
  return [
    name,
    ...(url === "" ? [] : [`Video: ${url}`]),
    ...toLines(additionalText),
    ...(quizHtml === "" ? [] : ["Quiz:", ...toLines(quizHtml)]),
  ];
}

/** Lists the lines of a lesson's HTML. */
export function listSourceLines({ name, url, additionalText, quizHtml }: Lesson): string[] {
  return [name, url, ...additionalText.split("\n"), ...quizHtml.split("\n")];
}

function toLines(html: string): string[] {
  // A parsed document without a window runs no scripts and loads no images.
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const element of body.querySelectorAll("script, style, template")) element.remove();
  foldBlanks(body);
  for (const image of body.querySelectorAll("img")) {
    image.replaceWith(`[image: ${image.getAttribute("alt") ?? ""} ${image.getAttribute("src") ?? ""}]`);
  }
  for (const frame of body.querySelectorAll("iframe, video, audio, embed, object")) {
    frame.replaceWith(`[${frame.tagName.toLowerCase()}: ${frame.getAttribute("src") ?? ""}]`);
  }
  for (const cell of body.querySelectorAll("td, th")) cell.append(" | ");
  for (const element of body.querySelectorAll(BLOCKS)) {
    element.before("\n");
    element.prepend(MARKS[element.tagName] ?? "");
    element.after("\n");
  }
  return body.textContent
    .split("\n")
    .map((line) => line.replace(/^ (?! )/, "").trimEnd())
    .filter((line) => line !== "");
}

/** Collapses white space outside `pre` elements, as browsers do. */
function foldBlanks(body: HTMLElement): void {
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement?.closest("pre") === null) node.nodeValue = (node.nodeValue ?? "").replace(/\s+/g, " ");
  }
}
