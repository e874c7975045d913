// Keeps Scalar's page as its package has it, compressed, beside its build. Run by `npm run reference` for another version of the
// package; the result is committed. The page needs none of the 300 packages that its package asks for, so no installation for
// production has them.
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const PAGE = new URL("../../node_modules/@scalar/api-reference/dist/browser/standalone.js", import.meta.url);
const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

const page = await Bun.file(PAGE).bytes();
await Bun.write(fileURLToPath(new URL("page.js.br", import.meta.url)), brotliCompressSync(page, { params }));
