import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { targetOf } from '#lib/rules/calls/object.ts'
import { amountIn, argumentRows, describeEffect } from '#lib/rules/effect.ts'
import { isMasked } from '#lib/rules/masked.ts'
import type { ArgumentView, Presentation } from '#lib/schemas/approvals.ts'
import type { ExecutionEffect } from '#lib/schemas/executions.ts'
import type { Masker } from '#server/executions/state/masking.ts'
import type { ReleaseContent, ReleasedTool } from '#server/releases/content.ts'

/** What is known of an execution. `request`, `calls` and `input` are masked. */
export type Known = {
  content: ReleaseContent
  /** Of its newest request for approval. */
  request: Pick<Presentation, 'title' | 'arguments'> | undefined
  /** The data of its first calls of tools, from the journal. */
  calls: readonly JsonValue[]
  input: JsonObject | undefined
}

/** What an execution does, as a sentence. A request says it best, then the first call that changes something, then the input. */
export function effectOf({ content, request, calls, input }: Known): ExecutionEffect | null {
  if (request !== undefined) return { title: request.title, amount: amountIn(request.arguments) }
  for (const call of calls) {
    const tool = isJsonObject(call) ? toolNamed(content, call.tool) : undefined
    if (tool !== undefined && changes(tool) && isJsonObject(call)) return ofCall(tool, call.arguments)
  }
  if (input === undefined) return null
  const call = gatewayCall(content, input)
  if (call !== undefined) return ofCall(call.tool, call.arguments)
  const target = targetOf(input)
  if (target === undefined) return null
  return { title: `${content.agent.displayName} for ${target}`, amount: amountIn(argumentRows(input)) }
}

const changes = ({ sideEffect }: ReleasedTool): boolean => sideEffect === 'write' || sideEffect === 'irreversible'

function ofCall(tool: ReleasedTool, args: JsonValue | undefined): ExecutionEffect {
  const shown = isJsonObject(args) && !isMasked(args) ? args : {}
  return { title: describeEffect(tool.title, shown, tool.inputSchema).title, amount: amountIn(argumentRows(shown)) }
}

const toolNamed = ({ tools }: ReleaseContent, name: JsonValue | undefined): ReleasedTool | undefined =>
  tools.find((tool) => `${tool.server}.${tool.name}` === name)

/** The input of a call through the gateway describes the call. */
function gatewayCall(content: ReleaseContent, input: JsonObject) {
  if (content.spec.runtime.observe === undefined) return undefined
  const tool = toolNamed(content, `${String(input.server)}.${String(input.tool)}`)
  return tool === undefined ? undefined : { tool, arguments: input.arguments }
}

/** The same effect, without a title in which `mask` finds a sensitive value that a later answer made known. */
export function stillShown(effect: ExecutionEffect | null, mask: Masker): ExecutionEffect | null {
  return effect === null || mask(effect.title) !== effect.title ? null : effect
}

const mostRows = 3
const longest = 80

/** The first values of a masked input, for one line, and how many more it has. */
export function inputInShort(
  content: ReleaseContent,
  input: JsonObject,
): { inputShown: ArgumentView[]; inputOmitted: number } {
  const rows = argumentRows(gatewayCall(content, input)?.arguments ?? input).filter(({ path }) => path !== '')
  const inputShown = rows
    .slice(0, mostRows)
    .map((row) => (typeof row.value === 'string' ? { ...row, value: shortened(row.value) } : row))
  return { inputShown, inputOmitted: rows.length - inputShown.length }
}

const shortened = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`
