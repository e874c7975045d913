// Renders MyST directives: https://mystmd.org/guide/directives
import type { StateCore, Token } from "markdown-it";
import { environmentOf } from "../../markdown/markdown-environment.ts";
import { findCalloutKind, titleCallout } from "../../markdown/rules/callouts.ts";
import { cutText } from "../../quote.ts";
import { publishesAnswers } from "../../quiz/answers.ts";
import { readDirective, readGate, type Directive } from "./myst-syntax.ts";
import { showCsvTable, showListTable } from "./myst-tables.ts";
import { MystTokens, type Attributes } from "./myst-tokens.ts";

/** Deeper directives are shown as code. */
const MAX_DEPTH = 20;

/** Replaces the directive fences of a text. */
export function showDirectives(state: StateCore): void {
  state.tokens = new Directives(state).show(state.tokens, 0);
}

class Directives {
  readonly #state: StateCore;
  readonly #tokens: MystTokens;
  #questions = 0;

  constructor(state: StateCore) {
    this.#state = state;
    this.#tokens = new MystTokens(state);
  }

  show(tokens: Token[], depth: number): Token[] {
    // Not `push(...list)`: a list may exceed the limit of arguments.
    const shown: Token[][] = [];
    for (let index = 0; index < tokens.length; index++) {
      const token = tokens[index] as Token;
      const directive = token.type === "fence" && depth < MAX_DEPTH ? readDirective(token, depth) : undefined;
      if (directive === undefined) {
        shown.push([token]);
        continue;
      }
      const gate = readGate(directive, tokens, index);
      if (gate === undefined) {
        shown.push(this.#showOne(directive));
        continue;
      }
      shown.push(this.#showGate(directive, tokens.slice(index + 1, gate.end)));
      index = gate.last;
    }
    if (depth === 0) this.#reportQuestions();
    return shown.flat();
  }

  #showOne(directive: Directive): Token[] {
    const { name, argument, options, body, token } = directive;
    const callout = ADMONITIONS[name];
    if (callout !== undefined) return this.#showCallout(directive, callout);
    if (/^(?:prf|proof):[a-z]+$/.test(name)) return this.#showNamed(directive, name.replace(/^.*:/, ""));
    switch (name) {
      case "math":
        return this.#label(directive, [this.#tokens.create("math_block", "", 0, token, `${argument}\n${body}`.trim())]);
      case "code":
      case "code-block":
      case "code-cell":
      case "sourcecode":
        return this.#showCode(directive, argument.replace(/^ipython\d?$/, "python"));
      case "mermaid":
        return this.#showCode(directive, "mermaid");
      case "figure":
      case "image":
        return this.#showFigure(directive);
      case "table":
        return this.#caption(directive, argument, this.#parse(directive));
      case "list-table":
        return this.#caption(directive, argument, showListTable(this.#parse(directive), options));
      case "csv-table":
        return this.#caption(directive, argument, showCsvTable(directive, this.#tokens));
      case "dropdown":
      case "details":
      case "toggle":
        return this.#showDetails(directive, argument || "Details");
      case "tab-set":
        return this.#showBox(directive, [["class", "options"]]);
      case "tab-item":
      case "tab":
        return this.#showBox(directive, toOption(argument), ["option-title", argument]);
      case "grid":
      case "card-deck":
      case "card-carousel":
      case "grid-item":
      case "glossary":
        return this.#parse(directive);
      case "grid-item-card":
      case "card":
        return this.#showCard(directive);
      case "div":
        return this.#showBox(directive, toClass(options));
      case "aside":
      case "margin":
      case "sidebar":
      case "topic":
        return this.#showBox(directive, CALLOUT, ["callout-title", argument], "aside");
      case "epigraph":
      case "pull-quote":
      case "blockquote":
      case "highlights":
        return this.#showBox(directive, [], undefined, "blockquote");
      case "rubric":
        return this.#tokens.createText("p", `**${argument}**`, token);
      case "versionadded":
      case "versionchanged":
      case "deprecated":
        return this.#showBox(directive, CALLOUT, ["callout-title", `${VERSIONS[name]} ${argument}`], "aside");
      case "iframe":
        return this.#tokens.createText("p", `[${argument}](<${argument.replace(/[<>\n]/g, "")}>)`, token);
      case "raw":
        return this.#showRaw(directive);
      case "solution":
        return this.#showSolution(directive, this.#parse(directive));
      case "exercise":
        return this.#showNamed(directive, "exercise");
      case "tableofcontents":
      case "toctree":
      case "contents":
        return [];
      default: {
        this.#report(`directive {${cutText(name, 40)}} is not supported`, token);
        return options.size + body.length === 0 ? [] : this.#parse(directive);
      }
    }
  }

  /** Renders the content between `{exercise-start}` and `{exercise-end}`, which may span notebook cells. */
  #showGate(directive: Directive, within: Token[]): Token[] {
    const shown = this.show(within, directive.depth + 1);
    if (directive.name === "solution-start") return this.#showSolution(directive, shown);
    return this.#showNamed(directive, "exercise", shown);
  }

  #showCallout(directive: Directive, kind: string): Token[] {
    const { name, argument, options } = directive;
    const classes = (options.get("class") ?? "").split(/\s+/);
    const known = findCalloutKind(kind);
    // A generic admonition takes its kind from its class.
    const meant = name === "admonition" ? (classes.map((each) => ADMONITIONS[each]).find(Boolean) ?? kind) : kind;
    const own = known === undefined || name !== known ? toTitle(name) : undefined;
    const title = argument || (own ?? titleCallout(known ?? "note", environmentOf(this.#state).language));
    if (classes.includes("dropdown")) return this.#showDetails(directive, title);
    return this.#showBox(directive, toCallout(directive, meant), ["callout-title", title], "aside");
  }

  /** `Theorem (Warmth)`: the kind prefixes the title. */
  #showNamed(directive: Directive, kind: string, within?: Token[]): Token[] {
    const { argument, options } = directive;
    const title = argument === "" ? toTitle(kind) : `${toTitle(kind)} (${argument})`;
    if (/\bdropdown\b/.test(options.get("class") ?? "")) return this.#showDetails(directive, title, within);
    return this.#showBox(directive, toCallout(directive, kind), ["callout-title", title], "aside", within);
  }

  #showBox(
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

  #showDetails(directive: Directive, title: string, within = this.#parse(directive)): Token[] {
    const { token, options } = directive;
    const attributes: Attributes = options.has("open") && options.get("open") !== "false" ? [["open", ""]] : [];
    const summary = this.#tokens.createText("summary", title, token);
    return this.#tokens.wrap("details", [...toId(options), ...attributes], [...summary, ...within], token);
  }

  #showCard(directive: Directive): Token[] {
    const { argument, options, body } = directive;
    const link = options.get("link")?.replace(/[<>\n]/g, "");
    const title = link === undefined || argument === "" ? argument : `[${argument}](<${link}>)`;
    // In a card, a line of carets ends the header, and a line of plus signs begins the footer.
    const whole = { ...directive, body: body.replace(/^\^{3,}[ \t]*$/gm, "") };
    return this.#showBox(whole, [["class", "card"]], ["card-title", title]);
  }

  #showCode(directive: Directive, language: string): Token[] {
    const { token, body, options } = directive;
    const caption = options.get("caption") ?? "";
    const code = Object.assign(token, { info: language, content: body, markup: "```" });
    return caption === "" ? this.#label(directive, [code]) : this.#caption(directive, caption, [code]);
  }

  #showFigure(directive: Directive): Token[] {
    const { options, token, body } = directive;
    const image = this.#tokens.createImage(directive);
    const within = body.trim() === "" ? [] : this.#parse(directive);
    const caption = within.length === 0 ? [] : this.#tokens.wrap("figcaption", [], within, token);
    return this.#tokens.wrap("figure", toId(options), [image, ...caption], token);
  }

  #caption(directive: Directive, caption: string, within: Token[]): Token[] {
    const { token, options } = directive;
    if (caption === "") return this.#label(directive, within);
    const text = this.#tokens.createText("p", caption, token);
    const figcaption = this.#tokens.wrap("figcaption", [], text, token);
    return this.#tokens.wrap("figure", toId(options), [...within, ...figcaption], token);
  }

  /** Adds the target for links to the label. */
  #label({ options, token }: Directive, tokens: Token[]): Token[] {
    const [[, label] = []] = toId(options);
    return label === undefined ? tokens : [this.#tokens.createLabel(label, token), ...tokens];
  }

  #showRaw({ argument, body, token }: Directive): Token[] {
    if (argument === "html") return [this.#tokens.create("html_block", "", 0, token, `${body.trimEnd()}\n`)];
    this.#report(`raw text for ${cutText(argument, 40) || "another program"} is left out`, token);
    return [];
  }

  // The author's answer to an exercise.
  #showSolution(directive: Directive, within: Token[]): Token[] {
    this.#questions++;
    return this.#publishesAnswers ? this.#showDetails(directive, "Solution", within) : [];
  }

  get #publishesAnswers(): boolean {
    return publishesAnswers(environmentOf(this.#state).answers ?? "self-check", "question");
  }

  #reportQuestions(): void {
    if (this.#questions === 0) return;
    const answers = { kind: "question", count: this.#questions, isTold: this.#publishesAnswers } as const;
    environmentOf(this.#state).remarks?.push({ line: 1, kind: "counted", message: "has solutions", answers });
  }

  #parse({ body, line, token, depth }: Directive): Token[] {
    return this.show(this.#tokens.parse(body, line, token), depth + 1);
  }

  #report(message: string, { map }: Token): void {
    environmentOf(this.#state).remarks?.push({ line: (map?.[0] ?? 0) + 1, kind: "dropped-component", message });
  }
}

/** Callout kinds by directive. */
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
};
const CALLOUT: Attributes = [
  ["class", "callout"],
  ["data-callout", "note"],
];
const VERSIONS: Record<string, string> = {
  versionadded: "Added in version",
  versionchanged: "Changed in version",
  deprecated: "Deprecated since version",
};

const toId = (options: ReadonlyMap<string, string>): Attributes => {
  const label = options.get("name") ?? options.get("label");
  return label === undefined ? [] : [["id", label]];
};
const toClass = (options: ReadonlyMap<string, string>): Attributes => {
  const name = options.get("class");
  return name === undefined ? [] : [["class", name]];
};
const toCallout = ({ options }: Directive, kind: string): Attributes => [
  ["class", "callout"],
  ["data-callout", kind],
  ...toId(options),
];
const toOption = (title: string): Attributes => [
  ["class", "option"],
  ["data-option", title],
];

const toTitle = (name: string): string =>
  name === "seealso" ? "See also" : name.charAt(0).toUpperCase() + name.slice(1);
