// How components of MDX and the documentation builder are rendered. Components that are not in the table below are
// reported and dropped, but their content stays.

import type { CalloutKind } from "../rules/callouts.ts";

export type ComponentForm =
  /** A callout of this kind, or of the kind in the component's `type`, with the component's `title`. */
  | { as: "callout"; kind: CalloutKind; hasType?: true }
  /** A question of the lesson's quiz. */
  | { as: "question" }
  /**
   * A video: the first becomes the lesson's `url`, others are embedded. The video's id completes `page` and `player`.
   */
  | { as: "video"; page: string; player: string; site: string }
  /** A list of links from this attribute. */
  | { as: "notebooks"; attribute: string }
  /** A group of alternatives, and one of them with its name. */
  | { as: "options" }
  | { as: "option" }
  /** A `<details>` element, whose summary is the component's title. */
  | { as: "details" }
  /** A branch for readers of this framework only. */
  | { as: "branch"; framework: string }
  /** Only the content. */
  | { as: "content" }
  /** An image, or one of two for light and dark pages. */
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
  // The text contains all branches, so the switch itself is not needed.
  ["FrameworkSwitchCourse", { as: "content" }],
  ["hfoptions", { as: "options" }],
  ["hfoption", { as: "option" }],
  // Components of Docusaurus and other builders.
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

/** Returns how a component is rendered; undefined for an unknown component. */
export function findForm(component: string): ComponentForm | undefined {
  return FORMS.get(component === "YouTube" || component === "YoutubeVideo" ? "Youtube" : component);
}

/** Returns true for a capitalized name or one in the table. */
export function isComponent(name: string): boolean {
  return /^[A-Z]/.test(name) || FORMS.has(name);
}
