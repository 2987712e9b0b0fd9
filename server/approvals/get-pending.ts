import { ApprovalList, GetPendingInput } from '#lib/schemas/approvals.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { deciderOf } from './delegations/decider.ts'
import { type ApprovalFilter, listApprovals } from './list-store.ts'
import { summaries } from './view.ts'

const soon = 3600

/** The pending approvals of the tenant, newest first. */
export const getPending = query({
  permission: 'approval:list',
  apiKeys: true,
  input: GetPendingInput,
  output: ApprovalList,
  async run({ tx, tenant, principal, input }) {
    const views: Record<typeof input.view, () => Promise<ApprovalFilter>> = {
      all: async () => ({}),
      'needs-me': async () => ({ decidableBy: await deciderOf(tx, tenant.id, principal) }),
      mine: async () => ({ requestedBy: principal.memberId }),
      expiring: async () => ({ expiringWithinSeconds: soon }),
    }
    const rows = await listApprovals(
      tx,
      tenant.id,
      { status: 'pending', ...(await views[input.view]()) },
      input.limit + 1,
      input.cursor,
    )
    return pageOf(await summaries(tx, tenant, principal, rows), input.limit, (approval) => approval.approvalId)
  },
})
