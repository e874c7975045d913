// `lectern webhooks`: what operators do and see.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { verifyWebhook } from "../../packages/client/src/verify-webhook.ts";
import { publish } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { listBlocks } from "../support/markdown.ts";
import { renewStore } from "../support/shared-store.ts";
import { anyEngine, openTestStore } from "../support/store.ts";
import { createHook, getHook, listDelivered, startDeliverer, startReceiver, TestClock } from "./receiver.ts";

const WEBHOOKS_DOC = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");

describe("lectern webhooks", () => {
  const database = renewStore();
  const receiver = startReceiver();
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.replies.clear();
  });
  afterAll(() => receiver.stop());

  const hooks = (args: string[]) => runCommand(["webhooks", ...args, "--database", database.url]);
  const create = async (...args: string[]) => {
    const url = `${receiver.url}/hook?token=t`;
    const made = await hooks(["create", "--project", "acme", "--url", url, "--allow-private", "--json", ...args]);
    if (made.exitCode !== 0) throw new Error(made.stderr);
    return JSON.parse(made.stdout) as Record<"id" | "secret" | "url", string>;
  };

  test("create prints a new secret of 32 bytes once, and says that nothing is published yet", async () => {
    const args = ["create", "--project", "acme", "--url", "https://127.0.0.1/hook", "--allow-private"];
    const { exitCode, stdout, stderr } = await hooks(args);
    expect([exitCode, stderr]).toEqual([0, "Channel live of project acme has no release yet.\n"]);
    expect(stdout).toMatch(
      /^Webhook (hook_[0-9a-f]{12}) receives each publication on channel live of project acme. Its secret:\n\n {2}whsec_[\w+/]{43}=\n\nStore it now: it is not shown again. `lectern webhooks test \1` sends a test message.\n$/,
    );
    const { id, secret, ...rest } = await create("--channel", "pr-1");
    expect(secret).toStartWith("whsec_");
    expect(rest).toMatchObject({ project: "acme", channel: "pr-1", allowsPrivate: true });
    const listed = await hooks(["list", "--json"]);
    expect(listed.stdout).not.toContain(secret.slice(6));
    expect((JSON.parse(listed.stdout) as object[])[0]).toMatchObject({ id, channel: "pr-1", state: "live" });
  });

  test("list hides the parts of URLs that may be secret; JSON has them in full", async () => {
    const urls = ["services/T0/B0/XyZ", "rebuild?token=t", "5c23f1d0a9b8e7f6a5d4c3b2", "s3cret", "?token=t", ""];
    for (const path of urls) await createHook(database.store, `https://site.example/${path}`);
    const listed = await hooks(["list"]);
    const shown = listed.stdout.match(/https:\S*/g)?.map((url) => url.slice("https://site.example/".length));
    expect(shown?.toSorted()).toEqual(["", "…", "…", "…", "…", "…"]);
    const whole = JSON.parse((await hooks(["list", "--json"])).stdout) as { url: string }[];
    expect(new Set(whole.map(({ url }) => url))).toEqual(new Set(urls.map((path) => `https://site.example/${path}`)));
  });

  test("test sends the documented example, prints the result, and resumes a paused webhook", async () => {
    await publish(database.store, "acme", [{ _id: "a", name: "Before" }]);
    const { id, secret } = await create();
    const good = await hooks(["test", id]);
    expect(good.exitCode).toBe(0);
    expect(good.stdout).toMatch(new RegExp(`^Webhook ${id} answered 204 in \\d+ ms.\\n$`));
    const { headers, body } = receiver.received[0] ?? { headers: {}, body: "" };
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "test" });
    expect((await verifyWebhook({ payload: body, headers, secret })).type).toBe("test");
    const shown = listBlocks(WEBHOOKS_DOC, "json").map(({ text }) => shapeOf(JSON.parse(text)));
    expect(shown).toContainEqual(shapeOf(JSON.parse(body)));

    receiver.replies.set("/hook", [500]);
    const bad = await hooks(["test", id]);
    expect([bad.exitCode, bad.stdout]).toEqual([1, ""]);
    expect(bad.stderr).toMatch(new RegExp(`^lectern: Webhook ${id} failed in \\d+ ms: 500, not a 2xx status.\\n$`));

    receiver.replies.set("/hook", [410]);
    const clock = new TestClock();
    const { deliverer } = startDeliverer(database.store, clock);
    await publish(database.store, "acme", [{ _id: "a", name: "A" }]);
    deliverer.wake();
    await clock.until(async () => (await getHook(database.store, id)).pausedAt !== undefined);
    expect((await hooks(["list"])).stdout).toContain("paused (answered 410: 410, not a 2xx status) 2026-");
    const { stdout: status } = await runCommand(["status", "--database", database.url]);
    expect(status).toContain(`Webhook ${id} of acme was paused `);
    expect((await hooks(["test", id])).stdout).toContain("Missed publications are delivered now.");
    deliverer.wake();
    await clock.until(() => receiver.received.length === 5);
    await deliverer.stop();
    expect(shown).toContainEqual(shapeOf(JSON.parse(receiver.received[4]?.body ?? "")));
  });

  test("rotate prints a new secret, with which the old one signs for a while; delete removes the webhook", async () => {
    const { id, secret } = await create();
    const rotated = await hooks(["rotate", id, "--json"]);
    const { secret: next } = JSON.parse(rotated.stdout) as { secret: string };
    await hooks(["test", id]);
    const { headers, body } = receiver.received[0] ?? { headers: {}, body: "" };
    for (const each of [secret, next]) await verifyWebhook({ payload: body, headers, secret: each });
    expect((await hooks(["rotate", id, "--grace", "0"])).stdout).toContain("signed with this secret alone");
    await hooks(["test", id]);
    const second = receiver.received[1] ?? { headers: {}, body: "" };
    const refused = verifyWebhook({ payload: second.body, headers: second.headers, secret: next });
    expect(await refused.catch((error: Error) => error.name)).toBe("WebhookError");
    expect((await hooks(["delete", id])).stdout).toBe(`Deleted webhook ${id} of project acme, channel live.\n`);
    for (const command of ["delete", "test", "resume", "rotate"]) {
      const { exitCode, stderr } = await hooks([command, id]);
      const fault = `lectern: There is no webhook ${id}. \`lectern webhooks list\` shows the ids.\n`;
      expect([exitCode, stderr]).toEqual([1, fault]);
    }
  });

  test("do not deliver from a copy of the database until they are resumed there", async () => {
    const { store } = database;
    const clock = new TestClock();
    const hook = await createHook(store, `${receiver.url}/hook`);
    await publish(store, "acme", [{ _id: "a", name: "A" }]);
    const target = await anyEngine.createDatabase();
    const copied = await runCommand(["copy", "--from", database.url, "--to", target.url]);
    expect(copied.exitCode).toBe(0);
    const copy = await openTestStore(anyEngine, target);
    const { deliverer } = startDeliverer(copy.store, clock);
    const original = startDeliverer(store, clock).deliverer;
    await clock.until(async () => (await getHook(store, hook.id)).lastPublication > 0);
    await clock.until(() => deliverer.readGauges().lectern_hooks_paused === 1);
    expect(listDelivered(receiver.received)).toEqual(["import 1"]);
    const listed = await runCommand(["webhooks", "list", "--database", copy.url]);
    expect(listed.stdout).toContain("waiting in a copied database; see lectern webhooks resume");
    await runCommand(["webhooks", "resume", hook.id, "--skip", "--database", copy.url]);
    await publish(copy.store, "acme", [{ _id: "b", name: "B" }]);
    deliverer.wake();
    await clock.until(() => receiver.received.length === 2);
    expect(listDelivered(receiver.received)).toEqual(["import 1", "import 2"]);
    await Promise.all([deliverer.stop(), original.stop()]);
    await copy.drop();
  });
});

test.each([
  ["ftp://site.example/", "must be an absolute https URL"],
  ["https://user:hush@site.example/", "must not contain a user name or password"],
  ["http://site.example/", "must begin with https"],
  [`https://site.example/${"x".repeat(2048)}`, "is longer than 2048 characters"],
  ["https://127.0.0.1/", "127.0.0.1 is not public: only a webhook with --allow-private"],
  ["https://localhost/", "localhost has the address "],
])("create refuses the URL %s as wrong usage", async (url, fault) => {
  const { exitCode, stdout, stderr } = await runCommand(["webhooks", "create", "--project", "acme", "--url", url]);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(fault);
  expect(stderr).not.toContain("hush");
});

/** The members of an object, and what they are. */
function shapeOf(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}
