import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { failedCall, toolResult } from '#server/agents/tool-result.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { AddressRefused, NotReached } from '#server/kernel/net/outbound.ts'
import { SecretRefused } from '#server/secrets/use-value.ts'
import type { CallResult } from './budget.ts'
import { withEndpoint } from './endpoint.ts'

/** POSTs the input to the agent's own address. Throws without a complete response. */
export async function callHttpAgent(
  { tenant, row, content, input }: Loaded,
  { idempotencyKey, timeoutMs, signal }: { idempotencyKey: string; timeoutMs: number; signal: AbortSignal },
): Promise<CallResult> {
  const { http } = content.spec.runtime
  if (http === undefined) throw new Error('This runtime does not have an address.')
  try {
    return await withEndpoint(
      tenant,
      { url: http.url, secretRef: http.auth?.secretRef, idleMs: timeoutMs },
      async (fetch, headers) => {
        const answer = await fetch(http.url, {
          method: 'POST',
          headers: { ...headers, accept: 'application/json', 'idempotency-key': idempotencyKey },
          body: JSON.stringify({ executionId: row.id, traceId: row.traceId, environment: row.environment, input }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        })
        const text = await answer.text()
        if (!answer.ok) return failedCall(`The agent returned the status ${answer.status}.`)
        const value = parsed(text)
        return toolResult({
          content: [{ type: 'text', text }],
          ...(isJsonObject(value) ? { structuredContent: value } : {}),
        })
      },
    )
  } catch (error) {
    // Nothing was sent.
    if (error instanceof AddressRefused || error instanceof NotReached || error instanceof SecretRefused)
      return failedCall(error.message)
    throw error
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
