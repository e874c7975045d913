// Embeds from hosts whose players are known. Other embeds become links.
import { toPlayer, type Player } from "../../../packages/client/src/html/player.ts";
import { parseWebAddress, withQuery } from "../../../packages/client/src/html/web-address.ts";

const CODEPEN_PATH = /^\/([\w-]{1,64})\/(?:pen|embed|embed\/preview|full|details)\/(\w{4,40})\/?$/;

/** Finds the player for the URL of a page or a player. Returns undefined for unknown hosts. */
export function findEmbed(address: string): Player | undefined {
  return toPlayer(address) ?? toCodepen(address);
}

function toCodepen(address: string): Player | undefined {
  const url = parseWebAddress(address);
  if (url?.hostname.replace(/^(?:www|m)\./, "") !== "codepen.io") return undefined;
  const [, user, pen] = CODEPEN_PATH.exec(url.pathname) ?? [];
  if (user === undefined || pen === undefined) return undefined;
  const query = new URLSearchParams({ "default-tab": "result" });
  return { src: withQuery(`https://codepen.io/${user}/embed/${pen}`, query), title: "Pen on CodePen", ratio: 3 / 2 };
}
