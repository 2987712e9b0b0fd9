import { permissionsOf } from '#lib/permissions.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type Identity, linkTo, selvesOf } from '#server/tenants/identities.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { findActiveDelegates } from './store.ts'

export type StandIn = { id: string; email: string | null; standsInFor: string }

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
  const able = found.filter(({ id }) => !required || linkTo(id, selves(id), identities, requestedAt) === undefined)
  // A delegate of two members gets one mail.
  return able
    .filter(({ id }, index) => able.findIndex((other) => other.id === id) === index)
    .map(({ id, email, delegator }) => ({ id, email, standsInFor: delegator }))
}
