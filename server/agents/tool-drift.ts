import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'

/** What a release pins of a tool's own words. */
export type PinnedTool = { name: string; description: string; inputSchema: JsonObject; digest: string }

/** One member that is not as it was released; long values are cut. */
export type Difference = { path: string; released: JsonValue; offered: JsonValue }

const maxDifferences = 20
const maxText = 200

/** How a tool differs from the released one; none when its digest is the same. Undefined `offered`: the tool is gone. */
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
