import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { targetOf } from '#lib/rules/effect.ts'
import { keyedDigest } from '#server/kernel/content/keyed-digest.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** By which the requests before this one are found. */
export type ShapeDigests = {
  /** Of the action, its resource and the environment. */
  shapeDigest: string
  /** Of the shape and the object of the call; null for what isn't a call, and for a call without arguments. */
  objectDigest: string | null
}

const calls: readonly JsonValue[] = ['ToolCall', 'ModelCall']

/** `payload`: what the decision binds, unmasked. Only digests leave this function. */
export function shapeOf(cipher: TenantCipher, payload: JsonObject): ShapeDigests {
  const { action = null, resource = null, environment = null } = payload
  const shape = canonicalJson([action, resource, environment])
  const object = calls.includes(action) && isJsonObject(payload.arguments) ? objectOf(payload.arguments) : undefined
  return {
    shapeDigest: keyedDigest(cipher, 'approvals', 'shape_digest', shape),
    objectDigest:
      object === undefined ? null : keyedDigest(cipher, 'approvals', 'object_digest', `${shape}\n${object}`),
  }
}

/** The target of a call, otherwise all of its arguments. Undefined without any: such calls are made again and again. */
function objectOf(args: JsonObject): string | undefined {
  const target = targetOf(args)
  if (target !== undefined) return target
  return Object.keys(args).length === 0 ? undefined : canonicalJson(args)
}
