import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { targetOf, usualTarget } from '#lib/rules/calls/object.ts'
import { keyedDigest } from '#server/kernel/content/keyed-digest.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** By which the requests before this one are found. */
export type ShapeDigests = {
  /** Of the action, its resource and the environment. */
  shapeDigest: string
  /**
   * Of the shape and the object of the call, which are all of its arguments if none names it; null for what isn't a call, and for a
   * call without arguments.
   */
  objectDigest: string | null
  /** What earlier versions noted for the same arguments, if that was something else. */
  earlierDigest: string | null
}

const calls: readonly JsonValue[] = ['ToolCall', 'ModelCall']

/** `payload`: what the decision binds, unmasked. Only digests leave this function. */
export function shapeOf(cipher: TenantCipher, payload: JsonObject): ShapeDigests {
  const { action = null, resource = null, environment = null } = payload
  const shape = canonicalJson([action, resource, environment])
  const args = calls.includes(action) && isJsonObject(payload.arguments) ? payload.arguments : {}
  const digestOf = (object: string | undefined) =>
    object === undefined ? null : keyedDigest(cipher, 'approvals', 'object_digest', `${shape}\n${object}`)
  // A call without arguments lacks an object: such calls are made again and again.
  const all = Object.keys(args).length === 0 ? undefined : canonicalJson(args)
  const objectDigest = digestOf(targetOf(args) ?? all)
  const earlier = digestOf(usualTarget(args) ?? all)
  return {
    shapeDigest: keyedDigest(cipher, 'approvals', 'shape_digest', shape),
    objectDigest,
    earlierDigest: earlier === objectDigest ? null : earlier,
  }
}
