import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Lesson } from "../../../packages/client/src/catalog-client.ts";
import { findEmbed } from "./embeds.ts";
import { parseFrameMessage, type EmbedPlace, type PageMessage, type Theme } from "./frame-messages.ts";

export interface LessonFrameProps {
  lesson: Lesson;
  /** The course's language, such as `pt-BR`, if known. */
  language: string | undefined;
  theme: Theme;
  /** The pinned release, which links in new tabs keep; undefined for the current one. */
  release?: number | undefined;
  /** The id of the target element, without `#`. */
  fragment?: string | undefined;
  /** Called when the reader follows a link to a lesson; `fragment` can be "". */
  onOpenLesson: (courseId: string, lessonId: string, fragment: string) => void;
  /** Called when the whole lesson is rendered and the frame has its final height. */
  onReady?: (() => void) | undefined;
}

interface Layout {
  height: number;
  places: EmbedPlace[];
}

/**
 * Shows a lesson's video, text and quiz in a frame with an opaque origin, so that authors' content cannot reach the
 * page. The frame is as tall as the lesson. A lesson with the same id as before counts as an edit and keeps the scroll
 * position. Embeds from known hosts are separate frames over gaps in the lesson. The caller shows the heading.
 */
export function LessonFrame(props: LessonFrameProps): JSX.Element {
  const { lesson, language = "", theme, release, fragment = "" } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [isLoaded, setLoaded] = useState(false);
  const [layout, setLayout] = useState<Layout>({ height: 0, places: [] });
  const show = useRef({ number: 0, text: "", id: "" });
  const send = (message: PageMessage): void => sendTo(frame.current, message);

  useLayoutEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
      if (source === null || source !== frame.current?.contentWindow || origin !== "null") return;
      const message = parseFrameMessage(data);
      if (message?.kind === "ready") {
        sendSight(frame.current);
        setLoaded(true);
      }
      if (message?.kind === "open-lesson") {
        latest.current.onOpenLesson(message.courseId, message.lessonId, message.fragment);
      }
      if (message?.kind === "key") {
        frame.current?.dispatchEvent(
          new KeyboardEvent("keydown", { key: message.key, bubbles: true, cancelable: true }),
        );
      }
      // Ignores late messages about an earlier lesson.
      if (message === undefined || !("show" in message) || message.show !== show.current.number) return;
      if (message.kind === "layout") setLayout({ height: message.height, places: message.places });
      if (message.kind === "scroll") scrollTo(frame.current, message.top);
      // The layout message before this one has already resized the frame.
      if (message.kind === "shift") window.scrollBy({ top: message.by, behavior: "instant" });
      if (message.kind === "shown") latest.current.onReady?.();
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, []);

  useEffect(() => {
    let isIdle = true;
    const scheduleSight = (): void => {
      if (!isIdle) return;
      isIdle = false;
      requestAnimationFrame(() => {
        isIdle = true;
        sendSight(frame.current);
      });
    };
    for (const kind of ["scroll", "resize"]) window.addEventListener(kind, scheduleSight, { passive: true });
    return () => {
      for (const kind of ["scroll", "resize"]) window.removeEventListener(kind, scheduleSight);
    };
  }, []);

  useEffect(() => sendSight(frame.current), [layout.height]);

  useEffect(() => {
    if (!isLoaded) return;
    const { id, url, quizHtml, additionalText } = lesson;
    const text = JSON.stringify([id, url, quizHtml, additionalText, language, release]);
    if (text === show.current.text) {
      send({ kind: "go", fragment });
      return;
    }
    const isUpdate = id === show.current.id;
    show.current = { number: show.current.number + 1, text, id };
    const content = { url, quizHtml, additionalText, language, theme, release };
    send({ kind: "show", show: show.current.number, isUpdate, ...content, fragment: isUpdate ? "" : fragment });
  }, [isLoaded, lesson, language, release, fragment]);

  useEffect(() => {
    if (isLoaded) send({ kind: "theme", theme });
  }, [isLoaded, theme]);

  return (
    <div class="lesson-frame">
      <iframe
        ref={frame}
        src="explorer/lesson"
        title="Lesson"
        sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
        referrerpolicy="no-referrer"
        style={{ height: `${layout.height}px` }}
      />
      <div class="lesson-embeds">
        {layout.places.map((place, index) => (
          <EmbedFrame key={`${index} ${place.address}`} place={place} />
        ))}
      </div>
    </div>
  );
}

function EmbedFrame({ place: { address, left, top, width, height } }: { place: EmbedPlace }): JSX.Element | null {
  const embed = findEmbed(address);
  if (embed === undefined) return null;
  return (
    <iframe
      src={embed.src}
      title={embed.title}
      loading="lazy"
      sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-presentation"
      allow="fullscreen; picture-in-picture; encrypted-media"
      referrerpolicy="strict-origin-when-cross-origin"
      style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}
    />
  );
}

function sendTo(frame: HTMLIFrameElement | null, message: PageMessage): void {
  // `postMessage` cannot name an opaque origin.
  frame?.contentWindow?.postMessage(message, "*");
}

function sendSight(frame: HTMLIFrameElement | null): void {
  if (frame === null) return;
  const { top } = frame.getBoundingClientRect();
  sendTo(frame, { kind: "sight", top: readScrollPadding() - top, bottom: window.innerHeight - top });
}

function scrollTo(frame: HTMLIFrameElement | null, top: number): void {
  if (frame === null) return;
  const { top: frameTop, height } = frame.getBoundingClientRect();
  window.scrollTo({ top: window.scrollY + frameTop + Math.min(top, height) - readScrollPadding() });
}

/** Returns the height of the page's top bar. */
function readScrollPadding(): number {
  return parseFloat(getComputedStyle(document.documentElement).scrollPaddingBlockStart) || 0;
}
