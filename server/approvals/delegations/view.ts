import type { Delegation } from '#lib/schemas/delegations.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'

type Row = {
  id: string
  delegatorId: string
  delegateId: string
  fromAt: Date
  untilAt: Date
  reason: string
  endedAt: Date | null
  revision: number
}

export async function delegationViews(tx: Transaction, tenantId: string, rows: readonly Row[]): Promise<Delegation[]> {
  const actor = await actorsById(
    tx,
    tenantId,
    rows.flatMap((row) => [row.delegatorId, row.delegateId]),
  )
  return rows.map((row) => ({
    id: row.id,
    delegator: actor(row.delegatorId),
    delegate: actor(row.delegateId),
    from: row.fromAt.toISOString(),
    until: row.untilAt.toISOString(),
    reason: row.reason,
    status: statusOf(row),
    endedAt: row.endedAt?.toISOString() ?? null,
    revision: row.revision,
  }))
}

function statusOf({ fromAt, untilAt, endedAt }: Row, now = Date.now()): Delegation['status'] {
  if (endedAt !== null) return 'ended'
  if (untilAt.getTime() <= now) return 'over'
  return fromAt.getTime() <= now ? 'active' : 'planned'
}
