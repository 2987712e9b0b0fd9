import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'

/** A flaw in a manifest's tools: its path (keys and indices from `spec`) and a message. */
export type ToolListFlaw = { path: (string | number)[]; message: string }

/** Approvals of tools that the agent may not call at all, and local tools that could not be called. */
export function toolListFlaws(spec: JsonValue | undefined): ToolListFlaw[] {
  if (!isJsonObject(spec) || !Array.isArray(spec.tools)) return []
  const entries = spec.tools.map((entry) => (isJsonObject(entry) ? entry : {}))
  const allowed = new Map<string, Set<string>>()
  for (const entry of entries)
    allowed.set(serverOf(entry), new Set([...(allowed.get(serverOf(entry)) ?? []), ...allowedIn(entry)]))
  const runtime = isJsonObject(spec.runtime) ? Object.keys(spec.runtime) : []
  const called = runtime.find((name) => name === 'steps' || name === 'chat')
  return entries.flatMap((entry, index) => [
    ...namesAt(entry.requireApproval).flatMap((name, at) =>
      allowed.get(serverOf(entry))?.has(name) === true
        ? []
        : [
            {
              path: ['tools', index, 'requireApproval', at],
              message: `${name} is not in allow, so the agent can’t call it. Add it to allow, or remove it here.`,
            },
          ],
    ),
    ...(entry.local === undefined ? [] : localFlaws(entry, ['tools', index], called)),
  ])
}

/** Steps whose tool no entry allows. Such a call is denied, which a manifest may be meant to show, so it is a warning. */
export function stepsWithoutTool(spec: JsonValue | undefined): ToolListFlaw[] {
  if (!isJsonObject(spec) || !isJsonObject(spec.runtime) || !Array.isArray(spec.runtime.steps)) return []
  const entries = (Array.isArray(spec.tools) ? spec.tools : []).filter(isJsonObject)
  return spec.runtime.steps.flatMap((step, index) => {
    const tool = isJsonObject(step) && isJsonObject(step.tool) ? step.tool : undefined
    if (typeof tool?.server !== 'string' || typeof tool.name !== 'string') return []
    const { server, name } = tool
    if (entries.some((entry) => serverOf(entry) === server && allowedIn(entry).includes(name))) return []
    const message = `No entry of spec.tools allows ${server}/${name}, so this call is denied.`
    return [{ path: ['runtime', 'steps', index, 'tool', 'name'], message }]
  })
}

const serverOf = ({ mcp, local }: JsonObject): string =>
  isJsonObject(mcp) && typeof mcp.server === 'string' ? mcp.server : local === undefined ? '' : 'local'

/** The tools that an entry allows; all local ones if it does not list them. */
const allowedIn = ({ allow, local }: JsonObject): string[] => (allow === undefined ? namesOf(local) : namesAt(allow))

const namesAt = (list: JsonValue | undefined): string[] =>
  (Array.isArray(list) ? list : []).map((name) => (typeof name === 'string' ? name : ''))

const namesOf = (tools: JsonValue | undefined): string[] =>
  (Array.isArray(tools) ? tools : []).map((tool) =>
    isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : '',
  )

function localFlaws(
  { mcp, local, allow, allowResources, allowPrompts }: JsonObject,
  path: (string | number)[],
  called: string | undefined,
): ToolListFlaw[] {
  if (mcp !== undefined)
    return [{ path: [...path, 'local'], message: 'Use either mcp or local. Write a second entry for local tools.' }]
  const names = namesOf(local)
  const twice = names.flatMap((name, index) =>
    name !== '' && names.indexOf(name) < index
      ? [{ path: [...path, 'local', index, 'name'], message: `The tool ${name} is declared twice.` }]
      : [],
  )
  const unknown = namesAt(allow).flatMap((name, index) =>
    names.includes(name) ? [] : [{ path: [...path, 'allow', index], message: `${name} is not in local.` }],
  )
  const uncallable =
    called === undefined
      ? []
      : [
          {
            path: [...path, 'local'],
            message: `Countersign makes the calls of the runtime ${called}, and can’t call local tools. Use an MCP server, or another runtime.`,
          },
        ]
  const served = Object.entries({ allowResources, allowPrompts }).flatMap(([name, list]) =>
    list === undefined
      ? []
      : [{ path: [...path, name], message: 'Local tools come without a server that could offer this.' }],
  )
  return [...uncallable, ...twice, ...unknown, ...served]
}
