// What the box at the top of each page asks.
import { CatalogError } from "@lectern/client";
import { search } from "../catalog.mjs";

export async function GET(request) {
  try {
    return Response.json(await search(new URL(request.url).searchParams.get("q") ?? ""));
  } catch (error) {
    // One letter may be too little for the service to search.
    if (error instanceof CatalogError && error.status === 400) return Response.json([]);
    throw error;
  }
}
