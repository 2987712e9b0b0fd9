import { CompiledQuery } from 'kysely'
import { boundType } from '#server/kernel/bound/types.ts'
import { commitmentState } from '#server/kernel/content/committed.ts'
import { keyedDigest } from '#server/kernel/content/keyed-digest.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { type Transaction, writeKnown } from '#server/kernel/db/closing.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { encryptAttributes, encryptData } from './event-content.ts'
import type { NewEvent } from './store.ts'

const bound = boundType('input_event')
const callText = 'accept_event($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)'

/**
 * Stores an event for which no wait is open and which was not sent before, with the COMMIT, which throws Unforeseen in the other
 * cases.
 */
export async function acceptEvent(tx: Transaction, cipher: TenantCipher, event: NewEvent): Promise<void> {
  const { tenantId, id, fingerprint, executionId, inputName, submittedBy } = event
  const at = (await databaseClock(tx))()
  const until = new Date(at.getTime() + event.ttlSeconds * 1000)
  const data = encryptData(cipher, id, event.data)
  const attributes = encryptAttributes(cipher, id, event.attributes)
  const row = {
    id,
    fingerprint,
    executionId,
    inputName,
    status: 'received',
    submittedBy,
    revision: 1,
    receivedAt: at.toISOString(),
    expiresAt: until.toISOString(),
    settledAt: null,
    data: commitmentState(data),
    attributes: commitmentState(attributes),
  }
  await writeKnown(tx, {
    tenantId,
    mayDiffer: true,
    call: CompiledQuery.raw(callText, [
      tenantId,
      id,
      keyedDigest(cipher, 'input_events', 'identity', event.identity),
      fingerprint,
      executionId,
      inputName,
      data,
      attributes,
      submittedBy,
      at,
      until,
    ]),
    rows: [{ bound, id, row: JSON.stringify(row), before: null }],
  })
}
