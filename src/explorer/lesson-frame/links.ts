// Handles clicks on a lesson's links.
import { readFragment } from "./clean-html.ts";

export interface LinkActions {
  /** `fragment` is the id of an element in that lesson, or "". */
  openLesson: (courseId: string, lessonId: string, fragment: string) => void;
  goTo: (target: Element) => void;
}

/** Keeps the frame from navigating: reports links to lessons and fragments, and opens other links in new tabs. */
export function watchLinks(root: HTMLElement, { openLesson, goTo }: LinkActions): void {
  const onClick = (event: MouseEvent): void => {
    const link = event.composedPath().find((each): each is Element => each instanceof Element && isLink(each));
    if (link === undefined || !root.contains(link)) return;
    const href = (link.getAttribute("href") ?? link.getAttribute("xlink:href") ?? "").trim();
    const lessonId = link.getAttribute("data-lesson-id");
    if (lessonId !== null) {
      // The browser opens a new tab or window itself.
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1) return;
      event.preventDefault();
      openLesson(link.getAttribute("data-course-id") ?? "", lessonId, link.getAttribute("data-fragment") ?? "");
    } else if (href.startsWith("#")) {
      event.preventDefault();
      const target = findTarget(root, readFragment(href));
      if (target !== undefined) goTo(target);
    } else if (link.getAttribute("target") !== "_blank") {
      // Cleaning removes such links, so this is only a safeguard.
      event.preventDefault();
    }
  };
  document.addEventListener("click", onClick, { capture: true });
  document.addEventListener("auxclick", onClick, { capture: true });
}

/** Finds a fragment's target. Returns undefined if there is none. */
export function findTarget(root: HTMLElement, fragment: string): Element | undefined {
  if (fragment === "") return root;
  const name = CSS.escape(fragment);
  return root.querySelector(`#${name}, a[name="${name}"]`) ?? undefined;
}

function isLink({ localName }: Element): boolean {
  return localName === "a" || localName === "area";
}
