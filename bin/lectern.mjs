#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { runBun } from "./run-bun.mjs";

runBun([fileURLToPath(new URL("../src/main.ts", import.meta.url)), ...process.argv.slice(2)]);
