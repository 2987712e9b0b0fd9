import { timingSafeEqual } from 'node:crypto'
import { Id } from '#lib/schemas/common.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { keyedDigest } from '#server/kernel/content/keyed-digest.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'

/**
 * What a client sends back when it repeats a call that waits (`requestState`, MCP 2026-07-28): the execution, signed for this
 * caller and this call, so that nothing else of a client's is believed.
 */
export async function stateOf(caller: Caller, key: string, executionId: string): Promise<string> {
  return `${executionId}.${await signature(caller, key, executionId)}`
}

/** The execution that a state of this caller and this call names; undefined for any other text. */
export async function executionIn(caller: Caller, key: string, state: string): Promise<string | undefined> {
  const [executionId = '', given = ''] = state.split('.')
  if (!Id.safeParse(executionId).success) return undefined
  const expected = Buffer.from(await signature(caller, key, executionId))
  const actual = Buffer.from(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? executionId : undefined
}

const signature = ({ tenant, principal }: Caller, key: string, executionId: string): Promise<string> =>
  runtime().database.inTenant(tenant.id, async (tx) => {
    const text = JSON.stringify([principal.memberId, principal.clientId ?? null, key, executionId])
    return keyedDigest(await tenantCipher(tx, tenant.id), 'executions', 'request_state', text).replace(/^.*:/, '')
  })
