// What directives of MyST become: https://mystmd.org/guide/directives
import type { StateCore, Token } from "markdown-it";
import { environmentOf } from "../../markdown/markdown-environment.ts";
import { findCalloutKind, titleCallout } from "../../markdown/rules/callouts.ts";
import { cutText } from "../../quote.ts";
import { tellsAnswers } from "../../quiz/answers.ts";

/** Directives in each other; a deeper one is shown as code. */
const MAX_DEPTH = 20;

/** Shows the fences of a text that are directives. */
export function showDirectives(state: StateCore): void {
  state.tokens = new Directives(state).show(state.tokens, 0);
}

interface Directive {
  name: string;
  argument: string;
  options: Map<string, string>;
  body: string;
  /** Of the body, from 0. */
  line: number;
  token: Token;
  depth: number;
}

class Directives {
  readonly #state: StateCore;
  #questions = 0;

  constructor(state: StateCore) {
    this.#state = state;
  }

  show(tokens: Token[], depth: number): Token[] {
    const shown = tokens.flatMap((token) => {
      const directive = token.type === "fence" && depth < MAX_DEPTH ? readDirective(token, depth) : undefined;
      return directive === undefined ? [token] : this.#showOne(directive);
    });
    if (depth === 0) this.#tellQuestions();
    return shown;
  }

  #showOne(directive: Directive): Token[] {
    const { name, argument, options, body, token } = directive;
    const callout = ADMONITIONS[name];
    if (callout !== undefined) return this.#showCallout(directive, callout);
    switch (name) {
      case "math":
        return [this.#create("math_block", "", 0, token, `${argument}\n${body}`.trim())];
      case "code":
      case "code-block":
      case "code-cell":
      case "sourcecode":
        return [
          Object.assign(token, { info: argument.replace(/^ipython\d?$/, "python"), content: body, markup: "```" }),
        ];
      case "figure":
      case "image":
        return this.#showFigure(directive);
      case "dropdown":
      case "details":
        return this.#showDetails(directive, argument || "Details");
      case "tab-set":
        return this.#showBox(directive, [["class", "options"]]);
      case "tab-item":
        return this.#showBox(
          directive,
          [
            ["class", "option"],
            ["data-option", argument],
          ],
          ["option-title", argument],
        );
      case "grid":
      case "card-deck":
        return this.#parse(directive);
      case "solution":
      case "solution-start":
        return this.#showSolution(directive);
      case "exercise":
        return this.#showCallout({ ...directive, argument: argument || "Exercise" }, "exercise");
      case "tableofcontents":
      case "toctree":
      case "contents":
        return [];
      default: {
        this.#tell(`directive {${cutText(name, 40)}} is not carried out`, token);
        return options.size + body.length === 0 ? [] : this.#parse(directive);
      }
    }
  }

  #showCallout(directive: Directive, kind: string): Token[] {
    const { name, argument, options } = directive;
    const isFolded = /\bdropdown\b/.test(options.get("class") ?? "");
    const known = findCalloutKind(kind);
    const title =
      argument || (known === undefined ? toTitle(name) : titleCallout(known, environmentOf(this.#state).language));
    if (isFolded) return this.#showDetails(directive, title);
    const label = options.get("name") ?? options.get("label");
    const attributes: [string, string][] = [
      ["class", "callout"],
      ["data-callout", kind],
    ];
    if (label !== undefined) attributes.push(["id", label]);
    return this.#showBox(directive, attributes, ["callout-title", title], "aside");
  }

  #showBox(
    directive: Directive,
    attributes: [name: string, value: string][],
    title?: [className: string, text: string],
    tag = "div",
  ): Token[] {
    const { token } = directive;
    const opening = this.#create("container_open", tag, 1, token);
    opening.attrs = attributes;
    const heading = title === undefined ? [] : this.#createText("p", title[1], token);
    heading[0]?.attrPush(["class", title?.[0] ?? ""]);
    return [opening, ...heading, ...this.#parse(directive), this.#create("container_close", tag, -1, token)];
  }

  #showDetails(directive: Directive, title: string): Token[] {
    const { token, options } = directive;
    const opening = this.#create("container_open", "details", 1, token);
    if (options.has("open")) opening.attrPush(["open", ""]);
    return [
      opening,
      ...this.#createText("summary", title, token),
      ...this.#parse(directive),
      this.#create("container_close", "details", -1, token),
    ];
  }

  #showFigure(directive: Directive): Token[] {
    const { argument, options, token, body } = directive;
    const label = options.get("name") ?? options.get("label");
    const alt = (options.get("alt") ?? "").replace(/[[\]\\]/g, "\\$&");
    const image = this.#createText("", `![${alt}](<${argument.replace(/[<>\n]/g, "")}>)`, token)[1];
    const opening = this.#create("container_open", "figure", 1, token);
    if (label !== undefined) opening.attrPush(["id", label]);
    const caption =
      body.trim() === ""
        ? []
        : [
            this.#create("container_open", "figcaption", 1, token),
            ...this.#parse(directive),
            this.#create("container_close", "figcaption", -1, token),
          ];
    return [opening, image, ...caption, this.#create("container_close", "figure", -1, token)];
  }

  // The author's answer to an exercise.
  #showSolution(directive: Directive): Token[] {
    this.#questions++;
    return this.#tellsAnswers ? this.#showDetails(directive, "Solution") : [];
  }

  get #tellsAnswers(): boolean {
    return tellsAnswers(environmentOf(this.#state).answers ?? "self-check", "question");
  }

  #tellQuestions(): void {
    if (this.#questions === 0) return;
    const answers = { kind: "question", count: this.#questions, isTold: this.#tellsAnswers } as const;
    environmentOf(this.#state).remarks?.push({ line: 1, kind: "counted", message: "has solutions", answers });
  }

  #parse({ body, line, token, depth }: Directive): Token[] {
    const { md, env } = this.#state;
    const inner: Token[] = [];
    md.block.parse(body, md, env, inner);
    for (const each of inner) {
      each.level += token.level + 1;
      if (each.map !== null) each.map = [each.map[0] + line, each.map[1] + line];
    }
    return this.show(inner, depth + 1);
  }

  #create(type: string, tag: string, nesting: -1 | 0 | 1, { map, level }: Token, content = ""): Token {
    return Object.assign(new this.#state.Token(type, tag, nesting), { block: true, map, level, content });
  }

  #createText(tag: string, content: string, near: Token): [Token, Token, Token] {
    const inline = Object.assign(this.#create("inline", "", 0, near, content), { children: [] });
    return [this.#create(`${tag}_open`, tag, 1, near), inline, this.#create(`${tag}_close`, tag, -1, near)];
  }

  #tell(message: string, { map }: Token): void {
    environmentOf(this.#state).remarks?.push({ line: (map?.[0] ?? 0) + 1, kind: "dropped-component", message });
  }
}

/** What directives are callouts, and of which kind. */
const ADMONITIONS: Record<string, string> = {
  admonition: "note",
  attention: "warning",
  caution: "caution",
  danger: "caution",
  error: "caution",
  hint: "tip",
  important: "important",
  note: "note",
  seealso: "note",
  tip: "tip",
  warning: "warning",
  topic: "note",
  margin: "note",
  sidebar: "note",
  "prf:theorem": "theorem",
  "prf:proof": "proof",
  "prf:definition": "definition",
  "prf:example": "example",
};

const toTitle = (name: string): string => {
  const word = name.replace(/^.*:/, "");
  return word.charAt(0).toUpperCase() + word.slice(1);
};

const INFO = /^\{([\w:+.-]{1,60})\}[ \t]*(.*)$/s;

function readDirective(token: Token, depth: number): Directive | undefined {
  const [, name, argument = ""] = INFO.exec(token.info.trim()) ?? [];
  if (name === undefined) return undefined;
  const lines = token.content.split("\n");
  const options = new Map<string, string>();
  let start = 0;
  const isBlock = lines[0]?.trim() === "---";
  for (let index = isBlock ? 1 : 0; index < lines.length; index++) {
    const line = lines[index]?.trim() ?? "";
    if (isBlock && line === "---") {
      start = index + 1;
      break;
    }
    const [, key, value = ""] = (isBlock ? /^([\w-]+):[ \t]*(.*)$/ : /^:([\w-]+):[ \t]*(.*)$/).exec(line) ?? [];
    if (key !== undefined) options.set(key, value);
    else if (!isBlock) break;
    if (!isBlock) start = index + 1;
  }
  const body = lines.slice(start).join("\n");
  const line = (token.map?.[0] ?? 0) + 1 + start;
  return { name: name.toLowerCase(), argument: argument.trim(), options, body, line, token, depth };
}
