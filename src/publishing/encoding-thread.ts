// What runs on a thread of `EncodingThreads`.
import { parentPort } from "node:worker_threads";
import { encodeData } from "../catalog/stored-document.ts";
import { joinEncoded, splitTexts, type JoinedTexts } from "./thread-messages.ts";

parentPort?.on("message", (texts: JoinedTexts) => {
  const encoded = joinEncoded(splitTexts(texts).map(encodeData));
  parentPort?.postMessage(encoded, [encoded.bodies]);
});
