// What the client takes for a webhook: against the public implementation of Standard Webhooks.
import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookError } from "../../packages/client/src/catalog-client.ts";

const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("fedcba9876543210fedcba9876543210").toString("base64")}`;
const PAYLOAD = '{"type":"test","timestamp":"2026-11-21T00:00:00.000Z","data":{"project":"học","channel":"live"}}';

/** The headers of a delivery that is so many seconds old. */
function sign(ageSeconds = 0, { secret = SECRET, payload = PAYLOAD } = {}): Record<string, string> {
  const at = new Date(Math.floor(Date.now() / 1000 - ageSeconds) * 1000);
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(at.getTime() / 1000),
    "webhook-signature": new Webhook(secret).sign("evt_1", at, payload),
  };
}

describe("verifyWebhook", () => {
  test("returns the event, from any form of body and headers", async () => {
    const told = JSON.parse(PAYLOAD) as never;
    const headers = sign();
    const bytes = new TextEncoder().encode(PAYLOAD);
    for (const payload of [PAYLOAD, bytes, bytes.buffer, Buffer.from(PAYLOAD)]) {
      expect(await verifyWebhook({ payload, headers, secret: SECRET })).toEqual(told);
    }
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [new Headers(headers), upper, lists, { ...headers, cookie: undefined }]) {
      expect(await verifyWebhook({ payload: PAYLOAD, headers: form, secret: SECRET.slice(6) })).toEqual(told);
    }
    const old = { payload: PAYLOAD, headers: sign(1000), secret: SECRET, toleranceSeconds: 1100 };
    expect(await verifyWebhook(old)).toEqual(told);
  });

  test("accepts any of the first ten signatures, but none of another version", async () => {
    const headers = sign();
    const [mine, other] = [headers["webhook-signature"], sign(0, { secret: OTHER })["webhook-signature"]];
    const verify = (signature: string) =>
      verifyWebhook({ payload: PAYLOAD, headers: { ...headers, "webhook-signature": signature }, secret: SECRET });
    for (const signature of [`${other} ${mine}`, `${mine} ${other}`, `v1a,${mine?.slice(3)} ${mine}`]) {
      expect((await verify(signature)).type).toBe("test");
    }
    for (const signature of [
      `v2,${mine?.slice(3)}`,
      `${other}`,
      "v1,",
      "v1,%%%",
      "v1",
      `${mine}x`,
      "v1,aaaa ".repeat(10) + mine,
    ]) {
      expect(await verify(signature).catch((error: unknown) => error)).toBeInstanceOf(WebhookError);
    }
  });

  test.each<[string, Partial<Parameters<typeof verifyWebhook>[0]>]>([
    ["another body", { payload: PAYLOAD.replace("live", "liVe") }],
    ["no secret", { secret: "" }],
    ["an invalid secret", { secret: "whsec_%%%" }],
    ["another id", { headers: { ...sign(), "webhook-id": "evt_2" } }],
    ["another time", { headers: { ...sign(), "webhook-timestamp": sign(60)["webhook-timestamp"] } }],
    ["a non-numeric time", { headers: { ...sign(), "webhook-timestamp": "now" } }],
    ["an old delivery", { headers: sign(1000) }],
    ["a request from the future", { headers: sign(-1000) }],
    ...[0, -300, NaN, Infinity].map((at): [string, object] => [`a tolerance of ${at}`, { toleranceSeconds: at }]),
  ])("refuses %s", async (_what, given) => {
    const verified = verifyWebhook({ payload: PAYLOAD, headers: sign(), secret: SECRET, ...given });
    expect(await verified.catch((error: unknown) => error)).toBeInstanceOf(WebhookError);
  });

  test.each(["{", "null", "[]"])("rejects the signed body %j with a clear error", async (payload) => {
    const verified = verifyWebhook({ payload, headers: sign(0, { payload }), secret: SECRET });
    const message = "The signature is valid, but the body is not the JSON object of a webhook";
    expect(await verified.catch((error: unknown) => error)).toEqual(new WebhookError(message));
  });
});
