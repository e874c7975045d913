// Finds the players of videos on YouTube and Vimeo.
import { parseWebAddress, withQuery } from "./web-address.ts";

/** A video player on another host. */
export interface Player {
  /** The `src` of an `<iframe>`. */
  src: string;
  /** The frame's `title`. */
  title: string;
  /** The frame's width divided by its height. */
  ratio: number;
}

const VIDEO_RATIO = 16 / 9;
const YOUTUBE_ID = /^[\w-]{6,20}$/;
const VIMEO_ID = /^\d{5,12}$/;
const VIDEO_FILE = /\.(?:mp4|m4v|webm|ogv|mov)$/i;

/** Returns the player for a YouTube or Vimeo URL; undefined for other URLs. */
export function toPlayer(address: string): Player | undefined {
  const url = parseWebAddress(address);
  if (url === undefined) return undefined;
  const host = url.hostname.replace(/^(?:www|m)\./, "");
  if (host === "youtube.com" || host === "youtube-nocookie.com") return toYoutube(findYoutubeId(url), url);
  if (host === "youtu.be") return toYoutube(url.pathname.slice(1), url);
  return host === "vimeo.com" || host === "player.vimeo.com" ? toVimeo(url) : undefined;
}

/** Returns true if the URL names a video file, for `<video>`. */
export function isVideoFile(address: string): boolean {
  const url = parseWebAddress(address);
  return url !== undefined && VIDEO_FILE.test(url.pathname);
}

function findYoutubeId({ pathname, searchParams }: URL): string {
  const [, kind = "", id = ""] = pathname.split("/");
  return ["embed", "shorts", "live", "v"].includes(kind) ? id : (searchParams.get("v") ?? "");
}

function toYoutube(id: string, { searchParams }: URL): Player | undefined {
  const list = searchParams.get("list") ?? "";
  const isList = id === "videoseries" && /^[\w-]{10,64}$/.test(list);
  if (!isList && !YOUTUBE_ID.test(id)) return undefined;
  const kept = new URLSearchParams(isList ? { list } : {});
  const start = /^(\d{1,6})s?$/.exec(searchParams.get("start") ?? searchParams.get("t") ?? "")?.[1];
  if (start !== undefined) kept.set("start", start);
  return {
    src: withQuery(`https://www.youtube-nocookie.com/embed/${id}`, kept),
    title: "Video on YouTube",
    ratio: VIDEO_RATIO,
  };
}

function toVimeo({ pathname, searchParams }: URL): Player | undefined {
  const parts = pathname.split("/").filter((part) => part !== "" && part !== "video");
  const [id = "", code] = parts;
  if (!VIMEO_ID.test(id)) return undefined;
  // The URL of an unlisted video contains a second code, in the path or in the parameter `h`.
  const unlisted = searchParams.get("h") ?? code ?? "";
  const kept = new URLSearchParams({ dnt: "1", ...(/^[\da-f]{6,20}$/.test(unlisted) ? { h: unlisted } : {}) });
  return { src: withQuery(`https://player.vimeo.com/video/${id}`, kept), title: "Video on Vimeo", ratio: VIDEO_RATIO };
}
