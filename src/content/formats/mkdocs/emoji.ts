// Renders emoji by their names (`:smile:`), and drops most icons of the theme (`:material-leaf:`).
import { gemoji, nameToEmoji } from "gemoji";
import type { MarkdownIt, StateCore, StateInline } from "markdown-it";
import { cutText } from "../../quote.ts";
import { countTokens } from "./counted-tokens.ts";
import { CUSTOM_ICONS, hasExtension } from "./mkdocs-extensions.ts";

export function addEmoji({ inline, core }: MarkdownIt): void {
  inline.ruler.before("paired_marks", "emoji", readEmoji);
  core.ruler.after("inline", "icons", dropIcons);
}

const NAME = /:([+-]?[a-z\d][\w+-]{0,80}|[+-]1):/iy;
const ICON = /^(?:material|fontawesome|octicons|simple|lucide)-/;
/** Icons that mean yes or no in tables. */
const SIGN = /-(?:circle-)?(?:(check)|close|x|xmark|times)(?:-(?:all|bold|thick|circle|outline|fill|\d+))*$/;

function readEmoji(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== ":" || !hasExtension(state, "pymdownx.emoji")) return false;
  NAME.lastIndex = state.pos;
  const name = NAME.exec(state.src)?.[1];
  if (name === undefined || NAME.lastIndex > state.posMax) return false;
  const sign = ICON.test(name) ? SIGN.exec(name) : undefined;
  const isOwn = /^[a-z]\w*-/i.test(name) && hasExtension(state, CUSTOM_ICONS);
  const shown = sign === undefined ? findEmoji(name) : (sign && (sign[1] === undefined ? "✗" : "✓")) || undefined;
  if (shown === undefined && sign === undefined && !isOwn) return false;
  if (!isSilent) state.push(shown === undefined ? "icon" : "emoji", "", 0).content = shown ?? name;
  state.pos += name.length + 2;
  return true;
}

/** GitHub's names of emoji, by those JoyPixels names that no rule converts. */
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

/** Finds an emoji by its GitHub name, or else by its JoyPixels name, which rules convert. */
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
  // GitHub's names include `raising_hand_man` for `man_raising_hand`, and `nerd_face` for `nerd`.
  for (const meant of [GITHUB.get(name) ?? name.replace(/^((?:wo)?man)_(.+)$/, "$2_$1"), `${name}_face`]) {
    if (Object.hasOwn(nameToEmoji, meant)) return nameToEmoji[meant];
  }
  return byDescription.get(name);
}

/** Adds a skin tone after the first character, in place of a variation selector. */
function addTone(emoji: string, tone: number): string {
  const [first = "", ...rest] = emoji;
  const modifier = String.fromCodePoint(0x1f3fa + tone);
  return first + modifier + rest.join("").replace(/^\ufe0f/, "");
}

// Drops icons, which need a theme's images.
function dropIcons(state: StateCore): void {
  for (const child of state.tokens.flatMap(({ children }) => children ?? []))
    if (child.type === "emoji") child.type = "text";
  countTokens(state, "icon", {
    what: "icon of a theme",
    plural: "icons of a theme",
    isKept: false,
    describe: (name) => `icon :${cutText(name, 60)}: is left out: it is an image of the site's theme`,
  });
}
