// What runs on a thread of `EncodingThreads`.
import { parentPort } from "node:worker_threads";
import { encodeBody } from "../catalog/body.ts";
import { joinBodies, splitTexts, type JoinedTexts } from "./thread-messages.ts";

parentPort?.on("message", (texts: JoinedTexts) => {
  const encoded = joinBodies(splitTexts(texts).map(encodeBody));
  parentPort?.postMessage(encoded, [encoded.bytes]);
});
