// Renders MyST's boxes: folded parts, cards, figures and captions.
import type { Token } from "markdown-it";
import { isOn, toId, toUrl } from "./myst-names.ts";
import type { Directive } from "./myst-syntax.ts";
import type { Attributes, MystTokens } from "./myst-tokens.ts";

export class MystBoxes {
  readonly #tokens: MystTokens;
  readonly #parse: (directive: Directive) => Token[];

  constructor(tokens: MystTokens, parse: (directive: Directive) => Token[]) {
    this.#tokens = tokens;
    this.#parse = parse;
  }

  showBox(
    directive: Directive,
    attributes: Attributes,
    title?: [className: string, text: string],
    tag = "div",
    within = this.#parse(directive),
  ): Token[] {
    const { token } = directive;
    const heading = title === undefined || title[1] === "" ? [] : this.#tokens.createText("p", title[1], token);
    heading[0]?.attrPush(["class", title?.[0] ?? ""]);
    return this.#tokens.wrap(tag, attributes, [...heading, ...within], token);
  }

  showDetails(directive: Directive, title: string, within = this.#parse(directive)): Token[] {
    const { token, options } = directive;
    const attributes: Attributes = isOn(options, "open") || isOn(options, "show") ? [["open", ""]] : [];
    const summary = this.#tokens.createText("summary", title, token);
    return this.#tokens.wrap("details", [...toId(options), ...attributes], [...summary, ...within], token);
  }

  showCard(directive: Directive): Token[] {
    const { argument, options, body, token } = directive;
    const url = toUrl(options.get("link") ?? "");
    const link = url !== "" && options.get("link-type") === "ref" ? `#${url}` : url;
    const title = link === "" || argument === "" ? argument : `[${argument}](<${link}>)`;
    const source = options.get("img-top") ?? options.get("img-background") ?? options.get("img-bottom");
    const about = new Map([["alt", options.get("img-alt") ?? ""]]);
    const image =
      source === undefined ? [] : [this.#tokens.createImage({ ...directive, argument: source, options: about })];
    const showText = (text = ""): Token[] => (text === "" ? [] : this.#tokens.createText("p", text, token));
    // A line of carets ends a card's header. The line of plus signs that begins its footer is dropped as a break.
    const within = [
      ...image,
      ...showText(options.get("header")),
      ...this.#parse({ ...directive, body: body.replace(/^\^{3,}[ \t]*$/gm, "") }),
      ...showText(options.get("footer")),
      ...showText(link !== "" && argument === "" ? `[${/^https?:/.test(link) ? link : ""}](<${link}>)` : ""),
    ];
    return this.showBox(directive, [["class", "card"]], ["card-title", title], "div", within);
  }

  /** Renders a directive of sphinx-panels, in which lines of dashes separate cards. */
  showPanels(directive: Directive): Token[] {
    const cards = directive.body.split(/^-{3,}[ \t]*$/gm);
    let { line } = directive;
    return cards.flatMap((written) => {
      const body = written.replace(/^\s*(?::[\w-]+:.*\n)+/, "");
      const shown = this.showCard({ ...directive, argument: "", options: new Map(), body, line });
      line += written.split("\n").length - 1;
      return shown;
    });
  }

  showFigure(directive: Directive): Token[] {
    const { argument, options, token, body } = directive;
    const within = body.trim() === "" ? [] : this.#parse(directive);
    // A figure without an image of its own shows its body, such as other images.
    if (argument === "") return this.#tokens.wrap("figure", toId(options), within, token);
    const image = this.#tokens.createImage(directive);
    const caption = within.length === 0 ? [] : this.#tokens.wrap("figcaption", [], within, token);
    return this.#tokens.wrap("figure", toId(options), [image, ...caption], token);
  }

  showVideo(directive: Directive, site: string): Token[] {
    const { argument, token } = directive;
    if (/\.(?:mp4|webm|ogv|mov)$/i.test(argument)) return this.showFigure(directive);
    const url = toUrl(`${site}${argument}`);
    return [...this.#tokens.createText("p", `[${url}](<${url}>)`, token), ...this.#parse(directive)];
  }

  caption(directive: Directive, caption: string, within: Token[]): Token[] {
    const { token, options } = directive;
    if (caption === "") return this.label(directive, within);
    const text = this.#tokens.createText("p", caption, token);
    const figcaption = this.#tokens.wrap("figcaption", [], text, token);
    return this.#tokens.wrap("figure", toId(options), [...within, ...figcaption], token);
  }

  /** Adds the target for links to the directive's label. */
  label({ options, token }: Directive, tokens: Token[]): Token[] {
    const [[, label] = []] = toId(options);
    return label === undefined ? tokens : [this.#tokens.createLabel(label, token), ...tokens];
  }
}
