// Extracts the texts of an Open edX problem, without its answers.
import { isHtmlElement } from "../../html/unknown-elements.ts";
import { isElement, listElements, type XmlElement, type XmlNode } from "../../html/xml.ts";
import { xmlToHtml } from "../../html/xml-to-html.ts";

/** Elements that wrap text in older problems and do not exist in HTML. */
const WRAPPERS = new Set(["text", "startouttext", "endouttext"]);
/** Replacements for elements in an unsupported response. */
const SHOWN_AS: ReadonlyMap<string, string> = new Map([
  ["description", "p"],
  ["choice", "li"],
  ...["choicegroup", "checkboxgroup", "radiogroup", "checkboxtextgroup", "radiotextgroup"].map(
    (group) => [group, "ul"] as const,
  ),
]);
// Hints of a choice reveal whether the choice is right; hints on demand do not.
const REVEALING =
  /^(?:script|solution|additional_answer|answer|responseparam|targetedfeedback(?:set)?)$|hint(?:group|part)?$/;
export const RESPONSE = /response$/;

/** Returns all descendants with the given names. */
export function findAll(element: XmlElement, isWanted: (name: string) => boolean): XmlElement[] {
  return listElements(element).flatMap((child) => [
    ...(isWanted(child.name) ? [child] : []),
    ...findAll(child, isWanted),
  ]);
}

/** Returns true for an element that reveals answers. Responses count, since they contain answers. */
export function revealsAnswer({ name }: XmlElement): boolean {
  return REVEALING.test(name) || RESPONSE.test(name);
}

/** Returns a response's text, without inputs and unknown elements, which might reveal answers. */
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

/** Returns the element without answers; keeps responses, whose other content is visible. */
export function withoutAnswers(element: XmlElement): XmlElement {
  const children = element.children
    .filter((child) => !isElement(child) || !REVEALING.test(child.name))
    .map((child) => (isElement(child) ? withoutAnswers(child) : child));
  return { ...element, children };
}

/** Renders nodes as HTML. In a problem, CDATA is text. */
export function toHtml(nodes: readonly XmlNode[]): string {
  return xmlToHtml(nodes, {
    isRawHtml: false,
    replace: (element) => {
      if (revealsAnswer(element)) return "";
      return WRAPPERS.has(element.name) ? toHtml(element.children) : undefined;
    },
  });
}
