import * as t from '#components/texts/access-members/en.ts'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { MemberStatus } from '#lib/schemas/members.ts'

const STATES: Record<MemberStatus, { status: Status; label: string }> = {
  invited: { status: 'pending', label: t.invited },
  active: { status: 'approved', label: t.active },
  suspended: { status: 'revoked', label: t.suspended },
  removed: { status: 'expired', label: t.removed },
}

export const MemberStatusShape = ({ status }: { status: MemberStatus }) => <StatusShape {...STATES[status]} />
