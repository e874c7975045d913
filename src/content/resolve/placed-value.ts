import type { Location } from "../source.ts";

/** An author's value with its location. The value of an empty field is undefined. */
export interface PlacedValue {
  value: string | boolean | PlacedValue[] | PlacedFields | undefined;
  place: Location;
  /** Returns the location of an offset in a text from several places; undefined if the text is from `place` alone. */
  placeAt?: ((offset: number) => Location) | undefined;
}

/** Fields in source order, each with the location of its name. */
export type PlacedFields = Map<string, PlacedValue>;

/** Returns a field's text; undefined if the field is absent, empty or not text. */
export function findText(fields: PlacedFields, name: string): string | undefined {
  const value = fields.get(name)?.value;
  return typeof value === "string" ? value : undefined;
}

const TRUE = new Set(["y", "yes", "true", "on"]);
const FALSE = new Set(["n", "no", "false", "off"]);

/** Returns a boolean in any YAML spelling, even quoted; undefined for other values. */
export function toBoolean({ value }: PlacedValue): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : undefined;
}

/** Returns the value without locations, as text, a boolean, an array or an object. */
export function toPlainValue({ value }: PlacedValue): unknown {
  if (Array.isArray(value)) return value.map(toPlainValue);
  return value instanceof Map ? toPlainFields(value) : value;
}

/** Returns the fields, except empty ones, as an object. */
export function toPlainFields(fields: PlacedFields): Record<string, unknown> {
  // `fromEntries` defines properties, so a field named `__proto__` does not set the prototype.
  return Object.fromEntries(
    [...fields].filter(([, field]) => field.value !== undefined).map(([name, field]) => [name, toPlainValue(field)]),
  );
}
