import { decimal } from '#lib/rules/cost.ts'
import { GrantStatus, StandingGrant } from '#lib/schemas/approvals/grants.ts'
import { findApprovalsById } from '#server/approvals/list-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import type { GrantRow } from './store.ts'

/** What a grant says is in the request by which it was decided, as its approver read it. */
export async function grantViews(
  tx: Transaction,
  tenantId: string,
  rows: readonly GrantRow[],
): Promise<StandingGrant[]> {
  if (rows.length === 0) return []
  const people = rows.flatMap(({ proposedBy, approvedBy }) =>
    approvedBy === null ? [proposedBy] : [proposedBy, approvedBy],
  )
  const [requests, actor] = await Promise.all([
    findApprovalsById(
      tx,
      tenantId,
      rows.map(({ approvalId }) => approvalId),
    ),
    actorsById(tx, tenantId, people),
  ])
  return rows.map((row) => {
    const request = requests.get(row.approvalId)
    const agent = request?.presentation.agent
    return {
      id: row.id,
      status: GrantStatus.parse(row.status),
      lapse: StandingGrant.shape.lapse.parse(row.lapse),
      title: request?.presentation.title ?? 'A standing grant whose content is no longer stored',
      agent: { id: row.agentId, name: agent?.name ?? 'unknown', displayName: agent?.displayName ?? 'Unknown' },
      environment: row.environment,
      resource: row.resource,
      arguments: request?.presentation.arguments ?? [],
      uses: row.uses,
      maxUses: row.maxUses,
      spent:
        row.currency === null || row.maxMicros === null
          ? null
          : {
              currency: row.currency,
              total: decimal(BigInt(row.usedMicros)),
              max: decimal(BigInt(row.maxMicros)),
            },
      until: row.untilAt.toISOString(),
      createdAt: row.createdAt.toISOString(),
      decidedAt: row.decidedAt?.toISOString() ?? null,
      endedAt: row.endedAt?.toISOString() ?? null,
      proposedBy: actor(row.proposedBy),
      approvedBy: row.approvedBy === null ? null : actor(row.approvedBy),
      approvalId: row.approvalId,
      sourceId: row.sourceId,
      revision: row.revision,
    }
  })
}
