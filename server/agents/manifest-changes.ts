import type { z } from 'zod'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { ManifestChange } from '#lib/schemas/agents.ts'
import { localServer } from '#lib/schemas/manifest.ts'

type Change = z.infer<typeof ManifestChange>
type Area = Change['area']
/** The statements of a manifest in one area: subject → value. */
type Facts = Map<string, JsonValue>

/** The differences between two manifests, by area and then by subject. Layout and order don't count. */
export function manifestChanges(from: JsonObject, to: JsonObject): Change[] {
  const [before, after] = [factsOf(from), factsOf(to)]
  return areas.flatMap((area) => changesIn(area, before[area], after[area]))
}

const areas: readonly Area[] = ['tools', 'approvals', 'models', 'data', 'budgets', 'risk', 'other']

function changesIn(area: Area, before: Facts, after: Facts): Change[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((subject): Change[] => {
    const [old, now] = [before.get(subject), after.get(subject)]
    if (old !== undefined && now !== undefined)
      return canonicalJson(old) === canonicalJson(now)
        ? []
        : [{ area, subject, change: 'changed', before: old, after: now }]
    return [
      now === undefined
        ? { area, subject, change: 'removed', before: old ?? null, after: null }
        : { area, subject, change: 'added', before: null, after: now },
    ]
  })
}

function factsOf(manifest: JsonObject): Record<Area, Facts> {
  const spec = objectAt(manifest, 'spec')
  const known = new Set(['tools', 'models', 'data', 'limits', 'risk', 'governance'])
  const governance = objectAt(spec, 'governance')
  const runtime = objectAt(spec, 'runtime')
  const chat = objectAt(runtime, 'chat')
  const tools = listAt(spec, 'tools').filter(isJsonObject)
  const named = (key: string) =>
    tools.flatMap((entry) => {
      const server = entry.local === undefined ? objectAt(entry, 'mcp').server : localServer
      return listAt(entry, key).flatMap((name) => (typeof name === 'string' ? [`${String(server)}/${name}`] : []))
    })
  const models = [chat.model, ...listAt(spec, 'models').map((model) => (isJsonObject(model) ? model.name : model))]
  return {
    tools: new Map([
      ...named('allow').map((name): [string, JsonValue] => [name, true]),
      ...named('allowResources').map((name): [string, JsonValue] => [`${name} (resource)`, true]),
      ...named('allowPrompts').map((name): [string, JsonValue] => [`${name} (prompt)`, true]),
      // Without allow, all of them are allowed.
      ...tools.flatMap((entry) =>
        listAt(entry, 'local').flatMap((tool): [string, JsonValue][] =>
          isJsonObject(tool) ? [[`${localServer}/${String(tool.name)}`, tool]] : [],
        ),
      ),
      ...tools.flatMap((entry): [string, JsonValue][] => {
        const mcp = objectAt(entry, 'mcp')
        return mcp.url === undefined ? [] : [[`${String(mcp.server)} (address)`, mcp.url]]
      }),
    ]),
    approvals: new Map([
      ...named('requireApproval').map((name): [string, JsonValue] => [name, true]),
      ...Object.entries(objectAt(governance, 'approvals')),
    ]),
    models: new Map(models.flatMap((name): [string, JsonValue][] => (typeof name === 'string' ? [[name, true]] : []))),
    data: new Map([
      ...listAt(objectAt(spec, 'data'), 'sensitive').flatMap((entry): [string, JsonValue][] =>
        isJsonObject(entry) ? [[String(entry.path), entry.class ?? null]] : [],
      ),
      ...listAt(objectAt(spec, 'risk'), 'dataClasses').map((name): [string, JsonValue] => [
        `class ${String(name)}`,
        true,
      ]),
    ]),
    budgets: new Map(Object.entries(objectAt(spec, 'limits'))),
    risk: new Map(Object.entries(objectAt(spec, 'risk')).filter(([key]) => key !== 'dataClasses')),
    other: new Map([
      ...Object.entries(manifest)
        .filter(([key]) => key !== 'spec')
        .flatMap(([key, value]) => withoutVersion(key, value)),
      ...Object.entries(spec)
        .filter(([key]) => !known.has(key))
        .map(([key, value]): [string, JsonValue] => [`spec.${key}`, value]),
      ...Object.entries(governance)
        .filter(([key]) => key !== 'approvals')
        .map(([key, value]): [string, JsonValue] => [`spec.governance.${key}`, value]),
    ]),
  }
}

/** Removes the version itself, which always differs. */
function withoutVersion(key: string, value: JsonValue): [string, JsonValue][] {
  if (key === 'version') return []
  if (key !== 'metadata' || !isJsonObject(value)) return [[key, value]]
  return Object.entries(value)
    .filter(([name]) => name !== 'version')
    .map(([name, inner]): [string, JsonValue] => [`metadata.${name}`, inner])
}

const memberOf = (value: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined
function objectAt(value: JsonObject, key: string): JsonObject {
  const inner = memberOf(value, key)
  return isJsonObject(inner) ? inner : {}
}
function listAt(value: JsonObject, key: string): JsonValue[] {
  const inner = memberOf(value, key)
  return Array.isArray(inner) ? inner : []
}
