// Meta from a lesson's text: a description, and its reading time.
import { expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { createKey, startTestServer, type TestServer } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const TEXTS: [html: string, description: string, readingMinutes: number][] = [
  ["", "", 0],
  ["<h1>Title</h1><p>Tea &amp; <b>milk</b></p><pre>code</pre><p>twice</p>", "Tea & milk twice", 1],
  ["<aside><p>Note</p></aside><ul><li>One<li>Two</ul><style>no</style>", "One Two", 1],
  [`<p>${"word ".repeat(399)}end</p>`, `${"word ".repeat(31).trim()}…`, 2],
  [`<p>${"茶".repeat(801)}</p>`, `${"茶".repeat(159)}…`, 3],
  ["<template><p>hidden</p></template>", "", 0],
  [`<p>${"🍵".repeat(170)}</p>`, `${"🍵".repeat(159)}…`, 0],
];

let server: TestServer;
const database = useTestStore(anyEngine, async () => {
  server = await startTestServer(database.store);
  return () => server.stop();
});

test("a lesson's meta has its first paragraphs and its reading time", async () => {
  const lessons = TEXTS.map(([additionalText], index) => ({ id: `l${index}`, name: `${index}`, additionalText }));
  await publish(database.store, "tea", [{ _id: "tea", name: "Tea", chapters: [{ name: "One", lessons }] }]);
  const key = await createKey(database.store, "tea");
  await server.pollsTwice();
  const { text } = await server.get("/api/v1/courses/tea/lessons?include=meta", { key });
  const { results } = (JSON.parse(text) as { data: { results: { description: string; readingMinutes: number }[] } })
    .data;
  expect(results.map(({ description, readingMinutes }) => [description, readingMinutes])).toEqual(
    TEXTS.map(([, ...told]) => told),
  );
});
