// `lectern webhooks create --project demo --url https://site.example/webhook/` sends events here.
import { revalidateTag } from "next/cache";
import { CatalogError, verifyWebhook, WebhookError } from "@lectern/client";
import { fresh } from "../catalog.mjs";

const MAX_WAIT_MS = 5000;
const POLL_MS = 250;

export async function POST(request) {
  let event;
  try {
    const payload = await request.text();
    event = await verifyWebhook({ payload, headers: request.headers, secret: process.env.LECTERN_HOOK_SECRET });
  } catch (error) {
    if (error instanceof WebhookError) return new Response(error.message, { status: 401 });
    throw error;
  }
  if (event.type === "catalog.published") for (const tag of await listTags(event.data)) revalidateTag(tag, { expire: 0 });
  return new Response(null, { status: 204 });
}

/** Lists the tags of the list and of changed courses, or the tag of everything if the changes are unknown. */
async function listTags({ release, before }) {
  if (release === null) return ["catalog"];
  await untilShown(release.number);
  if (before === null) return ["catalog"];
  const changes = await (await fresh.pinned(release.number)).changes(before).catch((error) => {
    // Release `before` was pruned or is unknown.
    if (error instanceof CatalogError && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  });
  if (changes === undefined) return ["catalog"];
  const names = changes.results.flatMap(({ _id, slug, formerSlug }) => [_id, slug, formerSlug]);
  return ["courses", ...names.filter((name) => name !== "").map((name) => `course:${name}`)];
}

/** Waits for the server to show the release: pages rendered earlier would keep the old one. */
async function untilShown(number) {
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += POLL_MS) {
    if ((await fresh.pinned()).release === number) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
