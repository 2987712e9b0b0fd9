import { notFound } from '#lib/errors.ts'
import { amountIn } from '#lib/rules/effect.ts'
import { ApprovalHistory, ApprovalHistoryInput } from '#lib/schemas/approvals.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { findSameObject, findSameShape } from './repeats/history-store.ts'
import { comparedDecisions, usualAmounts } from './repeats/usual-amounts.ts'
import { findApproval } from './store.ts'
import { summaries } from './view.ts'

const shown = 10

/** What people decided before on the same object and on the same action, and the amounts that they usually approve. */
export const history = query({
  permission: 'approval:list',
  input: ApprovalHistoryInput,
  output: ApprovalHistory,
  async run({ tx, tenant, principal, input: { approvalId } }) {
    const row = await findApproval(tx, tenant.id, approvalId)
    if (row === undefined) throw notFound()
    const sameObject = await findSameObject(tx, tenant.id, approvalId, shown)
    const sameShape = await findSameShape(tx, tenant.id, approvalId, comparedDecisions)
    const last = sameShape.slice(0, shown)
    // `summaries` compares those that are shown.
    await requireBound(tx, tenant.id, 'approval', [approvalId, ...sameShape.map(({ id }) => id)])
    return {
      sameObject: await summaries(tx, tenant, principal, sameObject),
      sameShape: await summaries(tx, tenant, principal, last),
      usual: usualAmounts(
        amountIn(row.presentation.arguments)?.currency,
        sameShape.filter(({ status }) => status === 'approved').map((one) => amountIn(one.presentation.arguments)),
      ),
    }
  },
})
