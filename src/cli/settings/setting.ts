// What an entry in the tables of settings says.
import { InvalidArgumentError } from "commander";

/** The choices of a setting that is on or off. */
export const SWITCH = ["on", "off"];

/** A setting: a flag, and a variable of the environment. */
export interface Setting<T> {
  /** The long flag's name, in kebab-case; the environment variable is `LECTERN_` and the same in upper case. */
  flag: string;
  placeholder: string;
  description: string;
  default?: T;
  /** All values that it takes, where they are few. */
  choices?: string[];
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

/** On or off, as a boolean. Throws InvalidArgumentError. */
export function parseSwitch(text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw new InvalidArgumentError("Expected on or off.");
}
