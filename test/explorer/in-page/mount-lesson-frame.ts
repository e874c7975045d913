// Runs in a browser, in the explorer's page and under its policy: shows lessons without what imports and views do to them.
import { h, render } from "preact";
import { LessonFrame, type LessonFrameProps } from "../../../src/explorer/lesson-frame/lesson-frame.tsx";

interface Mounting {
  lesson: Partial<LessonFrameProps["lesson"]>;
  language?: string;
  theme?: "light" | "dark";
  fragment?: string;
  release?: number;
  /** In the existing frame, as when a reader continues. */
  inPlace?: boolean;
}

const opened: string[][] = [];
const place = document.createElement("div");
document.body.replaceChildren(place);

/** Shows a lesson; resolves when it is shown as a whole. */
async function mountLesson({
  lesson,
  language,
  theme = "light",
  fragment,
  release,
  inPlace = false,
}: Mounting): Promise<void> {
  const whole = { id: "l", name: "Lesson", url: "", quizHtml: "", additionalText: "", createdAt: "", updatedAt: "" };
  document.documentElement.dataset["theme"] = theme;
  if (!inPlace) render(null, place);
  return new Promise((resolve) => {
    const props: LessonFrameProps = {
      lesson: { ...whole, ...lesson },
      language,
      theme,
      fragment,
      release,
      onOpenLesson: (...link) => opened.push(link),
      onReady: resolve,
    };
    render(h(LessonFrame, props), place);
  });
}

Object.assign(globalThis, { mountLesson, openedLessons: opened });
