import { ApprovalList, GetPendingInput } from '#lib/schemas/approvals.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { selvesOf } from '#server/tenants/identities.ts'
import { seatsOf } from './delegations/seats.ts'
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
    const { memberId } = principal
    const views: Record<typeof input.view, () => Promise<ApprovalFilter>> = {
      all: async () => ({}),
      'needs-me': async () => {
        const seats = principal.kind === 'person' ? await seatsOf(tx, tenant.id, memberId) : []
        const standsInFor = [...new Set(seats.map((seat) => seat.delegatorId))]
        const selves = await selvesOf(tx, tenant.id, [memberId, ...standsInFor])
        const counterparts = [memberId, ...standsInFor].flatMap((seat) =>
          selves(seat).counterparts.map(({ memberId: same, until }) => ({ seat, memberId: same, until })),
        )
        return { decidableBy: { memberId, standsInFor, counterparts } }
      },
      mine: async () => ({ requestedBy: memberId }),
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
