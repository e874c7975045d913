// Emoji by their names, and icons of the theme: `:smile:`, `:material-leaf:`.
import { gemoji, nameToEmoji } from "gemoji";
import type { MarkdownIt, StateInline, Token } from "markdown-it";
import { cutText } from "../../quote.ts";
import { environmentOf } from "../../markdown/markdown-environment.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

export function addEmoji({ inline, core }: MarkdownIt): void {
  inline.ruler.before("paired_marks", "emoji", readEmoji);
  core.ruler.after("inline", "icons", dropIcons);
}

const NAME = /:([+-]?[a-z\d][\w+-]{0,80}|[+-]1):/iy;
const ICON = /^(?:material|fontawesome|octicons|simple|lucide)-/;
/** Tables say yes and no by them. */
const SIGN = /-(?:circle-)?(?:(check)|close|x|xmark|times)(?:-(?:all|bold|thick|circle|outline|fill|\d+))*$/;

function readEmoji(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== ":" || !hasExtension(state, "pymdownx.emoji")) return false;
  NAME.lastIndex = state.pos;
  const name = NAME.exec(state.src)?.[1];
  if (name === undefined || NAME.lastIndex > state.posMax) return false;
  const sign = ICON.test(name) ? SIGN.exec(name) : undefined;
  const shown = sign === undefined ? findEmoji(name) : (sign && (sign[1] === undefined ? "✗" : "✓")) || undefined;
  if (shown === undefined && sign === undefined) return false;
  if (!isSilent) state.push(shown === undefined ? "icon" : "emoji", "", 0).content = shown ?? name;
  state.pos += name.length + 2;
  return true;
}

/** By JoyPixels' names, where no rule makes them. */
const GITHUB = new Map(
  Object.entries({
    slight_smile: "slightly_smiling_face",
    slight_frown: "slightly_frowning_face",
    hugging: "hugs",
    rolling_eyes: "roll_eyes",
    fingers_crossed: "crossed_fingers",
    first_place: "1st_place_medal",
    tools: "hammer_and_wrench",
    map: "world_map",
    desktop: "desktop_computer",
  }),
);
let byDescription: Map<string, string> | undefined;

/** By GitHub's names; else by those of JoyPixels, which are made by rules. */
function findEmoji(name: string): string | undefined {
  const known = Object.hasOwn(nameToEmoji, name) ? nameToEmoji[name] : undefined;
  if (known !== undefined) return known;
  const [, whole, tone] = /^(.+)(?<!_tone\d)_tone([1-5])$/.exec(name) ?? [];
  const toned = whole === undefined ? undefined : findEmoji(whole);
  if (toned?.match(/\p{Emoji_Modifier_Base}/gu)?.length === 1) return addTone(toned, Number(tone));
  const [, country] = /^(?:flag_(?=..$)|regional_indicator_(?=.$))([a-z]+)$/.exec(name) ?? [];
  if (country !== undefined)
    return country.replace(/./g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 97 + 0x1f1e6));
  byDescription ??= new Map(
    gemoji.map(({ emoji, description }) => [description.toLowerCase().replace(/[^a-z\d]+/g, "_"), emoji]),
  );
  // GitHub has `raising_hand_man` for `man_raising_hand`, and `nerd_face` for `nerd`.
  for (const meant of [GITHUB.get(name) ?? name.replace(/^((?:wo)?man)_(.+)$/, "$2_$1"), `${name}_face`]) {
    if (Object.hasOwn(nameToEmoji, meant)) return nameToEmoji[meant];
  }
  return byDescription.get(name);
}

/** Behind the first sign, without its variation selector. */
function addTone(emoji: string, tone: number): string {
  const [first = "", ...rest] = emoji;
  const modifier = String.fromCodePoint(0x1f3fa + tone);
  return first + modifier + rest.join("").replace(/^\ufe0f/, "");
}

// Icons need a theme's images.
function dropIcons(state: { tokens: Token[]; env: unknown }): void {
  let count = 0;
  let first: { name: string; line: number } | undefined;
  for (const token of state.tokens) {
    const { children } = token;
    for (const [index, child] of children?.entries() ?? []) {
      if (child.type === "emoji") child.type = "text";
      if (child.type !== "icon") continue;
      first ??= { name: child.content, line: (token.map?.[0] ?? 0) + 1 + (child.map?.[0] ?? 0) };
      Object.assign(child, { type: "text", content: "" });
      closeGap(children?.[index - 1], children?.[index + 1]);
      count++;
    }
  }
  if (first === undefined) return;
  const times = count === 1 ? "" : ` (${count} times in this file)`;
  environmentOf(state).remarks?.push({
    line: first.line,
    kind: "counted",
    message: `icon :${cutText(first.name, 60)}: is left out: it is an image of the site's theme${times}`,
    tally: [{ what: "icon of a theme", plural: "icons of a theme", count, isKept: false }],
  });
}

/** Drops the blanks on one side of an icon. */
function closeGap(before: Token | undefined, after: Token | undefined): void {
  const isStart = before?.type !== "text" ? before?.nesting !== -1 : /(?:^|[ \t])$/.test(before.content);
  if (isStart && after?.type === "text") after.content = after.content.trimStart();
  if (after === undefined || after.nesting === -1) {
    if (before?.type === "text") before.content = before.content.trimEnd();
  }
}
