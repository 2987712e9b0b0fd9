import type { Status } from '#components/ui/status/status-shape.tsx'
import type { ApprovalsView } from '#lib/paths.ts'
import type { ApprovalStatus } from '#lib/schemas/approvals.ts'

/** The inbox's lists, in the order of their tabs. */
export const APPROVAL_VIEWS: { view: ApprovalsView; label: string }[] = [
  { view: 'needs-me', label: 'Needs me' },
  { view: 'mine', label: 'Mine' },
  { view: 'expiring', label: 'Expiring' },
  { view: 'decided', label: 'Decided' },
  { view: 'all', label: 'All pending' },
]

/** Returns the list that an address names; "needs me" for none or an unknown one. */
export const viewFromSearch = (text: string | null): ApprovalsView =>
  APPROVAL_VIEWS.find(({ view }) => view === text)?.view ?? 'needs-me'

const SHAPES: Record<ApprovalStatus, { status: Status; label: string }> = {
  pending: { status: 'pending', label: 'Pending' },
  approved: { status: 'approved', label: 'Approved' },
  rejected: { status: 'rejected', label: 'Rejected' },
  expired: { status: 'expired', label: 'Expired' },
  canceled: { status: 'revoked', label: 'Canceled' },
}

/** Shape and word of a request's state. */
export const approvalShape = (status: ApprovalStatus) => SHAPES[status]
