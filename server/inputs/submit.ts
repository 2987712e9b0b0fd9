import { createHash } from 'node:crypto'
import { durationSeconds } from '#lib/duration.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import { ReceiptStatus, SubmitInput, SubmitOutput } from '#lib/schemas/inputs.ts'
import { newSalt } from '#server/kernel/content/salt.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { acceptEvent } from './accept-store.ts'
import { tellExecution } from './listeners.ts'
import { matchEvent } from './match.ts'
import { rememberSent, wasSent } from './sent-before.ts'
import { findEventByIdentity, findWaitFor, insertEvent, lockInputs } from './store.ts'

const digest = (value: JsonValue) => createHash('sha256').update(canonicalJson(value)).digest('hex')

/** The identity of an event: the idempotency key, or else the source and id of a CloudEvent. */
const identityOf = ({ idempotencyKey, source, id }: SubmitInput) =>
  digest(idempotencyKey === undefined ? { source: source ?? null, id: id ?? null } : { key: idempotencyKey })

/** The content that a repeated event must match. Salted, because it is visible where the data is not. */
const fingerprintOf = ({ source, type, subject, correlation, data }: SubmitInput, salt: string | undefined) => {
  const content = { source: source ?? null, type: type ?? null, subject: subject ?? null, correlation, data }
  return `sha256:${digest(salt === undefined ? content : { ...content, salt })}`
}

/**
 * Stores an event in the durable inbox: it is committed before the caller gets `accepted`, and in the same transaction matched
 * with its wait, or kept until that wait opens. A repeated event gets the same receipt.
 */
export const submit = mutation({
  permission: 'input:submit',
  contained: true,
  input: SubmitInput,
  output: SubmitOutput,
  audit: ({ correlation: { executionId, input } }, output) => ({
    action: 'input.submitted',
    resource: { type: 'input_event', id: output?.receiptId ?? 'none' },
    details: {
      executionId,
      input,
      status: output?.status,
    },
  }),
  async run({ tx, tenant, principal, input, unforeseen, repeated, note }) {
    const { executionId, input: inputName } = input.correlation
    const salt = newSalt()
    const fingerprint = fingerprintOf(input, salt)
    const row = { tenantId: tenant.id, id: newId(), identity: identityOf(input), fingerprint, executionId, inputName }
    const cipher = await tenantCipher(tx, tenant.id)
    const event = {
      ...row,
      attributes: {
        idempotencyKey: input.idempotencyKey ?? null,
        source: input.source ?? null,
        id: input.id ?? null,
        type: input.type ?? null,
        subject: input.subject ?? null,
        salt,
      },
      data: input.data,
      submittedBy: principal.memberId,
      ttlSeconds: durationSeconds(input.ttl) ?? 0,
    }
    if (unforeseen === undefined) {
      // A wrong expectation costs one read: the event may be gone, or not committed yet.
      const before = wasSent(tenant.id, row.identity) ? await findBefore() : undefined
      if (before !== undefined) return again(before)
      rememberSent(tenant.id, row.identity)
      await acceptEvent(tx, cipher, event)
      note({ fingerprint })
      return { result: 'accepted' as const, receiptId: row.id, status: 'received' as const }
    }
    const inserted = unforeseen !== 'duplicate' && (await insertEvent(tx, cipher, event))
    // A duplicate must not take the lock, because many duplicates would each hold it until commit.
    if (!inserted) return again(await findBefore())
    // Sent concurrently, so that both queries take one round trip.
    const [, wait] = await Promise.all([
      lockInputs(tx, tenant.id, executionId),
      findWaitFor(tx, tenant.id, executionId, inputName),
    ])
    note({ fingerprint })
    const match = wait === undefined ? undefined : await matchEvent(tx, tenant.id, row, wait)
    if (match?.status === 'accepted') await tellExecution(tx, tenant.id, executionId)
    return { result: 'accepted' as const, receiptId: row.id, status: match?.status ?? ('received' as const) }

    async function findBefore() {
      return await findEventByIdentity(tx, tenant.id, row.identity)
    }

    function again(before: Awaited<ReturnType<typeof findBefore>>) {
      // An erased event cannot be compared, so its key, or its source and id, decide alone.
      const same =
        before?.attributes.erased === true || before?.fingerprint === fingerprintOf(input, before?.attributes.salt)
      if (before === undefined || !same)
        throw refuse(
          'event_conflict',
          'An event with this key, or with this source and id, was already sent with different content.',
        )
      note({ fingerprint: before.fingerprint })
      repeated()
      return { result: 'duplicate' as const, receiptId: before.id, status: ReceiptStatus.parse(before.status) }
    }
  },
})
