import { createHash } from 'node:crypto'
import { boundText } from '#lib/bound-digest.ts'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'

/** The form of a payload whose digest also binds what a reviewer reads. Requests of earlier versions don't have one. */
export const bindsShown = 2

/** What a stored payload has in addition to what runs. */
export type Sealing = { salt: string | undefined; form: number | undefined }

export const saltedPayload = (payload: JsonObject, { salt, form }: Sealing): JsonObject => ({
  ...payload,
  ...(form === undefined ? {} : { form }),
  ...(salt === undefined ? {} : { salt }),
})

/** Undefined members for a payload of an earlier version, and for an erased one. */
export function sealingOf(payload: JsonValue): Sealing {
  const { salt, form } = isJsonObject(payload) ? payload : {}
  return {
    salt: typeof salt === 'string' ? salt : undefined,
    form: form === bindsShown ? bindsShown : undefined,
  }
}

/** Of a salted payload; null if its digest does not bind what a reviewer reads. `sha256:` of its JCS form. */
export const contentDigestOf = (payload: JsonValue): string | null =>
  sealingOf(payload).form === undefined ? null : sha256(canonicalJson(payload))

/** What a decision binds: `sha256:` of a salted payload, and of the presentation if the payload's form says so. */
export function payloadDigestOf(payload: JsonObject, shown?: Presentation): string {
  const contentDigest = contentDigestOf(payload)
  if (contentDigest === null) return sha256(canonicalJson(payload))
  if (shown === undefined) throw new Error('The digest of this payload also binds its presentation.')
  return sha256(boundText(contentDigest, shown))
}

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
