import { z } from 'zod'
import { Digest, JsonObject } from './common.ts'

/** One operation at one address. `permission` is "any" if every authenticated member may call it; the schemas are JSON Schema 2020-12. */
export const CatalogOperation = z.object({
  name: z.string(),
  kind: z.enum(['query', 'mutation', 'subscription']),
  permission: z.string(),
  transport: z.enum(['procedure', 'route']),
  method: z.enum(['GET', 'POST']),
  /** Path parameters are in braces: `/v1/policies/{policyId}/versions`. */
  path: z.string(),
  /** The input of the operation; for a route, path parameters, query string and body combined. */
  input: JsonObject,
  /** Null for subscriptions. */
  output: JsonObject.nullable(),
})
export type CatalogOperation = z.infer<typeof CatalogOperation>

/** `digest` is SHA-256 of JCS(operations): two servers with the same digest offer the same API. */
export const Catalog = z.object({ digest: Digest, operations: z.array(CatalogOperation) })
export type Catalog = z.infer<typeof Catalog>
