// What a card or a catalog page shows of a course, and no v1 body has: its meta. All of it is optional, and what is absent
// adds nothing to a digest.
import { z } from "zod";

const MAX_DESCRIPTION = 5000;
const MAX_TAGS = 50;
const MAX_TAG = 100;
const MAX_MINUTES = 999_999;
/** An index entry of PostgreSQL takes 2,700 bytes. */
export const MAX_KEY = 500;
/** Longer than any language tag in use. */
const MAX_LANGUAGE = 100;

const trimmed = z
  .string()
  .refine((text) => text.isWellFormed(), "contains half of a surrogate pair")
  .transform((text) => text.trim());

export const description = trimmed
  .refine((text) => text.length <= MAX_DESCRIPTION, `must have at most ${MAX_DESCRIPTION} characters`)
  .nullable()
  .transform((text) => (text === "" || text === null ? undefined : text))
  .optional();

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

/** Trimmed, each once, in the order of the source; none and null are absent. */
export const tags = z
  .array(
    trimmed
      .refine((text) => text !== "", "must not be empty")
      .refine((text) => text.length <= MAX_TAG, `must have at most ${MAX_TAG} characters`),
  )
  .transform((list) => [...new Set(list)])
  .refine((list) => list.length <= MAX_TAGS, `must be at most ${MAX_TAGS} different tags`)
  .nullable()
  .transform((list) => (list?.length ? list : undefined))
  .optional();

/** Whole minutes; null is absent. What is read from YAML is text, so digits are taken too. */
export const durationMinutes = z
  .union([z.number(), z.string()])
  .nullable()
  .transform((value, context) => {
    if (value === null) return undefined;
    const minutes = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
    if (typeof minutes === "number" && Number.isInteger(minutes) && minutes >= 0 && minutes <= MAX_MINUTES) {
      // -0 would be stored as 0, and so is none.
      return Math.abs(minutes);
    }
    context.addIssue({ code: "custom", message: `must be whole minutes, 0 to ${MAX_MINUTES}, such as 45` });
    return z.NEVER;
  })
  .optional();

/** What lessons of a course and its translations have in common that are one lesson in several languages. */
export const translationKey = trimmed
  .refine((text) => !text.includes("\0"), "must not contain the character U+0000")
  .refine((text) => text.length <= MAX_KEY, `must have at most ${MAX_KEY} characters`)
  .nullable()
  .transform((text) => (text === "" || text === null ? undefined : text))
  .optional();

/** The canonical form of a language tag; undefined for what is none, such as `english` or `pt_BR`. */
export function toLanguageTag(text: string): string | undefined {
  // By the grammar a language may have five to eight letters, but none was ever registered.
  if (text.length > MAX_LANGUAGE || !/^[a-z]{2,3}(?![^-])/i.test(text)) return undefined;
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}
