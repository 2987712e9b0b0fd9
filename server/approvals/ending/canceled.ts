import { Canceled } from '#lib/schemas/approvals/canceled.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findCancelRecords } from './canceled-store.ts'

type Ended = { status: string; auditId: string | null; decidedAt: Date | null }

/** Who canceled these requests, of those that are canceled. */
export async function canceledOf<R extends Ended>(
  tx: Transaction,
  tenantId: string,
  requests: readonly R[],
): Promise<(request: R) => Canceled | undefined> {
  const records = await findCancelRecords(
    tx,
    tenantId,
    requests.flatMap(({ status, auditId }) => (status === 'canceled' && auditId !== null ? [auditId] : [])),
  )
  if (records.length === 0) return () => undefined
  const byId = new Map(records.map((record) => [record.auditId, record]))
  const members = records.filter(({ kind }) => isMember(kind))
  const actor = await actorsById(
    tx,
    tenantId,
    members.map(({ id }) => id),
  )
  return ({ auditId, decidedAt }) => {
    const record = byId.get(auditId ?? '')
    if (record === undefined || decidedAt === null) return undefined
    const { kind, id, name, reason } = record
    const displayName = isMember(kind) ? actor(id).displayName : name
    return {
      by: { kind: Canceled.shape.by.shape.kind.parse(kind), id, displayName },
      at: decidedAt.toISOString(),
      reason,
    }
  }
}

const isMember = (kind: string): boolean => kind !== 'agent' && kind !== 'system'
