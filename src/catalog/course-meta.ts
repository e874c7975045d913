// Meta: optional fields for cards and catalog pages. They are not part of v1 bodies. Digests ignore absent fields.
import { z } from "zod";

const MAX_DESCRIPTION = 5000;
const MAX_TAGS = 50;
const MAX_TAG = 100;
const MAX_MINUTES = 999_999;
/**
 * The maximum number of characters in a key. It keeps keys within PostgreSQL's limit for index entries, 2,700 bytes.
 */
export const MAX_KEY = 500;
const MAX_LANGUAGE = 100;

const trimmed = z
  .string()
  .refine((text) => text.isWellFormed(), "contains an unpaired surrogate")
  .transform((text) => text.trim());

/** Text of limited length; "" and null count as absent. */
const limitedText = (most: number, text = trimmed) =>
  text
    .refine((written) => written.length <= most, `must have at most ${most} characters`)
    .nullable()
    .transform((written) => (written === "" || written === null ? undefined : written));

export const description = limitedText(MAX_DESCRIPTION).optional();

export const language = trimmed
  .nullable()
  .transform((text, context) => {
    if (text === "" || text === null) return undefined;
    const tag = toLanguageTag(text);
    if (tag !== undefined) return tag;
    context.addIssue({ code: "custom", message: "must be a language tag (BCP 47) such as en, pt-BR or zh-Hans" });
    return z.NEVER;
  })
  .optional();

/** Tags are trimmed, deduplicated and kept in source order; an empty list and null count as absent. */
export const tags = z
  .array(
    trimmed
      .refine((text) => text !== "", "must not be empty")
      .refine((text) => text.length <= MAX_TAG, `must have at most ${MAX_TAG} characters`),
  )
  .transform((list) => [...new Set(list)])
  .refine((list) => list.length <= MAX_TAGS, `must list at most ${MAX_TAGS} different tags`)
  .nullable()
  .transform((list) => (list?.length ? list : undefined))
  .optional();

/** Whole minutes; null counts as absent. Accepts digits as text, since YAML values are read as text. */
export const durationMinutes = z
  .union([z.number(), z.string()])
  .nullable()
  .transform((value, context) => {
    if (value === null) return undefined;
    const minutes = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
    if (typeof minutes === "number" && Number.isInteger(minutes) && minutes >= 0 && minutes <= MAX_MINUTES) {
      // -0 becomes 0, as JSON.stringify writes it.
      return Math.abs(minutes);
    }
    context.addIssue({
      code: "custom",
      message: `must be a whole number of minutes from 0 to ${MAX_MINUTES}, such as 45`,
    });
    return z.NEVER;
  })
  .optional();

export const translationKey = limitedText(
  MAX_KEY,
  trimmed.refine((text) => !text.includes("\0"), "must not contain the character U+0000"),
).optional();

/** Returns the canonical form of a language tag; undefined for other text, such as `english` or `pt_BR`. */
export function toLanguageTag(text: string): string | undefined {
  // BCP 47 allows languages of up to eight letters, but none longer than three is registered.
  if (text.length > MAX_LANGUAGE || !/^[a-z]{2,3}(?![^-])/i.test(text)) return undefined;
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}
