// What an entry in the tables of settings says, and the parsers that several share.
import { InvalidArgumentError } from "commander";

/** A setting: a flag, and a variable of the environment. */
export interface Setting<T> {
  placeholder: string;
  description: string;
  default?: T;
  /** All values that it takes, where they are few. */
  choices?: readonly string[];
  /** Throws InvalidArgumentError with what is expected. */
  parse: (text: string) => T;
}

/** A setting that always has a value. */
export interface SettingWithDefault<T> extends Setting<T> {
  default: T;
}

/** Gives an entry of a table the type of its value. */
export function define<T>(setting: SettingWithDefault<T>): SettingWithDefault<T>;
export function define<T>(setting: Setting<T>): Setting<T>;
export function define<T>(setting: Setting<T>): Setting<T> {
  return setting;
}

/** An entry with one of a few words as its value. */
export function defineChoice<T extends string>(
  setting: Omit<SettingWithDefault<T>, "choices" | "parse"> & { choices: readonly T[] },
): SettingWithDefault<T> {
  const parse = (text: string): T => {
    const found = setting.choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`Expected one of ${setting.choices.join(", ")}.`);
  };
  return { ...setting, parse };
}

/** An entry that is on or off. */
export function defineSwitch(setting: Omit<SettingWithDefault<boolean>, "choices" | "parse" | "placeholder">) {
  const { parse } = defineChoice({ ...setting, placeholder: "ON", default: "on", choices: ["on", "off"] });
  return { ...setting, placeholder: "ON", choices: ["on", "off"], parse: (text: string) => parse(text) === "on" };
}

/** What a setting with a whole number says of its value. `what` is what it counts. */
export function whole(placeholder: string, what: string, least: number, most: number) {
  const parse = (text: string): number => {
    const number = Number(text);
    if (/^(0|[1-9]\d{0,8})$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Expected ${what}, ${least} to ${most}.`);
  };
  return { placeholder, parse };
}
