import { createHash } from 'node:crypto'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'

/** `sha256:` of the request's JCS form, as recorded. */
export const digestOf = (value: JsonObject): string =>
  `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
