// Stores Scalar's page, compressed, in the repository. Run by `npm run reference` after an update of the package. Production
// installs then do not need the 300 packages that it depends on.
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const PAGE = new URL("../../node_modules/@scalar/api-reference/dist/browser/standalone.js", import.meta.url);
const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

const page = await Bun.file(PAGE).bytes();
await Bun.write(fileURLToPath(new URL("page.js.br", import.meta.url)), brotliCompressSync(page, { params }));
