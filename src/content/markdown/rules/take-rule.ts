import type { Ruler } from "markdown-it";

/** A rule of the parser, which does not hand one out by its name: this one is what is gone when it is disabled. */
export function takeRule<Args extends unknown[], Result>(
  ruler: Ruler<Args, Result>,
  name: string,
): (...args: Args) => Result {
  const rules = ruler.getRules("");
  ruler.disable(name);
  const others = new Set(ruler.getRules(""));
  ruler.enable(name);
  const rule = rules.find((each) => !others.has(each));
  if (rule === undefined) throw new Error(`the Markdown parser has no rule ${name}`);
  return rule;
}
