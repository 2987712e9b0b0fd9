import { readFileSync } from 'node:fs'
import type { JsonObject } from '#lib/json.ts'
import { argumentTypeOf, type RecordType, typeText } from './argument-types.ts'
import { cedarString } from './cedar-string.ts'

/** A tool that policies can refer to. */
export type SchemaTool = { server: string; name: string; inputSchema: JsonObject }

const base = readFileSync(new URL('schema.cedarschema', import.meta.url), 'utf8')
const place = '  // One action for each tool follows here.\n'
/** With more tools, validation would exceed the time limit of a check. */
const mostTools = 500

/** The action and the resource of a call have the same id. */
export const toolId = ({ server, name }: { server: string; name: string }): string => `${server}/${name}`

/**
 * The Cedar schema for these tools: one action per tool, in ToolCall, with the tool's own arguments. A rule for all of ToolCall
 * is checked against every tool and against AnyOtherTool, which represents tools that do not exist yet.
 */
export function typedSchema(tools: readonly SchemaTool[]): string {
  const known = new Map(tools.map((tool) => [toolId(tool), tool]))
  const actions = [...known]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, mostTools)
    .map(([id, tool]) => actionText(id, argumentTypeOf(tool.inputSchema)))
  return base.replace(place, () => actions.join(''))
}

const actionText = (id: string, type: RecordType): string => `
  action ${cedarString(id)} in [ToolCall] appliesTo {
    principal: [Agent],
    resource: [Tool],
    context: { "call": Call, "env": Env, "fulfilled": Set<String>, "arguments": ${typeText(type)} },
  };
`
