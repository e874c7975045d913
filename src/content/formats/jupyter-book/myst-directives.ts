// Renders MyST directives: https://mystmd.org/guide/directives
import type { StateCore, Token } from "markdown-it";
import { environmentOf } from "../../markdown/markdown-environment.ts";
import { findCalloutKind, titleCallout } from "../../markdown/rules/callouts.ts";
import { cutText } from "../../quote.ts";
import type { ProblemKind } from "../../problem-kinds.ts";
import { publishesAnswers } from "../../quiz/answers.ts";
import { MystBoxes } from "./myst-boxes.ts";
import { readCodeCell, readHidden } from "./myst-cells.ts";
import { readInclude } from "./myst-files.ts";
import {
  ADMONITIONS,
  ALIASES,
  CALLOUT,
  CODES,
  isOn,
  SILENT,
  toCallout,
  toClass,
  toOption,
  toTitle,
  toUrl,
  VERSIONS,
  VIDEOS,
} from "./myst-names.ts";
import { readDirective, readGate, readTitle, type Directive } from "./myst-syntax.ts";
import { showCsvTable, showListTable } from "./myst-tables.ts";
import { MystTokens } from "./myst-tokens.ts";

/** The maximum depth of directives. */
const MAX_DEPTH = 20;

/** Replaces the fences of directives with the content that the directives show. */
export function showDirectives(state: StateCore): void {
  state.tokens = new Directives(state).show(state.tokens, 0);
}

class Directives {
  readonly #state: StateCore;
  readonly #tokens: MystTokens;
  readonly #boxes: MystBoxes;
  #questions = 0;

  constructor(state: StateCore) {
    this.#state = state;
    this.#tokens = new MystTokens(state);
    this.#boxes = new MystBoxes(this.#tokens, (directive) => this.#parse(directive));
  }

  show(tokens: Token[], depth: number): Token[] {
    // Not `push(...list)`: a list can exceed the maximum number of arguments.
    const shown: Token[][] = [];
    for (let index = 0; index < tokens.length; index++) {
      const token = tokens[index] as Token;
      const isText = environmentOf(this.#state).cells === undefined;
      const hidden = isText ? readHidden(tokens, index, this.#publishesAnswers) : undefined;
      if (hidden?.isAnswer === true) this.#questions++;
      if (hidden !== undefined && hidden.end > index) {
        index = hidden.end - 1;
        continue;
      }
      if (token.type === "myst_break") continue;
      const read = token.type === "fence" ? readDirective(token, depth) : undefined;
      const isTooDeep = read !== undefined && depth >= MAX_DEPTH;
      if (isTooDeep) this.#report(`directives can be nested at most ${MAX_DEPTH} deep`, token, "too-large");
      const directive = isTooDeep ? undefined : read;
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
    const { argument, options, body, token } = directive;
    const name = ALIASES[directive.name] ?? directive.name;
    const callout = ADMONITIONS[name];
    if (callout !== undefined) return this.#showCallout(directive, callout);
    if (SILENT.has(name)) return [];
    if (/^(?:prf|proof):[a-z]+$/.test(name)) return this.#showNamed(directive, name.replace(/^.*:/, ""));
    if (name.startsWith("glue:")) return this.#showGlued(directive);
    if (name.startsWith("raw:")) return this.#showRaw({ ...directive, argument: name.slice(4) });
    const language = CODES[name];
    if (language !== undefined) return this.#showCode(directive, language);
    const video = VIDEOS[name];
    if (video !== undefined) return this.#boxes.showVideo(directive, video);
    switch (name) {
      case "math":
        return this.#boxes.label(directive, [
          this.#tokens.create("math_block", "", 0, token, `${argument}\n${body}`.trim()),
        ]);
      case "code-cell":
        return this.#showCell(directive);
      case "code":
        return this.#showCode(directive, toLanguage(argument));
      case "code-tab":
        return this.#boxes.showBox(
          directive,
          toOption(toTabTitle(argument)),
          ["option-title", toTabTitle(argument)],
          "div",
          this.#showCode(directive, argument.split(/\s/)[0] ?? ""),
        );
      case "tab-set-code":
        return this.#boxes.showBox(directive, [["class", "options"]], undefined, "div", this.#showCodeTabs(directive));
      case "figure":
      case "image":
        return this.#boxes.showFigure(directive);
      case "figure-md":
        return this.#boxes.showBox(directive, argument === "" ? [] : [["id", argument]], undefined, "figure");
      case "table":
        return this.#boxes.caption(directive, argument, this.#parse(directive));
      case "list-table":
        return this.#boxes.caption(directive, argument, showListTable(this.#parse(directive), options));
      case "csv-table":
        if (options.has("file") || options.has("url")) this.#report("the file of a {csv-table} is left out", token);
        return this.#boxes.caption(directive, argument, showCsvTable(directive, this.#tokens));
      case "dropdown":
        return this.#boxes.showDetails(directive, argument || "Details");
      case "tab-set":
        return this.#boxes.showBox(directive, [["class", "options"]]);
      case "tab-item":
        return this.#boxes.showBox(directive, toOption(argument), ["option-title", argument]);
      case "grid":
      case "grid-item":
        return this.#parse(directive);
      case "glossary":
        // Sphinx indents a term's definition; a Markdown definition begins with a colon.
        return this.#parse({ ...directive, body: body.replace(/^(\S.*)\n[ \t]+(?=[^\s:])/gm, "$1\n: ") });
      case "panels":
        return this.#boxes.showPanels(directive);
      case "grid-item-card":
      case "card":
        return this.#boxes.showCard(directive);
      case "button-link": {
        const text = body.trim();
        const isLine = !text.includes("\n");
        const isLabel = /^ref$/.test(options.get("ref-type") ?? options.get("type") ?? "");
        const shown = (isLine ? text : "") || options.get("text") || argument;
        const link = `[${shown}](<${isLabel ? "#" : ""}${toUrl(argument)}>)`;
        return [...(isLine ? [] : this.#parse(directive)), ...this.#tokens.createText("p", link, token)];
      }
      case "div":
        return this.#boxes.showBox(directive, toClass(directive));
      case "aside":
        return this.#boxes.showBox(directive, CALLOUT, ["callout-title", argument], "aside");
      case "blockquote":
        return this.#boxes.showBox(directive, [], undefined, "blockquote");
      case "rubric":
      case "centered":
        return this.#tokens.createText("p", `**${argument}**`, token);
      case "versionadded":
      case "versionchanged":
      case "deprecated":
        return this.#boxes.showBox(directive, CALLOUT, ["callout-title", `${VERSIONS[name]} ${argument}`], "aside");
      case "raw":
        return this.#showRaw(directive);
      case "include":
      case "literalinclude":
        return this.#showFile({ ...directive, name });
      case "raw-cell":
        return this.#showRaw({ ...directive, argument: (options.get("raw_mimetype") ?? "").replace("text/", "") });
      case "only":
        return /\bhtml\b/.test(argument) ? this.#parse(directive) : this.#showRaw(directive);
      case "eval-rst":
        return this.#showRaw({ ...directive, argument: "reStructuredText" });
      case "solution":
        return this.#showSolution(directive, this.#parse(directive));
      case "exercise":
        return this.#showNamed(directive, "exercise");
      default: {
        this.#report(`directive {${cutText(name, 40)}} is not supported`, token);
        return options.size + body.length === 0 ? [] : this.#parse(directive);
      }
    }
  }

  /** Renders the content between two directives such as `{exercise-start}` and `{exercise-end}`. */
  #showGate(directive: Directive, within: Token[]): Token[] {
    const shown = [...this.#parse(directive), ...this.show(within, directive.depth + 1)];
    if (directive.name === "solution-start") return this.#showSolution(directive, shown);
    return this.#showNamed(directive, "exercise", shown);
  }

  #showCallout(directive: Directive, kind: string): Token[] {
    const { name, options } = directive;
    const { argument, body } = readTitle(directive);
    const within = this.#parse({ ...directive, body });
    const classes = (options.get("class") ?? "").split(/[\s,]+/);
    const known = findCalloutKind(kind);
    // A generic admonition takes its kind from its class.
    const meant = name === "admonition" ? (classes.map((each) => ADMONITIONS[each]).find(Boolean) ?? kind) : kind;
    const own = known === undefined || name !== known ? toTitle(name) : undefined;
    const title = argument || (own ?? titleCallout(known ?? "note", environmentOf(this.#state).language));
    if (classes.includes("dropdown")) return this.#boxes.showDetails(directive, title, within);
    return this.#boxes.showBox(directive, toCallout(directive, meant), ["callout-title", title], "aside", within);
  }

  /** Shows a box with its kind before its title: `Theorem (Warmth)`. */
  #showNamed(directive: Directive, kind: string, within?: Token[]): Token[] {
    const { argument, options } = directive;
    if (isOn(options, "hidden")) return [];
    const title = argument === "" ? toTitle(kind) : `${toTitle(kind)} (${argument})`;
    if (/\bdropdown\b/.test(options.get("class") ?? "")) return this.#boxes.showDetails(directive, title, within);
    return this.#boxes.showBox(directive, toCallout(directive, kind), ["callout-title", title], "aside", within);
  }

  #showCodeTabs({ body, line, token, depth }: Directive): Token[] {
    return this.#tokens.parse(body, line, token).flatMap((fence) => {
      const tab = fence.type === "fence" ? readDirective(fence, depth + 1) : undefined;
      const title = tab?.argument || tab?.options.get("language") || fence.info;
      const shown = this.show([fence], depth + 1);
      if (shown.length === 0 || fence.type !== "fence") return shown;
      const heading = this.#tokens.createText("p", title, token);
      heading[0].attrPush(["class", "option-title"]);
      return this.#tokens.wrap("div", toOption(title), [...heading, ...shown], token);
    });
  }

  /** Shows a code cell of a notebook that is in text form. */
  #showCell(directive: Directive): Token[] {
    const { tags, isAnswer, lines, published } = readCodeCell(directive);
    if (tags.has("remove-cell") || tags.has("remove-input")) return [];
    if (isAnswer) this.#questions++;
    const body = (isAnswer && !this.#publishesAnswers ? published : lines).join("\n");
    if (isAnswer && body.trim() === "") return [];
    const code = this.#showCode({ ...directive, body }, toLanguage(directive.argument));
    if (!tags.has("hide-input") && !tags.has("hide-cell")) return code;
    return this.#boxes.showDetails({ ...directive, options: new Map() }, "Code", code);
  }

  #showCode(directive: Directive, language: string): Token[] {
    const { token, body, options } = directive;
    const caption = options.get("caption") ?? options.get("filename") ?? "";
    const code = Object.assign(token, { info: language, content: body, markup: "```" });
    return caption === "" ? this.#boxes.label(directive, [code]) : this.#boxes.caption(directive, caption, [code]);
  }

  #showFile(directive: Directive): Token[] {
    const { name, argument, token, depth } = directive;
    const read = readInclude(directive, environmentOf(this.#state).reading, this.#publishesAnswers);
    const { fault, body, line = 0, language } = read;
    const kind = read.isTooLarge === true ? "too-large" : "dropped-component";
    if (fault !== undefined) this.#report(`{${name}} "${cutText(argument)}" ${fault}`, token, kind);
    if (body === undefined) return [];
    if (language !== undefined) return this.#showCode({ ...directive, body }, language);
    return read.within(() => this.show(this.#tokens.parse(body, line, token), depth + 1));
  }

  /** Shows only the caption of a value that MyST-NB would paste. */
  #showGlued(directive: Directive): Token[] {
    this.#report(
      `the value of "${cutText(directive.argument, 40)}" is left out: imports do not run code`,
      directive.token,
    );
    return directive.body.trim() === "" ? [] : this.#boxes.showFigure({ ...directive, argument: "" });
  }

  #showRaw({ argument, body, token }: Directive): Token[] {
    if (argument === "html") return [this.#tokens.create("html_block", "", 0, token, `${body.trimEnd()}\n`)];
    this.#report(`raw text for ${cutText(argument, 40) || "another program"} is left out`, token);
    return [];
  }

  // Shows the author's answer to an exercise.
  #showSolution(directive: Directive, within: Token[]): Token[] {
    if (isOn(directive.options, "hidden")) return [];
    this.#questions++;
    return this.#publishesAnswers ? this.#boxes.showDetails(directive, "Solution", within) : [];
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

  #report(message: string, { map }: Token, kind: ProblemKind = "dropped-component"): void {
    environmentOf(this.#state).remarks?.push({ line: (map?.[0] ?? 0) + 1, kind, message });
  }
}

const toLanguage = (name: string): string => name.replace(/^i?python\d?$/, "python");
const toTabTitle = (argument: string): string => /^\S+\s+(.+)$/s.exec(argument)?.[1] ?? argument;
