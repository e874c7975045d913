// Writes the OpenAPI document, which is committed. Run by `npm run openapi`.
import { fileURLToPath } from "node:url";
import { createOpenApi } from "./create-openapi.ts";
import { openExampleService } from "./example-service.ts";

const service = await openExampleService();
try {
  const path = fileURLToPath(new URL("../../docs/openapi.json", import.meta.url));
  await Bun.write(path, await createOpenApi(service));
} finally {
  await service.close();
}
