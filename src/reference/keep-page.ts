// Stores a compressed copy of Scalar's page in the repository. Production installs then need neither Scalar's package
// nor its 300 dependencies. Run `npm run reference` after each update of that package.
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const PAGE = new URL("../../node_modules/@scalar/api-reference/dist/browser/standalone.js", import.meta.url);
const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

const page = await Bun.file(PAGE).bytes();
await Bun.write(fileURLToPath(new URL("page.js.br", import.meta.url)), brotliCompressSync(page, { params }));
