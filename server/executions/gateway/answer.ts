import type { CallToolResult } from '@modelcontextprotocol/server'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { topicOf } from '#server/kernel/db/notify.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findCall, setAnswered, setAwaited } from './gateway-store.ts'

/** Longer, and a client would give the request up: then the answer is that the call goes on. */
const longestWaitMs = 25_000

type Call = NonNullable<Awaited<ReturnType<typeof findCall>>>

/**
 * What became of a call, as a tool's result: its answer, why it was not made, or where to ask for it. `key`: by which the
 * same call takes the answer, once; undefined when the caller has a key of its own.
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
  // It may have ended before it was marked; the next same call takes it all the same.
  const waiting = call.status === 'waiting_approval'
  const message = waiting
    ? 'This call waits for the approval of a person. Make the same call again later: once it is approved it runs once, and the same call gets its answer.'
    : 'This call is still running. Make the same call again later: it gets the answer.'
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

/** The call as soon as it has ended or waits for a person; or as it is after a while. */
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
      if (call === undefined) throw new Error(`There is no execution ${id}.`)
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
