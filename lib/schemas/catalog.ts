import { z } from 'zod'
import { Digest, JsonObject } from './common.ts'

/** One operation at one address. `permission` is "any" for every authenticated member; the schemas are JSON Schema 2020-12. */
export const CatalogOperation = z.object({
  name: z.string(),
  kind: z.enum(['query', 'mutation', 'subscription']),
  permission: z.string(),
  transport: z.enum(['procedure', 'route']),
  method: z.enum(['GET', 'POST']),
  /** Path parameters stand in braces: `/v1/policies/{policyId}/versions`. */
  path: z.string(),
  /** What the operation takes: of a route, path parameters, query string and body together. */
  input: JsonObject,
  /** Null for a subscription. */
  output: JsonObject.nullable(),
})
export type CatalogOperation = z.infer<typeof CatalogOperation>

/** `digest` is SHA-256 of JCS(operations): two servers with the same digest offer the same API. */
export const Catalog = z.object({ digest: Digest, operations: z.array(CatalogOperation) })
export type Catalog = z.infer<typeof Catalog>
