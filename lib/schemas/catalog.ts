import { z } from 'zod'
import { Digest, Json, JsonObject } from './common.ts'

/** One operation at one address. The schemas are JSON Schema 2020-12, each complete in itself. */
export const CatalogOperation = z.object({
  name: z.string(),
  /** One line for a list of operations. */
  summary: z.string(),
  kind: z.enum(['query', 'mutation', 'subscription']),
  /** "any" if every authenticated member may call it. */
  permission: z.string(),
  /** Is also sufficient, for objects that the caller created. */
  permissionForOwn: z.string().nullable(),
  transport: z.enum(['procedure', 'route']),
  method: z.enum(['GET', 'POST']),
  /** Path parameters are in braces: `/v1/policies/{policyId}/versions`. */
  path: z.string(),
  /** The input of the operation; for a route, path parameters, query string and the fields of a JSON body combined. */
  input: JsonObject,
  /** An input that the schema accepts. */
  example: Json,
  /** For a route, where each field of the input is sent; empty for a procedure. */
  places: z.record(z.string(), z.enum(['path', 'query', 'body'])),
  /**
   * For a route, the body by media type: the schema of a JSON document, or null for other content. Empty for a route that reads
   * no body, and for a procedure: it gets its input as JSON, in the parameter `input` of a GET or in the body of a POST.
   */
  body: z.record(z.string(), JsonObject.nullable()),
  /** Headers of the request that have an effect on this operation, in lower case, apart from those of every call. */
  headers: z.array(z.string()),
  /** Statuses of success. */
  statuses: z.array(z.int()),
  /** The data of a successful response. Null if the response is not JSON, and for subscriptions. */
  output: JsonObject.nullable(),
  /** The media types of a successful response. */
  produces: z.array(z.string()),
})
export type CatalogOperation = z.infer<typeof CatalogOperation>

/** `digest` is SHA-256 of JCS(operations): two servers with the same digest offer the same API. */
export const Catalog = z.object({ digest: Digest, operations: z.array(CatalogOperation) })
export type Catalog = z.infer<typeof Catalog>
