// Reads Open edX videos: the player and downloads.
import { escapeHtml } from "../../html/escape.ts";
import { encodePath } from "../../html/links.ts";
import { listElements, type XmlElement } from "../../html/xml.ts";
import { parseObject } from "./olx-policy.ts";
import type { OlxUrls } from "./olx-urls.ts";

export interface OlxVideo {
  /** The URL of the video; undefined if only Open edX can play the video. */
  url: string | undefined;
  /** The player's HTML. */
  player: string;
  /** Links to transcripts and the handout; "" for none. */
  links: string;
}

/** Reads a video; `title` is its name. */
export function readVideo(video: XmlElement, title: string, urls: OlxUrls): OlxVideo {
  const id = findYoutubeId(video);
  const file = id === undefined ? findFile(video, urls) : undefined;
  const url = id === undefined ? file : `https://www.youtube.com/watch?v=${encodeURIComponent(id)}`;
  const shownTitle = escapeHtml(title);
  const player =
    id === undefined
      ? `<video src="${escapeHtml(file ?? "")}" title="${shownTitle}" controls preload="metadata"></video>\n`
      : `<iframe src="https://www.youtube-nocookie.com/embed/${encodeURIComponent(id)}" title="${shownTitle}" loading="lazy" ` +
        'allowfullscreen referrerpolicy="strict-origin-when-cross-origin"></iframe>\n';
  return { url, player, links: renderLinks(listLinks(video, urls)) };
}

// Finds the id for normal speed, as in youtube="0.75:abc,1.00:def" or youtube_id_1_0="def".
function findYoutubeId(video: XmlElement): string | undefined {
  const { attributes } = video;
  const bySpeed = /(?:^|,)\s*1\.0+:([^,\s]+)/.exec(attributes.get("youtube") ?? "")?.[1];
  const id =
    attributes
      .get("youtube_id_1_0")
      ?.replace(/^1\.0+:/, "")
      .trim() || bySpeed;
  const encoded = listEncoded(video).find((each) => each.attributes.get("profile") === "youtube");
  return id || encoded?.attributes.get("url")?.trim() || undefined;
}

function listEncoded(video: XmlElement): XmlElement[] {
  return listElements(video, "video_asset").flatMap((asset) => listElements(asset, "encoded_video"));
}

function findFile(video: XmlElement, urls: OlxUrls): string | undefined {
  const { attributes } = video;
  const listed = [
    ...parseList(attributes.get("html5_sources")),
    ...listElements(video, "source").map((source) => source.attributes.get("src") ?? ""),
    ...listEncoded(video).map((encoded) => encoded.attributes.get("url") ?? ""),
    attributes.get("source") ?? "",
  ];
  const known = listed.map((url) => urls.map(url) ?? (/^https?:\/\//i.test(url) ? url : ""));
  // Streams need a scripted player.
  return known.find((url) => url !== "" && !/\.m3u8(?:[?#]|$)/i.test(url));
}

interface VideoLink {
  path: string;
  text: string;
}

function listLinks(video: XmlElement, urls: OlxUrls): VideoLink[] {
  const links = new Map<string, VideoLink>();
  const add = (name: string | undefined, text: string): void => {
    if (name === undefined || name.trim() === "") return;
    const path = urls.map(name) ?? (/^(?:https?:|\/)/.test(name) ? name : toLink(urls.findFile(name)));
    // Skips files that are missing from the export: only Open edX has them.
    if (path !== undefined && !links.has(path)) links.set(path, { path, text });
  };
  for (const transcript of listElements(video, "transcript")) {
    add(transcript.attributes.get("src"), `Transcript (${transcript.attributes.get("language") ?? "?"})`);
  }
  const byLanguage = parseObject(video.attributes.get("transcripts") ?? "") ?? {};
  for (const [language, name] of Object.entries(byLanguage)) {
    if (typeof name === "string") add(name, `Transcript (${language})`);
  }
  add(video.attributes.get("track") || findSource(video, "track"), "Transcript");
  add(video.attributes.get("handout") || findSource(video, "handout"), "Handout");
  return [...links.values()];
}

function findSource(video: XmlElement, name: string): string | undefined {
  return listElements(video, name)[0]?.attributes.get("src");
}

function toLink(path: string | undefined): string | undefined {
  return path && encodePath(path);
}

function renderLinks(links: VideoLink[]): string {
  if (links.length === 0) return "";
  const rows = links.map(({ path, text }) => `<li><a href="${escapeHtml(path)}">${escapeHtml(text)}</a></li>\n`);
  return `<ul class="video-links">\n${rows.join("")}</ul>\n`;
}

function parseList(json: string | undefined): string[] {
  const list = parseObject(`{"list":${json ?? "[]"}}`)?.["list"];
  return Array.isArray(list) ? list.filter((url) => typeof url === "string") : [];
}
