import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { MemberStatus } from '#lib/schemas/members.ts'

const STATES: Record<MemberStatus, { status: Status; label: string }> = {
  invited: { status: 'pending', label: 'Invited' },
  active: { status: 'approved', label: 'Active' },
  suspended: { status: 'revoked', label: 'Suspended' },
  removed: { status: 'expired', label: 'Removed' },
}

export const MemberStatusShape = ({ status }: { status: MemberStatus }) => <StatusShape {...STATES[status]} />
