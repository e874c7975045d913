// An entry in the tables of settings, and the parsers that several share.
import { InvalidArgumentError } from "commander";

/** A setting: a flag, and a variable of the environment. */
export interface Setting<T> {
  placeholder: string;
  description: string;
  default?: T;
  choices?: readonly string[];
  /** Throws InvalidArgumentError with what is expected. */
  parse: (text: string) => T;
}

export interface SettingWithDefault<T> extends Setting<T> {
  default: T;
}

/** Gives an entry of a table the type of its value. */
export function define<T>(setting: SettingWithDefault<T>): SettingWithDefault<T>;
export function define<T>(setting: Setting<T>): Setting<T>;
export function define<T>(setting: Setting<T>): Setting<T> {
  return setting;
}

/** One of a few words. */
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

/** On or off. */
export function defineSwitch(description: string, value: boolean): SettingWithDefault<boolean> {
  const choices = ["on", "off"];
  const { parse } = defineChoice({ description, placeholder: "ON", default: "on", choices });
  return { description, placeholder: "ON", default: value, choices, parse: (text) => parse(text) === "on" };
}

/** A whole number. */
export function whole(
  placeholder: string,
  least: number,
  most: number,
  value: number,
  description: string,
): SettingWithDefault<number> {
  const parse = (text: string): number => {
    const number = Number(text);
    if (/^(0|[1-9]\d{0,8})$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Expected a whole number, ${least} to ${most}.`);
  };
  return { placeholder, description, default: value, parse };
}

/** A size in MiB. */
export function size(description: string, value: number, least = 1, most = 999_999): SettingWithDefault<number> {
  return whole("MIB", least, most, value, `${description}, in MiB`);
}
