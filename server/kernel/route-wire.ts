import type { z } from 'zod'

/**
 * A body by its media types. `fields`: JSON of the input's fields that are in neither path nor query string. A schema: a
 * document of its own. `bytes` and `text`: not JSON.
 */
export type RouteContent = Record<string, z.ZodType | 'fields' | 'bytes' | 'text'>

/** What a caller of a route must know and the schemas of its operation don't show. The catalog is built from it. */
export type RouteWire = {
  /** The fields of the query string, instead of those of the operation's input (GET), or in addition to its body (POST). */
  query?: z.ZodObject
  /** The body of a POST. By default, JSON of the input's fields; empty: the route does not read one. */
  body?: RouteContent
  /** The body of a successful response. By default, JSON of the operation's output. */
  answer?: RouteContent
  /** Statuses of success; by default, 200. */
  statuses?: readonly number[]
  /** Headers of the request that only this route reads, in lower case. */
  headers?: readonly string[]
  /** A repeated POST with the same Idempotency-Key gets the same response. */
  replays?: boolean
}
