import type { CallToolResult } from '@modelcontextprotocol/server'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { approvalPath } from '#lib/paths.ts'
import { contentMember } from '#server/executions/runtimes/next-gateway.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { addressOf } from '#server/mail/address.ts'
import { changesOf } from './changes.ts'
import { findCall, setAnswered } from './gateway-store.ts'

/** Milliseconds. Most clients give up after a minute, also when they get notifications of progress. */
export const longestWait = 50_000
/** Milliseconds for which also a client that does not wait learns whether its call runs, waits for a person or has ended: usually few. */
const firstTurn = 2000
/** Milliseconds between two notifications. */
const progressEvery = 5000

type Call = NonNullable<Awaited<ReturnType<typeof findCall>>>

/** A call that waits for a person. */
export type Waiting = { executionId: string; approvalId: string; url: string }

/** `isPending`: the call has not ended, and the result says how to poll for it. `asking`: it waits for a person. */
type Answer = { result: CallToolResult; isPending: boolean; asking?: Waiting }

export type Wait = {
  /** The longest time in milliseconds. */
  atMost: number
  /** The client opens addresses: it is told at once that the call waits for a person. */
  untilAsked: boolean
  /** Aborts when the client has gone, or when the process stops: it answers that the call is pending, and the client asks another one. */
  signal: AbortSignal
  /** Tells the client that its call is alive. `seconds`: how long it has waited. */
  progress(seconds: number, doing: 'Running' | 'Waiting for approval' | typeof changesWanted): void
}

/** What a person has to do before the call can run. */
export const changesWanted = 'A reviewer requested changes to the call'

/** What a call waits for: a decision, or other arguments, which a reviewer requested. Undefined if it waits for no person. */
export function waitsFor({
  status,
  approvalStatus,
}: Pick<Call, 'status' | 'approvalStatus'>): 'approval' | 'changes' | undefined {
  if (status !== 'waiting_approval') return undefined
  // A request that is withdrawn ends its call.
  return approvalStatus === 'canceled' ? 'changes' : 'approval'
}

/**
 * The outcome of a call as a tool result: its answer, why it was not made, or how to poll for it. `key`: identifies the same
 * call, which takes the answer once; undefined when the caller supplies its own key. `asking` is set while the call waits for a
 * person.
 */
export async function answerTo(
  tenant: Tenant,
  executionId: string,
  key: string | undefined,
  wait: Wait,
): Promise<Answer> {
  const call = await settled(tenant.id, executionId, key, wait)
  if (call.endedAt !== null) {
    // A client that has gone did not take it.
    if (key !== undefined && call.awaited && !wait.signal.aborted)
      await runtime().database.inTenant(tenant.id, (tx) => setAnswered(tx, tenant.id, executionId, key))
    return { result: resultOf(tenant, call, executionId), isPending: false }
  }
  const { approvalId } = call
  const waiting = waitsFor(call)
  const url = waiting !== undefined && approvalId !== null ? approvalUrl(tenant, approvalId) : undefined
  const at = url === undefined ? '' : ` (${url})`
  const message = {
    approval: `This call is waiting for approval${at}. Repeat the same call later: once approved, it runs once and returns its result.`,
    changes: `${changesWanted}${at}, so no one can approve it as it is. Those who asked can propose other arguments there; the same call then returns the result of those. To give it up, cancel the execution.`,
    running: 'This call is still running. Repeat the same call later to get its result.',
  }[waiting ?? 'running']
  const pending = result(message, {
    status: 'pending',
    reason: waiting === 'changes' ? 'changes_requested' : (waiting ?? 'running'),
    executionId,
    approvalId: waiting === undefined ? null : approvalId,
    ...(url === undefined ? {} : { url }),
    poll: { repeat: 'the same call', procedure: 'executions.get', input: { id: executionId } },
  })
  return {
    result: pending,
    isPending: true,
    ...(url === undefined || approvalId === null ? {} : { asking: { executionId, approvalId, url } }),
  }
}

/** The page on which people decide. */
export const approvalUrl = (tenant: Tenant, approvalId: string): string =>
  addressOf(approvalPath(tenant.externalId, approvalId), tenant)

/** The statuses of a call that was not made because of what people did with its request. */
const unapproved: ReadonlySet<string> = new Set(['rejected', 'expired'])

/**
 * What a call that has ended returns. One that people did not approve names its request: its page shows the reason to those who may
 * read it, which the error does not.
 */
export function resultOf(
  tenant: Tenant,
  call: Pick<Call, 'status' | 'output' | 'error' | 'approvalId'>,
  executionId: string,
): CallToolResult {
  if (call.status === 'succeeded') {
    const output = call.output as JsonValue
    if (!isJsonObject(output)) return result(String(output))
    const { [contentMember]: content, ...structured } = output
    if (!Array.isArray(content)) return result(JSON.stringify(output), output)
    return {
      content: content as CallToolResult['content'],
      ...(Object.keys(structured).length === 0 ? {} : { structuredContent: structured }),
    }
  }
  const error = isJsonObject(call.error) ? call.error : {}
  const code = String(error.code ?? call.status)
  const message = String(error.message ?? '')
  const { status, approvalId } = call
  const details = { status, code, message, executionId }
  if (approvalId === null || !unapproved.has(status))
    return { ...result(`${code}: ${message}`, details), isError: true }
  const url = approvalUrl(tenant, approvalId)
  return { ...result(`${code}: ${message} (${url})`, { ...details, approvalId, url }), isError: true }
}

const result = (text: string, structuredContent?: JsonObject): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
})

/** The call as soon as it has ended or the client can be asked, or its state after the wait. */
async function settled(tenantId: string, id: string, key: string | undefined, wait: Wait): Promise<Call> {
  const { database } = runtime()
  const begun = Date.now()
  let call: Call | undefined
  const left = () => {
    const isDecided = call !== undefined && call.status !== 'queued'
    return begun + (isDecided ? wait.atMost : Math.max(wait.atMost, firstTurn)) - Date.now()
  }
  for await (const _ of changesOf(tenantId, [id], wait.signal, () => Math.min(left(), progressEvery))) {
    call = await database.inTenant(tenantId, (tx) => findCall(tx, tenantId, id, key))
    if (call === undefined) throw new Error(`Execution ${id} does not exist.`)
    const waiting = waitsFor(call)
    if (call.endedAt !== null || (waiting !== undefined && wait.untilAsked) || left() <= 0) return call
    const doing = waiting === 'changes' ? changesWanted : waiting === 'approval' ? 'Waiting for approval' : 'Running'
    if (!wait.signal.aborted) wait.progress(Math.round((Date.now() - begun) / 1000), doing)
  }
  if (call === undefined) throw new Error(`Execution ${id} was not read.`)
  return call
}
