// Creates tokens for MyST directives.
import type { StateCore, Token } from "markdown-it";
import { countNode, environmentOf } from "../../markdown/markdown-environment.ts";
import type { Directive } from "./myst-syntax.ts";

export type Attributes = [name: string, value: string][];

export class MystTokens {
  readonly #state: StateCore;

  constructor(state: StateCore) {
    this.#state = state;
  }

  create(type: string, tag: string, nesting: -1 | 0 | 1, { map, level }: Token, content = ""): Token {
    countNode(environmentOf(this.#state));
    return Object.assign(new this.#state.Token(type, tag, nesting), { block: true, map, level, content });
  }

  createText(tag: string, content: string, near: Token): [Token, Token, Token] {
    const inline = Object.assign(this.create("inline", "", 0, near, content), { children: [] });
    return [this.create(`${tag}_open`, tag, 1, near), inline, this.create(`${tag}_close`, tag, -1, near)];
  }

  /** Creates the target of links to a label. */
  createLabel(label: string, near: Token): Token {
    const token = this.create("html_block", "", 0, near, `<a id="${this.#state.md.utils.escapeHtml(label)}"></a>\n`);
    token.meta = { label };
    return token;
  }

  wrap(tag: string, attributes: Attributes, within: Token[], near: Token): Token[] {
    const opening = this.create("container_open", tag, 1, near);
    opening.attrs = attributes.map(([name, value]) => [name, value]);
    return [opening, ...within, this.create("container_close", tag, -1, near)];
  }

  /** Creates a directive's image, with its width and height. */
  createImage({ argument, options, token }: Directive): Token {
    const { md } = this.#state;
    const url = md.normalizeLink(argument);
    const inline = Object.assign(this.create("inline", "", 0, token), { children: [] as Token[] });
    if (!md.validateLink(url)) return Object.assign(inline, { content: argument });
    const image = new this.#state.Token("image", "img", 0);
    const description = new this.#state.Token("text", "", 0);
    description.content = options.get("alt") ?? "";
    image.children = [description];
    image.content = description.content;
    image.map = [0, 0];
    image.attrs = [
      ["src", url],
      ["alt", ""],
    ];
    for (const side of ["width", "height"] as const) {
      const [, pixels, percent] = /^(?:(\d{1,5})(?:px)?|(\d{1,3}%))$/.exec(options.get(side)?.trim() ?? "") ?? [];
      if (pixels !== undefined || (percent !== undefined && side === "width"))
        image.attrs.push([side, pixels ?? percent ?? ""]);
    }
    inline.children.push(image);
    return inline;
  }

  /** Parses part of the page's text, or an included text, which begins at `line`, counted from 0. */
  parse(text: string, line: number, { level }: Token): Token[] {
    const { md, env } = this.#state;
    const inner: Token[] = [];
    md.block.parse(text, md, env, inner);
    for (const each of inner) {
      each.level += level + 1;
      if (each.map !== null) each.map = [each.map[0] + line, each.map[1] + line];
    }
    return inner;
  }
}
