// What becomes of the components of MDX and of the documentation builder. What is not in this table cannot be shown: it is
// dropped and reported, and what it encloses stays.

import type { CalloutKind } from "../rules/callouts.ts";

/** How a component is shown. */
export type ComponentForm =
  /** A callout of this kind, or of that which its `type` names, with the component's `title`. */
  | { as: "callout"; kind: CalloutKind; hasType?: true }
  /** A question of the lesson's quiz. */
  | { as: "question" }
  /** The first is the lesson's `url`, the others are embedded. `page` and `player` are what stands before the video's id. */
  | { as: "video"; page: string; player: string; site: string }
  /** A list of links, from this attribute. */
  | { as: "notebooks"; attribute: string }
  /** A group of alternatives, and one of them with its name. */
  | { as: "options" }
  | { as: "option" }
  /** Folded away below the component's title. */
  | { as: "details" }
  /** What only this framework's readers are shown. */
  | { as: "branch"; framework: string }
  /** Nothing by itself: what it encloses is all that readers see. */
  | { as: "content" }
  /** An image; one of two for light and dark pages. */
  | { as: "image" };

const FORMS = new Map<string, ComponentForm>([
  ["Question", { as: "question" }],
  [
    "Youtube",
    {
      as: "video",
      page: "https://www.youtube.com/watch?v=",
      player: "https://www.youtube-nocookie.com/embed/",
      site: "YouTube",
    },
  ],
  ["Vimeo", { as: "video", page: "https://vimeo.com/", player: "https://player.vimeo.com/video/", site: "Vimeo" }],
  ["Tip", { as: "callout", kind: "tip" }],
  ["Note", { as: "callout", kind: "note" }],
  ["Info", { as: "callout", kind: "note" }],
  ["Important", { as: "callout", kind: "important" }],
  ["Warning", { as: "callout", kind: "warning" }],
  ["Caution", { as: "callout", kind: "caution" }],
  ["Admonition", { as: "callout", kind: "note", hasType: true }],
  ["Callout", { as: "callout", kind: "note", hasType: true }],
  ["CourseFloatingBanner", { as: "notebooks", attribute: "notebooks" }],
  ["DocNotebookDropdown", { as: "notebooks", attribute: "options" }],
  // It switches between branches that all stand in the text.
  ["FrameworkSwitchCourse", { as: "content" }],
  ["hfoptions", { as: "options" }],
  ["hfoption", { as: "option" }],
  // Of Docusaurus and other builders.
  ["Tabs", { as: "options" }],
  ["TabItem", { as: "option" }],
  ["Tab", { as: "option" }],
  ["Accordion", { as: "details" }],
  ["Details", { as: "details" }],
  ["frameworkcontent", { as: "content" }],
  ["pt", { as: "branch", framework: "pt" }],
  ["tf", { as: "branch", framework: "tf" }],
  ["jax", { as: "branch", framework: "jax" }],
  ["img", { as: "image" }],
]);

/** How a component is shown; undefined for one that cannot be. */
export function findForm(component: string): ComponentForm | undefined {
  return FORMS.get(component === "YouTube" || component === "YoutubeVideo" ? "Youtube" : component);
}

/** True for a name that is a component's: in capitals, or one of the table. */
export function isComponent(name: string): boolean {
  return /^[A-Z]/.test(name) || FORMS.has(name);
}
