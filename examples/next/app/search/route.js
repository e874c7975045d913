// Answers the search field at the top of each page.
import { CatalogError } from "@lectern/client";
import { search } from "../catalog.mjs";

export async function GET(request) {
  try {
    return Response.json(await search(new URL(request.url).searchParams.get("q") ?? ""));
  } catch (error) {
    // The service can refuse a single letter.
    if (error instanceof CatalogError && error.status === 400) return Response.json([]);
    throw error;
  }
}
