/** What `include=meta` adds to courses and lessons. */
export interface Meta {
  slug: string;
  description: string;
  language: string;
  tags: string[];
  /** Null where the author gave none. */
  durationMinutes: number | null;
  published: boolean;
}

/** The meta of a course; that of a course without any, where the service does not tell it. */
export function toMeta(document: Partial<Meta>): Meta {
  const { slug = "", description = "", language = "", tags = [], durationMinutes = null, published = true } = document;
  return { slug, description, language, tags, durationMinutes, published };
}
