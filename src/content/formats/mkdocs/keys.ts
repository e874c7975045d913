// Renders keys: `++ctrl+alt+del++`, named as in https://facelessuser.github.io/pymdown-extensions/extensions/keys/
import type { MarkdownIt, StateInline } from "markdown-it";
import { hasExtension } from "./mkdocs-extensions.ts";

export function addKeys({ inline }: MarkdownIt): void {
  inline.ruler.before("paired_marks", "keys", readKeys);
}

const KEYS = /\+\+((?:[\w-]{1,30}|"[^"\n]{1,40}")(?:\+(?:[\w-]{1,30}|"[^"\n]{1,40}")){0,9})\+\+/y;
/** The labels of keys, by name. The label of any other key consists of the words in its name. */
const NAMES = new Map(
  Object.entries({
    Ctrl: "ctrl control",
    Cmd: "cmd command",
    Win: "win windows",
    Option: "opt",
    Fn: "function",
    AltGr: "altgr alt-graph altgraph",
    Del: "del delete",
    Ins: "ins insert",
    Esc: "esc escape",
    Enter: "return",
    Backspace: "back bksp",
    Space: "spc",
    Tab: "tabulator",
    Menu: "apps context-menu",
    "Caps Lock": "capslock caps-lock capital cplk",
    "Num Lock": "numlock numlk",
    "Scroll Lock": "scroll",
    "Print Screen": "prtsc",
    "Page Up": "pageup page-up pg-up prior",
    "Page Down": "pagedown page-down page-dn pg-dn next",
    "↑": "up arrow-up",
    "↓": "down arrow-down",
    "←": "left arrow-left",
    "→": "right arrow-right",
    "\\": "backslash",
    "/": "slash",
    "|": "bar pipe",
    "{": "brace-left open-brace",
    "}": "brace-right close-brace",
    "[": "bracket-left open-bracket",
    "]": "bracket-right close-bracket",
    ":": "colon",
    ";": "semicolon",
    ",": "comma",
    ".": "period",
    "'": "single-quote",
    '"': "double-quote dblquote",
    "=": "equal",
    "!": "exclam exclamation",
    "?": "question question-mark",
    "`": "grave grave-accent",
    "<": "less less-than lt",
    ">": "greater greater-than gt",
    "-": "minus hyphen",
    "+": "plus",
    "~": "tilde",
    _: "underscore",
  }).flatMap(([shown, names]) => names.split(" ").map((name) => [name, shown] as const)),
);
const SIDED = /^(?:(l)|r)(?:eft-|ight-)?(alt|button|cmd|command|control|ctrl|meta|opt|option|shift|super|win|windows)$/;

function readKeys(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== "+" || !hasExtension(state, "pymdownx.keys")) return false;
  KEYS.lastIndex = state.pos;
  const keys = KEYS.exec(state.src)?.[1];
  if (keys === undefined || KEYS.lastIndex > state.posMax) return false;
  const end = KEYS.lastIndex;
  if (!isSilent) {
    for (const [index, [key]] of Array.from(keys.matchAll(/"[^"]*"|[^+]+/g)).entries()) {
      if (index > 0) state.push("text", "", 0).content = "+";
      state.push("kbd_open", "kbd", 1);
      state.push("text", "", 0).content = key.startsWith('"') ? key.slice(1, -1) : nameKey(key.toLowerCase());
      state.push("kbd_close", "kbd", -1);
    }
  }
  state.pos = end;
  return true;
}

function nameKey(name: string): string {
  const [sided, isLeft, key = ""] = SIDED.exec(name) ?? [];
  if (sided !== undefined) return `${isLeft === undefined ? "Right" : "Left"} ${nameKey(key)}`;
  const [number] = /(?<=^num-?)(?:\d|delete|equal|minus|plus|slash)$/.exec(name) ?? [];
  if (number !== undefined) return `Num ${nameKey(number)}`;
  return NAMES.get(name) ?? name.replaceAll("-", " ").replace(/(?<![a-z\d])[a-z]/g, (letter) => letter.toUpperCase());
}
