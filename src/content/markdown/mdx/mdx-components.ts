// How components of MDX and the documentation builder render. Components outside this table are reported and dropped,
// but their content stays.

import type { CalloutKind } from "../rules/callouts.ts";

/** How a component renders. */
export type ComponentForm =
  /** A callout of this kind or of its `type`, with the component's `title`. */
  | { as: "callout"; kind: CalloutKind; hasType?: true }
  /** A question of the lesson's quiz. */
  | { as: "question" }
  /** A video: the first becomes the lesson's `url`, others are embedded. `page` and `player` precede the video's id. */
  | { as: "video"; page: string; player: string; site: string }
  /** A list of links from this attribute. */
  | { as: "notebooks"; attribute: string }
  /** A group of alternatives, and one of them with its name. */
  | { as: "options" }
  | { as: "option" }
  /** Details below the component's title. */
  | { as: "details" }
  /** A branch for only this framework's readers. */
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
  // All branches are in the text.
  ["FrameworkSwitchCourse", { as: "content" }],
  ["hfoptions", { as: "options" }],
  ["hfoption", { as: "option" }],
  // Docusaurus and others.
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

/** Returns how a component renders; undefined for an unknown one. */
export function findForm(component: string): ComponentForm | undefined {
  return FORMS.get(component === "YouTube" || component === "YoutubeVideo" ? "Youtube" : component);
}

/** Returns true for a capitalized name or one in the table. */
export function isComponent(name: string): boolean {
  return /^[A-Z]/.test(name) || FORMS.has(name);
}
