// What the page and the lesson frame tell each other. The frame's document is ours, and yet the page takes nothing from it on
// trust: a lesson that got the frame to show another document would speak with the frame's voice.

export type Theme = "light" | "dark";

/** From the page to the frame. `show` numbers what is shown, so that answers about an earlier lesson can be told. */
export type PageMessage =
  | { kind: "theme"; theme: Theme }
  | { kind: "go"; fragment: string }
  /** What of the frame is in the window, in pixels from its upper edge: inside, a frame of this height does not know. */
  | { kind: "sight"; top: number; bottom: number }
  | {
      kind: "show";
      show: number;
      /** Whether the lesson is the one that is shown already, edited: then the place at which it is read stays. */
      isUpdate: boolean;
      theme: Theme;
      /** As in `lang`; "" where it is not known. */
      language: string;
      /** That is read by its number; undefined for the current one. */
      release: number | undefined;
      url: string;
      quizHtml: string;
      additionalText: string;
      /** The id of the place to go to; "" for none. */
      fragment: string;
    };

/** Where in the frame an embed belongs; pixels from the frame's upper left corner. */
export interface EmbedPlace {
  /** The address as the author wrote it. */
  address: string;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** From the frame to the page. */
export type FrameMessage =
  | { kind: "ready" }
  | { kind: "shown"; show: number }
  | { kind: "layout"; show: number; height: number; places: EmbedPlace[] }
  | { kind: "scroll"; show: number; top: number }
  /** What is seen has moved down by so many pixels, and the page is to follow. */
  | { kind: "shift"; show: number; by: number }
  | { kind: "open-lesson"; courseId: string; lessonId: string; fragment: string }
  | { kind: "key"; key: string };

/** Keys that the page knows. */
export const PAGE_KEYS = ["j", "k", "/", "ArrowLeft", "ArrowRight"];

/** More than browsers lay out; a frame that is taller scrolls. */
const MAX_HEIGHT = 2_000_000;
/** Each one is a document with players and scripts of its own. */
export const MAX_EMBEDS = 30;
const MAX_ID = 1000;

/** Undefined for whatever is not a message of the frame. */
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
