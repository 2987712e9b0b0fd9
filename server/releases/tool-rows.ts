import { isJsonObject, type JsonObject } from '#lib/json.ts'
import type { ArgumentView } from '#lib/schemas/approvals.ts'
import type { ReleasedTool } from './content.ts'

/**
 * What a tool may do, and everything that it says of itself to models and programs, as its server wrote it: the reviewer sees
 * each text that a release passes on. A member that says nothing is left out.
 */
export function toolRows(tool: ReleasedTool): ArgumentView[] {
  const path = `tools.${tool.server}.${tool.name}`
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  const says = (member: string, value: ArgumentView['value'], isSaid: boolean): ArgumentView[] =>
    isSaid ? [{ path: `${path}.${member}`, value }] : []
  return [
    { path, value: `${tool.sideEffect}, schema ${tool.digest}` },
    ...says('title', title, title !== name),
    ...says('description', description, description !== ''),
    ...says('inputSchema', inputSchema, isTelling(inputSchema)),
    ...says('outputSchema', outputSchema, outputSchema !== undefined),
    ...says('annotations', annotations, annotations !== undefined),
  ]
}

/** Any other text could tell a model something. */
const dialects = new Set<unknown>([
  '',
  ...['draft-04', 'draft-06', 'draft-07'].flatMap((draft) => [
    `http://json-schema.org/${draft}/schema`,
    `http://json-schema.org/${draft}/schema#`,
  ]),
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
])

/** Whether a schema says more than that the arguments are an object. */
function isTelling(schema: JsonObject): boolean {
  const { $schema: dialect = '', type, properties = {}, additionalProperties = false, ...rest } = schema
  return (
    Object.keys(rest).length > 0 ||
    type !== 'object' ||
    !dialects.has(dialect) ||
    typeof additionalProperties !== 'boolean' ||
    !isJsonObject(properties) ||
    Object.keys(properties).length > 0
  )
}
