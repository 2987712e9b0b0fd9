import * as t from '#components/texts/access-machines/en.ts'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { ConnectionTokenStatus } from '#lib/schemas/connection-tokens.ts'

const STATES: Record<ConnectionTokenStatus, { status: Status; label: string }> = {
  active: { status: 'approved', label: t.active },
  expired: { status: 'expired', label: t.expired },
  revoked: { status: 'revoked', label: t.revoked },
  account_disabled: { status: 'revoked', label: t.accountDisabled },
}

/** The state of a connection token. */
export const TokenStatus = ({ status }: { status: ConnectionTokenStatus }) => <StatusShape {...STATES[status]} />
