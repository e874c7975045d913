// src/content.config.mjs of a site. A page shows a lesson with `const { Content } = await render(entry)`.
import { defineCollection } from "astro:content";
import { lecternLoader } from "./lectern-loader.mjs";

export const collections = {
  lessons: defineCollection({
    loader: lecternLoader({ baseUrl: process.env.LECTERN_URL, apiKey: process.env.LECTERN_KEY }),
  }),
};
