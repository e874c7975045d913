import type { Location } from "../source.ts";

/** A value that an author wrote, with the place where it stands. Undefined: the field is there, without a value. */
export interface PlacedValue {
  value: string | boolean | PlacedValue[] | PlacedFields | undefined;
  place: Location;
  /** Where an offset of a text stands that is put together from several files; undefined where all of it stands at `place`. */
  placeAt?: ((offset: number) => Location) | undefined;
}

/** Fields in the order of the source; each one's place is that of its name. */
export type PlacedFields = Map<string, PlacedValue>;

/** The text of a field; undefined when the field is absent, empty or not text. */
export function findText(fields: PlacedFields, name: string): string | undefined {
  const value = fields.get(name)?.value;
  return typeof value === "string" ? value : undefined;
}

const TRUE = new Set(["y", "yes", "true", "on"]);
const FALSE = new Set(["n", "no", "false", "off"]);

/** A boolean as any version of YAML spells it, in quotes too; undefined for any other value. */
export function toBoolean({ value }: PlacedValue): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : undefined;
}

/** The value without its places: text, booleans, arrays and objects. */
export function toPlainValue({ value }: PlacedValue): unknown {
  if (Array.isArray(value)) return value.map(toPlainValue);
  return value instanceof Map ? toPlainFields(value) : value;
}

/** The fields as an object; fields without a value are left out. */
export function toPlainFields(fields: PlacedFields): Record<string, unknown> {
  // fromEntries defines properties, so that a field called __proto__ stays a field.
  return Object.fromEntries(
    [...fields].filter(([, field]) => field.value !== undefined).map(([name, field]) => [name, toPlainValue(field)]),
  );
}
