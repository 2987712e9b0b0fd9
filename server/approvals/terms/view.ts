import type { Approval } from '#lib/schemas/approvals.ts'
import { momentsOf } from '#server/approvals/clock/moments.ts'
import { type ApprovalRow, findGroupNames } from '#server/approvals/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

type Row = NonNullable<ApprovalRow>

/** The stages of a request with more than one. */
export async function stagesOf(tx: Transaction, tenantId: string, { terms, status }: Row): Promise<Approval['stages']> {
  if (terms === undefined || terms.stages.length === 1) return []
  const groups = await findGroupNames(
    tx,
    tenantId,
    terms.stages.map(({ groupId }) => groupId),
  )
  const isOver = (index: number) => index < terms.stage || (index === terms.stage && status === 'approved')
  return terms.stages.map(({ groupId, group, quorum }, index) => ({
    group: groups.find(({ id }) => id === groupId)?.displayName ?? group,
    groupName: group,
    quorum,
    status: isOver(index) ? ('approved' as const) : index === terms.stage ? ('current' as const) : ('next' as const),
  }))
}

export function clockOf(row: Row): Approval['clock'] {
  const { terms, parkedAt, status } = row
  const pending = status === 'pending'
  const moments = terms === undefined || !pending ? [] : momentsOf(row, terms)
  return {
    stopped: pending ? stoppedOf(terms?.pausedAt ?? null, parkedAt) : null,
    escalatesAt: moments.find(({ kind }) => kind === 'escalate')?.at.toISOString() ?? null,
    remindsAt: moments.find(({ kind }) => kind === 'remind')?.at.toISOString() ?? null,
  }
}

function stoppedOf(pausedAt: Date | null, parkedAt: Date | null): Approval['clock']['stopped'] {
  if (pausedAt !== null) return { since: pausedAt.toISOString(), by: 'question' }
  return parkedAt === null ? null : { since: parkedAt.toISOString(), by: 'suspension' }
}
