import { StatusShape } from '#components/ui/status/status-shape.tsx'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'

export function AccountStatus({ status }: { status: ServiceAccount['status'] }) {
  return status === 'active' ? (
    <StatusShape status="approved" label="Active" />
  ) : (
    <StatusShape status="revoked" label="Disabled" />
  )
}
