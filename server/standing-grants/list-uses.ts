import { notFound } from '#lib/errors.ts'
import { decimal } from '#lib/rules/cost.ts'
import { GrantUseList, ListGrantUsesInput } from '#lib/schemas/approvals/grants.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { findStandingGrant, listUseRows } from './store.ts'

/** The calls that ran by a standing grant, the last ones first. */
export const listUses = query({
  permission: 'approval:list',
  input: ListGrantUsesInput,
  output: GrantUseList,
  async run({ tx, tenant, input: { grantId, limit, cursor } }) {
    if ((await findStandingGrant(tx, tenant.id, grantId)) === undefined) throw notFound()
    const before = cursor === undefined ? undefined : Number(cursor)
    const rows = await listUseRows(tx, tenant.id, grantId, limit + 1, before)
    await requireBound(
      tx,
      tenant.id,
      'standing_grant_use',
      rows.map(({ number }) => `${grantId}/${number}`),
    )
    return pageOf(
      rows.map((row) => ({
        number: row.number,
        usedAt: row.usedAt.toISOString(),
        decisionId: row.decisionId,
        executionId: row.executionId,
        amount: row.micros === null ? null : decimal(BigInt(row.micros)),
        auditId: row.auditId,
      })),
      limit,
      ({ number }) => String(number),
    )
  },
})
