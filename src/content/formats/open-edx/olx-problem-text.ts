// The texts of a problem of Open edX, without what tells its answers.
import { isHtmlElement } from "../../html/unknown-elements.ts";
import { isElement, listElements, type XmlElement, type XmlNode } from "../../html/xml.ts";
import { xmlToHtml } from "../../html/xml-to-html.ts";

/** Older problems have their texts in or between these; none is an element of HTML. */
const WRAPPERS = new Set(["text", "startouttext", "endouttext"]);
/** What stands for elements in a response that no form can have. */
const SHOWN_AS: ReadonlyMap<string, string> = new Map([
  ["description", "p"],
  ["choice", "li"],
  ...["choicegroup", "checkboxgroup", "radiogroup", "checkboxtextgroup", "radiotextgroup"].map(
    (group) => [group, "ul"] as const,
  ),
]);
// Hints of a choice tell whether it is right; those on demand do not.
const TELLING =
  /^(?:script|solution|additional_answer|answer|responseparam|targetedfeedback(?:set)?)$|hint(?:group|part)?$/;
/** How the names of responses end. */
export const RESPONSE = /response$/;

/** All elements below one whose names are wanted. */
export function findAll(element: XmlElement, isWanted: (name: string) => boolean): XmlElement[] {
  return listElements(element).flatMap((child) => [
    ...(isWanted(child.name) ? [child] : []),
    ...findAll(child, isWanted),
  ]);
}

/** True for an element that tells answers; a response holds some. */
export function isTelling({ name }: XmlElement): boolean {
  return TELLING.test(name) || RESPONSE.test(name);
}

/** What a response says, without its inputs: of an element that is not known, nobody knows what it tells. */
export function keepText(nodes: readonly XmlNode[]): XmlNode[] {
  return nodes.flatMap((node): XmlNode[] => {
    if (!isElement(node) || node.name === "math" || node.name === "svg") return [node];
    const { name, attributes, children } = node;
    const src = attributes.get("src");
    if (name === "imageinput" && src !== undefined) {
      return [{ ...node, name: "img", attributes: new Map(Object.entries({ src, alt: "" })), children: [] }];
    }
    const shownAs = SHOWN_AS.get(name);
    if (shownAs !== undefined) {
      return [{ ...node, name: shownAs, attributes: new Map(), children: keepText(children) }];
    }
    const isText = WRAPPERS.has(name) || (isHtmlElement(name) && name !== "label");
    return isText ? [{ ...node, children: keepText(children) }] : [];
  });
}

/** An element without what tells answers, but with responses: what stands in them is seen as well. */
export function withoutTelling(element: XmlElement): XmlElement {
  const children = element.children
    .filter((child) => !isElement(child) || !TELLING.test(child.name))
    .map((child) => (isElement(child) ? withoutTelling(child) : child));
  return { ...element, children };
}

/** Nodes as HTML. Text in CDATA is text in a problem. */
export function toHtml(nodes: readonly XmlNode[]): string {
  return xmlToHtml(nodes, {
    isRawHtml: false,
    replace: (element) => {
      if (isTelling(element)) return "";
      return WRAPPERS.has(element.name) ? toHtml(element.children) : undefined;
    },
  });
}
