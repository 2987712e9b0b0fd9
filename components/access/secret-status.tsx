import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { SecretStatus } from '#lib/schemas/secrets.ts'

const STATES: Record<SecretStatus, { status: Status; label: string }> = {
  active: { status: 'approved', label: 'Active' },
  expired: { status: 'expired', label: 'Expired' },
  revoked: { status: 'revoked', label: 'Revoked' },
  archived: { status: 'expired', label: 'Archived' },
}

/** The state of an API key or a secret. */
export const SecretStatusShape = ({ status }: { status: SecretStatus }) => <StatusShape {...STATES[status]} />
