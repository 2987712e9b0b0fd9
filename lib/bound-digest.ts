import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'

/**
 * The text whose SHA-256 is the `payloadDigest` of a request with a `contentDigest`: what runs, by its digest, and the page that
 * a reviewer reads. So the page can recompute what it decides, and what it shows is bound as much as what runs. The digest of the
 * content is salted: values that the page masks can't be guessed from it.
 */
export const boundText = (contentDigest: string, shown: Presentation): string =>
  // A presentation is JSON: an optional member without a value is left out, as it is on the wire.
  canonicalJson({ content: contentDigest, shown: JSON.parse(JSON.stringify(shown)) as JsonValue })
