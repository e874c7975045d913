// The explorer's start.
import { render } from "preact";

const root = document.getElementById("app");
if (root !== null) render(<h1>Lectern</h1>, root);
