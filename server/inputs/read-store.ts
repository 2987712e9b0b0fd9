import type { Transaction } from '#server/kernel/db/database.ts'
import { pageLimit } from '#server/kernel/db/statements/steady-plan.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { openAttributes, openData } from './event-content.ts'
import type { Filter } from './store.ts'

const receipts = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('inputEvents as event')
    .leftJoin('inputResolutions as resolution', (join) =>
      join.onRef('resolution.tenantId', '=', 'event.tenantId').onRef('resolution.eventId', '=', 'event.id'),
    )
    .leftJoin('inputWaits as wait', (join) =>
      join.onRef('wait.tenantId', '=', 'resolution.tenantId').onRef('wait.id', '=', 'resolution.waitId'),
    )
    .select(['event.id', 'event.status', 'event.executionId', 'event.inputName', 'event.fingerprint', 'event.revision'])
    .select(['event.attributes', 'event.data', 'event.submittedBy', 'event.receivedAt', 'event.expiresAt'])
    .select(['wait.id as waitId', 'wait.stepId', 'wait.status as waitStatus', 'wait.matchedAt'])
    .select(['resolution.id as resolutionId', 'resolution.delivery', 'resolution.attempts', 'resolution.deliveredAt'])
    .select(['resolution.application', 'resolution.appliedAt'])
    .where('event.tenantId', '=', tenantId)

const openedReceipt = <Row extends { id: string; attributes: Buffer | null; data: Buffer | null }>(
  cipher: TenantCipher,
  row: Row,
) => ({
  ...row,
  attributes: openAttributes(cipher, row.id, row.attributes),
  data: openData(cipher, row.id, row.data),
})

export type ReceiptRow = NonNullable<Awaited<ReturnType<typeof findReceipt>>>

export async function findReceipt(tx: Transaction, tenantId: string, id: string) {
  const row = await receipts(tx, tenantId).where('event.id', '=', id).executeTakeFirst()
  if (row === undefined) return undefined
  return openedReceipt(await tenantCipher(tx, tenantId), row)
}

export async function listReceipts(
  tx: Transaction,
  tenantId: string,
  { limit, cursor, executionId, status }: Filter & { status?: string | undefined },
) {
  const rows = await receipts(tx, tenantId)
    .$if(cursor !== undefined, (q) => q.where('event.id', '<', cursor ?? ''))
    .$if(executionId !== undefined, (q) => q.where('event.executionId', '=', executionId ?? ''))
    .$if(status !== undefined, (q) => q.where('event.status', '=', status ?? ''))
    .orderBy('event.id', 'desc')
    .limit(pageLimit(limit, executionId, status))
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => openedReceipt(cipher, row))
}

export type WaitRow = Awaited<ReturnType<typeof listWaits>>[number]

export const listWaits = (
  tx: Transaction,
  tenantId: string,
  { limit, cursor, executionId, status }: Filter & { status?: string | undefined },
) =>
  tx
    .selectFrom('inputWaits')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .$if(cursor !== undefined, (q) => q.where('id', '<', cursor ?? ''))
    .$if(executionId !== undefined, (q) => q.where('executionId', '=', executionId ?? ''))
    .$if(status !== undefined, (q) => q.where('status', '=', status ?? ''))
    .orderBy('id', 'desc')
    .limit(pageLimit(limit, executionId, status))
    .execute()
