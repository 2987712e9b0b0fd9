import * as t from '#components/texts/access-keys/en.ts'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { SecretStatus } from '#lib/schemas/secrets.ts'

const STATES: Record<SecretStatus, { status: Status; label: string }> = {
  active: { status: 'approved', label: t.active },
  expired: { status: 'expired', label: t.expired },
  revoked: { status: 'revoked', label: t.revoked },
  archived: { status: 'expired', label: t.archived },
}

/** The state of an API key or a secret. */
export const SecretStatusShape = ({ status }: { status: SecretStatus }) => <StatusShape {...STATES[status]} />
