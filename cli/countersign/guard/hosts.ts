import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { Failed } from '../failure.ts'

/** A program whose hook asks before a tool runs. */
export type Host = 'claude-code' | 'codex' | 'cursor'
export const hosts: readonly Host[] = ['claude-code', 'codex', 'cursor']

/** A call that a host is about to make. */
export type HostCall = { host: Host; event: string; tool: string; arguments: JsonObject }

const unreadable = (message: string) => new Failed('refused', message, { code: 'unreadable_hook' })

/** Reads what a host writes to its hook. Throws Failed for anything that does not describe one call of a tool. */
export function readCall(text: string, given: Host | undefined): HostCall {
  let input: JsonValue
  try {
    input = JSON.parse(text)
  } catch {
    throw unreadable('The hook’s input is not valid JSON.')
  }
  const event = isJsonObject(input) ? input.hook_event_name : undefined
  if (!isJsonObject(input) || typeof event !== 'string') throw unreadable('The hook’s input does not name its event.')
  const host = given ?? hostOf(input, event)
  const known = { host, event }
  if (event === 'beforeShellExecution')
    return { ...known, tool: 'Shell', arguments: only({ command: input.command, cwd: input.cwd }) }
  if (event === 'beforeReadFile') return { ...known, tool: 'Read', arguments: only({ file_path: input.file_path }) }
  if (event !== 'PreToolUse' && event !== 'preToolUse' && event !== 'beforeMCPExecution')
    throw unreadable(`${event} is not an event before a call. Use the guard for PreToolUse, preToolUse or before….`)
  if (typeof input.tool_name !== 'string' || input.tool_name === '')
    throw unreadable('The hook’s input does not name a tool.')
  const tool = event === 'beforeMCPExecution' ? `MCP:${input.tool_name}` : input.tool_name
  return { ...known, tool, arguments: argumentsIn(input.tool_input) }
}

/** Codex has the protocol of Claude Code, and sends the id of the turn in addition. */
function hostOf(input: JsonObject, event: string): Host {
  if (event !== 'PreToolUse') return 'cursor'
  return typeof input.turn_id === 'string' ? 'codex' : 'claude-code'
}

/** Cursor writes the arguments of some tools as a text of JSON. */
function argumentsIn(value: JsonValue | undefined): JsonObject {
  if (value === undefined) return {}
  if (isJsonObject(value)) return value
  try {
    const inner: JsonValue = JSON.parse(typeof value === 'string' ? value : '')
    if (isJsonObject(inner)) return inner
  } catch {
    // Reported below.
  }
  throw unreadable('The arguments of the call are not an object.')
}

const only = (members: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, JsonValue] => {
      const [name, value] = entry
      if (name !== 'cwd' && typeof value !== 'string') throw unreadable(`The hook’s input lacks ${name}.`)
      return value !== undefined && value !== null
    }),
  )

/** What a host reads as permission. `changed`: the arguments that the policy allows in place of the requested ones. */
export function permission({ host, event }: HostCall, changed: JsonObject | undefined): string {
  if (host === 'cursor') return JSON.stringify({ permission: 'allow' })
  // Codex continues after a hook without an objection; earlier versions refuse the word.
  if (host === 'codex') return ''
  const decision = {
    hookEventName: event,
    permissionDecision: 'allow',
    permissionDecisionReason: 'Allowed by Countersign.',
  }
  return JSON.stringify({
    hookSpecificOutput: { ...decision, ...(changed === undefined ? {} : { updatedInput: changed }) },
  })
}

/** What a host reads as a denial. Before the call could be read, in the words of all of them. */
export function denial(call: Pick<HostCall, 'host' | 'event'> | undefined, reason: string): string {
  const ofCursor = { permission: 'deny', user_message: reason, agent_message: reason }
  const ofOthers = (hookEventName: string) => ({
    hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason: reason },
  })
  if (call === undefined) return JSON.stringify({ ...ofOthers('PreToolUse'), ...ofCursor })
  return JSON.stringify(call.host === 'cursor' ? ofCursor : ofOthers(call.event))
}
