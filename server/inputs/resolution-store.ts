import { sql } from 'kysely'
import { present } from '#server/kernel/content/committed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { pageLimit } from '#server/kernel/db/statements/steady-plan.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { recipientContext } from './mail-store.ts'
import type { Filter } from './store.ts'

export async function insertResolution(
  tx: Transaction,
  row: { tenantId: string; id: string; waitId: string; eventId: string },
): Promise<void> {
  await tx
    .insertInto('inputResolutions')
    .values({ ...row, channel: 'event', delivery: 'pending', application: 'not_applied' })
    .execute()
}

/** Rejects resolutions that can no longer be applied because their execution has ended. Returns the ids of their events. */
export async function rejectResolutions(tx: Transaction, tenantId: string, executionId: string): Promise<string[]> {
  const rows = await tx
    .updateTable('inputResolutions')
    .set((e) => ({
      delivery: sql<string>`case when delivery in ('pending', 'in_flight') then 'failed' else delivery end`,
      deliveryError: 'The execution has ended.',
      application: 'rejected',
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('application', '=', 'not_applied')
    .where('channel', '=', 'event')
    .where('waitId', 'in', (e) =>
      e.selectFrom('inputWaits').select('id').where('tenantId', '=', tenantId).where('executionId', '=', executionId),
    )
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

const resolutions = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('inputResolutions as resolution')
    .innerJoin('inputWaits as wait', (join) =>
      join.onRef('wait.tenantId', '=', 'resolution.tenantId').onRef('wait.id', '=', 'resolution.waitId'),
    )
    .select(['resolution.id', 'resolution.waitId', 'resolution.eventId', 'resolution.channel', 'resolution.recipient'])
    .select(['resolution.delivery', 'resolution.deliveryError', 'resolution.application', 'resolution.attempts'])
    .select(['resolution.revision', 'resolution.createdAt', 'resolution.deliveredAt', 'resolution.appliedAt'])
    .select(['wait.executionId', 'wait.inputName', 'wait.status as waitStatus'])
    .where('resolution.tenantId', '=', tenantId)

function recipientOf(cipher: TenantCipher, { id, recipient }: { id: string; recipient: Buffer | null }): string | null {
  const stored = present(recipient)
  return stored === null ? null : String(cipher.decryptJson(stored, recipientContext(id)))
}

export async function findResolution(tx: Transaction, tenantId: string, id: string) {
  const row = await resolutions(tx, tenantId).where('resolution.id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : { ...row, recipient: recipientOf(await tenantCipher(tx, tenantId), row) }
}

export async function listResolutions(
  tx: Transaction,
  tenantId: string,
  { limit, cursor, executionId, delivery }: Filter & { delivery?: string | undefined },
) {
  const rows = await resolutions(tx, tenantId)
    .$if(cursor !== undefined, (q) => q.where('resolution.id', '<', cursor ?? ''))
    .$if(executionId !== undefined, (q) => q.where('wait.executionId', '=', executionId ?? ''))
    .$if(delivery !== undefined, (q) => q.where('resolution.delivery', '=', delivery ?? ''))
    .orderBy('resolution.id', 'desc')
    .limit(pageLimit(limit, executionId, delivery))
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => ({ ...row, recipient: recipientOf(cipher, row) }))
}

/** failed or unknown → pending, requested by a person. Undefined when the resolution has changed. */
export async function setRetried(
  tx: Transaction,
  tenantId: string,
  id: string,
  revision: number,
): Promise<number | undefined> {
  const row = await tx
    .updateTable('inputResolutions')
    .set((e) => ({
      delivery: 'pending',
      deliveryError: null,
      attempts: e('attempts', '+', 1),
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('delivery', 'in', ['failed', 'unknown'])
    .where('application', '=', 'not_applied')
    .returning('revision')
    .executeTakeFirst()
  return row?.revision
}
