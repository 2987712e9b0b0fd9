import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { ConnectionTokenStatus } from '#lib/schemas/connection-tokens.ts'

const STATES: Record<ConnectionTokenStatus, { status: Status; label: string }> = {
  active: { status: 'approved', label: 'Active' },
  expired: { status: 'expired', label: 'Expired' },
  revoked: { status: 'revoked', label: 'Revoked' },
  account_disabled: { status: 'revoked', label: 'Account disabled' },
}

/** The state of a connection token. */
export const TokenStatus = ({ status }: { status: ConnectionTokenStatus }) => <StatusShape {...STATES[status]} />
