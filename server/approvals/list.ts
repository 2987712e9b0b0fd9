import { ApprovalList, ListApprovalsInput } from '#lib/schemas/approvals.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listApprovals } from './list-store.ts'
import { summaries } from './view.ts'

/** Approvals with any status, newest first. */
export const list = query({
  permission: 'approval:list',
  input: ListApprovalsInput,
  output: ApprovalList,
  async run({ tx, tenant, principal, input }) {
    const filter = {
      status: input.status,
      decided: input.view === 'decided',
    }
    const rows = await listApprovals(tx, tenant.id, filter, input.limit + 1, input.cursor)
    return pageOf(await summaries(tx, tenant, principal, rows), input.limit, (approval) => approval.approvalId)
  },
})
