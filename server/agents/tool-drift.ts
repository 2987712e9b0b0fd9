import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'

/** The part of a tool's description that a release pins. */
export type PinnedTool = { name: string; description: string; inputSchema: JsonObject; digest: string }

/** A member that differs from the release; long values are truncated. */
export type Difference = { path: string; released: JsonValue; offered: JsonValue }

const maxDifferences = 20
const maxText = 200

/** The differences from the released tool; empty when the digests match. `offered` is undefined for a removed tool. */
export function toolDifferences(released: PinnedTool, offered: PinnedTool | undefined): Difference[] {
  if (offered === undefined) return [{ path: '', released: released.name, offered: null }]
  if (offered.digest === released.digest) return []
  const found: Difference[] = []
  const view = ({ description, inputSchema }: PinnedTool): JsonObject => ({ description, inputSchema })
  compare(view(released), view(offered), '', found)
  return found.slice(0, maxDifferences)
}

function compare(released: JsonValue | undefined, offered: JsonValue | undefined, path: string, found: Difference[]) {
  if (found.length >= maxDifferences) return
  if (isMapping(released) && isMapping(offered)) {
    for (const key of new Set([...Object.keys(released), ...Object.keys(offered)]))
      compare(own(released, key), own(offered, key), path === '' ? key : `${path}.${key}`, found)
    return
  }
  if (released === undefined || offered === undefined || canonicalJson(released) !== canonicalJson(offered))
    found.push({ path, released: shortened(released), offered: shortened(offered) })
}

const own = (value: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined

const isMapping = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function shortened(value: JsonValue | undefined): JsonValue {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : canonicalJson(value)
  return text.length <= maxText ? value : `${text.slice(0, maxText).toWellFormed()}…`
}
