import type { CallToolResult } from '@modelcontextprotocol/server'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { topicOf } from '#server/kernel/db/notify.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findCall, setAnswered, setAwaited } from './gateway-store.ts'

/** Clients give up longer requests, so after this time the response is that the call is still pending. */
const longestWaitMs = 25_000

type Call = NonNullable<Awaited<ReturnType<typeof findCall>>>

/**
 * The outcome of a call as a tool result: its answer, why it was not made, or how to poll for it. `key`: identifies the same
 * call, which takes the answer once; undefined when the caller supplies its own key.
 */
export async function answerTo(tenant: Tenant, executionId: string, key: string | undefined): Promise<CallToolResult> {
  const call = await settled(tenant.id, executionId, key)
  if (call.endedAt !== null) {
    if (key !== undefined && call.awaited)
      await runtime().database.inTenant(tenant.id, (tx) => setAnswered(tx, tenant.id, executionId, key))
    return finished(call, executionId)
  }
  if (key !== undefined)
    await runtime().database.inTenant(tenant.id, (tx) => setAwaited(tx, tenant.id, executionId, key))
  // The call may end before it is marked; the next identical call still takes its answer.
  const waiting = call.status === 'waiting_approval'
  const message = waiting
    ? 'This call is waiting for approval. Repeat the same call later: once approved, it runs once and returns its result.'
    : 'This call is still running. Repeat the same call later to get its result.'
  return result(message, {
    status: 'pending',
    reason: waiting ? 'approval' : 'running',
    executionId,
    approvalId: waiting ? call.approvalId : null,
    poll: { repeat: 'the same call', procedure: 'executions.get', input: { id: executionId } },
  })
}

function finished(call: Call, executionId: string): CallToolResult {
  if (call.status === 'succeeded') {
    const output = call.output as JsonValue
    return isJsonObject(output) ? result(JSON.stringify(output), output) : result(String(output))
  }
  const error = isJsonObject(call.error) ? call.error : {}
  const code = String(error.code ?? call.status)
  const details = { status: call.status, code, message: String(error.message ?? ''), executionId }
  return { ...result(`${details.code}: ${details.message}`, details), isError: true }
}

const result = (text: string, structuredContent?: JsonObject): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
})

/** The call as soon as it has ended or waits for an approval, or its state after the longest wait. */
async function settled(tenantId: string, id: string, key: string | undefined): Promise<Call> {
  const { database, listener } = runtime()
  const deadline = Date.now() + longestWaitMs
  for (;;) {
    let wake: () => void = () => undefined
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    const off = listener.on('execution', topicOf(tenantId, id), wake)
    try {
      const call = await database.inTenant(tenantId, (tx) => findCall(tx, tenantId, id, key))
      if (call === undefined) throw new Error(`Execution ${id} does not exist.`)
      const left = deadline - Date.now()
      if (call.endedAt !== null || call.status === 'waiting_approval' || left <= 0) return call
      const timer = setTimeout(wake, left)
      await woken
      clearTimeout(timer)
    } finally {
      off()
    }
  }
}
