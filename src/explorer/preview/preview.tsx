// Adds the preview's panel to the explorer. Runs after the explorer's own script.
import { render } from "preact";
import { findStoredKey } from "../reading/key-storage.ts";
import { PreviewPanel } from "./preview-panel.tsx";

const root = document.createElement("div");
document.body.append(root);
render(<PreviewPanel findKey={findStoredKey} />, root);
