import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** Applies a JSON Merge Patch (RFC 7396) to an object: null removes a member, objects are merged, the rest is replaced. */
export const mergePatch = (target: JsonObject, patch: JsonObject): JsonObject => merged(target, patch) as JsonObject

function merged(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch
  const members = new Map(isJsonObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch))
    if (value === null) members.delete(name)
    else members.set(name, merged(members.get(name), value))
  // fromEntries defines own properties, so __proto__ is an ordinary name.
  return Object.fromEntries(members)
}
