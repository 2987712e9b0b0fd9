import { permissionsOf } from '#lib/permissions.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type Identity, linkTo, selvesOf } from '#server/tenants/identities.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { findActiveDelegates } from './store.ts'

export type StandIn = { id: string; email: string | null; delegatorId: string; standsInFor: string }

/** The delegates who could decide a request now in the place of one of these members. Those who count as its requester can't. */
export async function standInsOf(
  tx: Transaction,
  tenant: Tenant,
  memberIds: readonly string[],
  { identities, requestedAt = new Date() }: { identities: readonly Identity[]; requestedAt?: Date | undefined },
): Promise<StandIn[]> {
  const found = (await findActiveDelegates(tx, tenant.id, memberIds)).filter(
    ({ id, kind, roles }) =>
      kind === 'person' && !memberIds.includes(id) && permissionsOf(roles).has('approval:decide'),
  )
  if (found.length === 0) return []
  const required = settingsOf(tenant).separationOfDuties === 'required'
  const selves = await selvesOf(
    tx,
    tenant.id,
    found.map(({ id }) => id),
  )
  return found
    .filter(({ id }) => !required || linkTo(id, selves(id), identities, requestedAt) === undefined)
    .map(({ id, email, delegatorId, delegator }) => ({ id, email, delegatorId, standsInFor: delegator }))
}
