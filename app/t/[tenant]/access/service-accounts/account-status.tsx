import * as t from '#components/texts/access-machines/en.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'

export function AccountStatus({ status }: { status: ServiceAccount['status'] }) {
  return status === 'active' ? (
    <StatusShape status="approved" label={t.active} />
  ) : (
    <StatusShape status="revoked" label={t.disabled} />
  )
}
