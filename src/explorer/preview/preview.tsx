// What the explorer has besides in a preview; the document of a preview loads it after the explorer.
import { render } from "preact";
import { findStoredKey } from "../reading/key-storage.ts";
import { PreviewPanel } from "./preview-panel.tsx";

const root = document.createElement("div");
document.body.append(root);
render(<PreviewPanel findKey={findStoredKey} />, root);
