import { defineCollection } from "astro:content";
import { loadCourses, loadLessons } from "./lectern-loader.mjs";

const service = { baseUrl: process.env.LECTERN_URL ?? "http://localhost:3000", apiKey: process.env.LECTERN_KEY ?? "" };

export const collections = {
  courses: defineCollection({ loader: loadCourses(service) }),
  lessons: defineCollection({ loader: loadLessons(service) }),
};
