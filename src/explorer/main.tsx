// Starts the explorer. Removes the key from the URL first.
import { render } from "preact";
import { keepScrollPositions } from "./address/use-arrival.ts";
import { App } from "./app.tsx";
import { takeKeyFromAddress } from "./reading/key-storage.ts";

takeKeyFromAddress();
keepScrollPositions();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
