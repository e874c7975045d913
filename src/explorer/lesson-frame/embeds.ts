// What lessons may embed: players and sandboxes of hosts that are made to stand in other pages. Everything else is a link.

/** A page of another host, ready to stand in a frame of its own. */
export interface Embed {
  /** An address at one of the hosts that the explorer's policy lets frames show. */
  src: string;
  title: string;
  /** Width divided by height. */
  ratio: number;
}

const VIDEO_RATIO = 16 / 9;
const YOUTUBE_ID = /^[\w-]{6,20}$/;
const VIMEO_ID = /^\d{5,12}$/;
const CODEPEN_PATH = /^\/([\w-]{1,64})\/(?:pen|embed|embed\/preview|full|details)\/(\w{4,40})\/?$/;
const VIDEO_FILE = /\.(?:mp4|m4v|webm|ogv|mov)$/i;

/** What an address of a page or of a player becomes. Undefined for one that no listed host has, or that is none. */
export function findEmbed(address: string): Embed | undefined {
  const url = parseWebAddress(address);
  if (url === undefined) return undefined;
  const host = url.hostname.replace(/^(?:www|m)\./, "");
  if (host === "youtube.com" || host === "youtube-nocookie.com") return toYoutube(findYoutubeId(url), url);
  if (host === "youtu.be") return toYoutube(url.pathname.slice(1), url);
  if (host === "vimeo.com" || host === "player.vimeo.com") return toVimeo(url);
  return host === "codepen.io" ? toCodepen(url) : undefined;
}

/** Whether a browser itself plays what the address leads to. */
export function isVideoFile(address: string): boolean {
  const url = parseWebAddress(address);
  return url !== undefined && VIDEO_FILE.test(url.pathname);
}

/** Undefined for what is no absolute address of the web; one that begins with `//` is. */
export function parseWebAddress(address: string): URL | undefined {
  const text = address.trim();
  const url = URL.parse(text.startsWith("//") ? `https:${text}` : text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

function findYoutubeId({ pathname, searchParams }: URL): string {
  const [, kind = "", id = ""] = pathname.split("/");
  return ["embed", "shorts", "live", "v"].includes(kind) ? id : (searchParams.get("v") ?? "");
}

function toYoutube(id: string, { searchParams }: URL): Embed | undefined {
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

function toVimeo({ pathname, searchParams }: URL): Embed | undefined {
  const parts = pathname.split("/").filter((part) => part !== "" && part !== "video");
  const [id = "", code] = parts;
  if (!VIMEO_ID.test(id)) return undefined;
  // Videos that are not listed have a second code.
  const unlisted = searchParams.get("h") ?? code ?? "";
  const kept = new URLSearchParams({ dnt: "1", ...(/^[\da-f]{6,20}$/.test(unlisted) ? { h: unlisted } : {}) });
  return { src: withQuery(`https://player.vimeo.com/video/${id}`, kept), title: "Video on Vimeo", ratio: VIDEO_RATIO };
}

function toCodepen({ pathname }: URL): Embed | undefined {
  const [, user, pen] = CODEPEN_PATH.exec(pathname) ?? [];
  if (user === undefined || pen === undefined) return undefined;
  const query = new URLSearchParams({ "default-tab": "result" });
  return { src: withQuery(`https://codepen.io/${user}/embed/${pen}`, query), title: "Pen on CodePen", ratio: 3 / 2 };
}

function withQuery(address: string, query: URLSearchParams): string {
  return query.size === 0 ? address : `${address}?${query}`;
}
