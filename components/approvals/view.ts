import * as t from '#components/texts/requests/en.ts'
import type { Status } from '#components/ui/status/status-shape.tsx'
import type { ApprovalsView } from '#lib/paths.ts'
import type { ApprovalStatus } from '#lib/schemas/approvals.ts'

/** The inbox's lists, in the order of their tabs. */
export const APPROVAL_VIEWS: { view: ApprovalsView; label: string }[] = [
  { view: 'needs-me', label: t.needsMe },
  { view: 'mine', label: t.mine },
  { view: 'expiring', label: t.expiring },
  { view: 'decided', label: t.decided },
  { view: 'all', label: t.allPending },
]

/** Returns the list that an address names; "needs me" for none or an unknown one. */
export const viewFromSearch = (text: string | null): ApprovalsView =>
  APPROVAL_VIEWS.find(({ view }) => view === text)?.view ?? 'needs-me'

const SHAPES: Record<ApprovalStatus, { status: Status; label: string }> = {
  pending: { status: 'pending', label: t.pending },
  approved: { status: 'approved', label: t.approved },
  rejected: { status: 'rejected', label: t.rejected },
  expired: { status: 'expired', label: t.expired },
  canceled: { status: 'revoked', label: t.canceled },
}

/** Shape and word of a request's state. */
export const approvalShape = (status: ApprovalStatus) => SHAPES[status]
