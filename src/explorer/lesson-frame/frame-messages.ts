// Messages between the page and the lesson frame. The page validates what it receives, because a lesson could navigate
// the frame to a document that sends messages of its own.

export type Theme = "light" | "dark";

/** Messages from the page to the frame. `show` numbers the lessons, so that the page can ignore late answers. */
export type PageMessage =
  | { kind: "theme"; theme: Theme }
  | { kind: "go"; fragment: string }
  /**
   * The visible part of the frame, in pixels from its top. The frame cannot measure this, because it is as tall as its
   * lesson.
   */
  | { kind: "sight"; top: number; bottom: number }
  | {
      kind: "show";
      show: number;
      /** True if the current lesson was edited: the scroll position is then kept. */
      isUpdate: boolean;
      theme: Theme;
      /** The value of the `lang` attribute; "" if unknown. */
      language: string;
      /** The pinned release; undefined for the current one. */
      release: number | undefined;
      url: string;
      quizHtml: string;
      additionalText: string;
      /** The id of the target element, or "". */
      fragment: string;
    };

/** An embed's position, in pixels from the frame's upper left corner. */
export interface EmbedPlace {
  /** The author's URL. */
  address: string;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Messages from the frame to the page. */
export type FrameMessage =
  | { kind: "ready" }
  | { kind: "shown"; show: number }
  | { kind: "layout"; show: number; height: number; places: EmbedPlace[] }
  | { kind: "scroll"; show: number; top: number }
  /** The visible content has moved down by this many pixels, so the page must scroll by the same distance. */
  | { kind: "shift"; show: number; by: number }
  | { kind: "open-lesson"; courseId: string; lessonId: string; fragment: string }
  | { kind: "key"; key: string };

/** The page's shortcuts. */
export const PAGE_KEYS = ["j", "k", "/", "ArrowLeft", "ArrowRight"];

/** The height in pixels of the tallest frame that browsers lay out. A taller lesson scrolls inside its frame. */
const MAX_HEIGHT = 2_000_000;
/** The maximum number of embeds, each of which is a document with scripts of its own. */
const MAX_EMBEDS = 30;
const MAX_ID = 1000;

/** Parses a message from the frame. Returns undefined for other messages. */
export function parseFrameMessage(value: unknown): FrameMessage | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, show } = value;
  if (kind === "ready") return { kind };
  if (kind === "open-lesson") {
    const { courseId, lessonId, fragment } = value;
    return isId(courseId) && isId(lessonId) && isId(fragment) ? { kind, courseId, lessonId, fragment } : undefined;
  }
  if (kind === "key") {
    const key = PAGE_KEYS.find((each) => each === value["key"]);
    return key === undefined ? undefined : { kind, key };
  }
  if (typeof show !== "number") return undefined;
  if (kind === "shown") return { kind, show };
  if (kind === "scroll" && isLength(value["top"])) return { kind, show, top: value["top"] };
  if (kind === "shift" && isNumber(value["by"])) return { kind, show, by: value["by"] };
  if (kind !== "layout" || !isLength(value["height"]) || !Array.isArray(value["places"])) return undefined;
  const height = Math.min(value["height"], MAX_HEIGHT);
  return { kind, show, height, places: value["places"].slice(0, MAX_EMBEDS).filter(isPlace) };
}

function isPlace(value: unknown): value is EmbedPlace {
  if (!isRecord(value) || typeof value["address"] !== "string") return false;
  return [value["left"], value["top"], value["width"], value["height"]].every(isLength);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isLength(value: unknown): value is number {
  return isNumber(value) && value >= 0;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_ID;
}
