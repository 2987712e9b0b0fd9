import { z } from 'zod'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { insertAccountLink } from '#server/tenants/account-link-store.ts'
import { insertSignedIn, lockFirstSignIns } from '#server/tenants/first-sign-in-store.ts'
import { deleteSeatsOf } from '#server/tenants/group-store.ts'
import { requireRoom } from '#server/tenants/issuer-limit.ts'
import { setMember, setNames } from '#server/tenants/member-store.ts'
import { namesFor } from '#server/tenants/names.ts'
import { rolesComeFromToken } from '#server/tenants/provider/roles-from.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { scimOnly } from '../door.ts'
import { uniqueness } from '../protocol/errors.ts'
import { Creating } from '../protocol/inputs.ts'
import { Resource } from '../protocol/resource-schema.ts'
import { providerOf } from '../provider.ts'
import { endedByProvider, suspendedByAdministrator } from './ended-by-provider.ts'
import { readUser } from './read.ts'
import { namesOf, userOf } from './resource.ts'
import { withAssigned } from './roles.ts'
import { findPersonNamed, lockSubject, putSent } from './store.ts'

/**
 * Creates the membership of a subject of the provider, with the roles that SCIM may give. A membership that the provider has ended
 * begins again, without the roles and the seats in approver groups that it had, and suspended if an administrator had suspended it.
 */
export const createUser = mutation({
  ...scimOnly,
  input: Creating,
  output: z.object({
    resource: Resource,
    id: z.string(),
    details: z.record(z.string(), z.json()),
    restored: z.boolean(),
  }),
  audit: (_, output) => ({
    action: output?.restored === true ? 'member.restored' : 'member.created',
    resource: { type: 'member', id: output?.id ?? 'none' },
    reason: 'Provisioned by SCIM.',
    ...(output === undefined ? {} : { details: output.details }),
  }),
  async run({ tx, tenant, input }) {
    const user = userOf(input.resource)
    const issuer = providerOf(tenant)
    if (user.roles !== undefined && user.roles.length > 0 && rolesComeFromToken(settingsOf(tenant), { issuer }))
      throw refuse(
        'external_identity',
        'roles: In this tenant, the tokens of the provider set the roles. Don’t send any.',
      )
    const { externalId: subject } = user
    await lockFirstSignIns(tx, tenant.id)
    if ((await findPersonNamed(tx, tenant.id, issuer, user.userName)) !== undefined)
      throw uniqueness('userName: Another user has this name.')
    const known = await lockSubject(tx, tenant.id, issuer, subject)
    await requireFree(tx, tenant.id, issuer, known)
    const names = namesOf(user)
    const free = await namesFor(tx, tenant.id, { issuer, subject, memberId: known?.id }, names)
    const staysSuspended = known !== undefined && (await suspendedByAdministrator(tx, tenant.id, known.id))
    const [status, roles] = [
      user.active === false || staysSuspended ? 'suspended' : 'active',
      withAssigned([], user.roles ?? []),
    ] as const
    const id = known?.id ?? newId()
    const shown = { username: free.username, displayName: names.displayName, email: free.email }
    if (known === undefined) {
      const row = { tenantId: tenant.id, id, issuer, subject, kind: 'person', ...shown, roles } as const
      await insertSignedIn(tx, row, status)
      await insertAccountLink(tx, {
        tenantId: tenant.id,
        account: row,
        kind: 'created',
        by: undefined,
        proof: 'provider',
      })
    } else {
      await deleteSeatsOf(tx, tenant.id, id)
      await setNames(tx, tenant.id, id, shown)
      await setMember(tx, tenant.id, id, { status, roles })
    }
    const { userName, displayName = null, name = null, emails } = user
    await putSent(tx, tenant.id, id, { userName, displayName, name, emails })
    return {
      resource: await readUser(tx, tenant, id),
      id,
      details: { username: free.username, kind: 'person', roles, issuer, active: status === 'active', through: 'scim' },
      restored: known !== undefined,
    }
  },
})

async function requireFree(
  tx: Transaction,
  tenantId: string,
  issuer: string,
  known: { id: string; status: string; kind: string } | undefined,
): Promise<void> {
  if (known === undefined) return await requireRoom(tx, tenantId, issuer)
  if (known.status !== 'removed' || known.kind !== 'person')
    throw uniqueness('externalId: This subject has a membership already.')
  if (!(await endedByProvider(tx, tenantId, known.id, 'member.removed')))
    throw uniqueness('externalId: An administrator removed this person in Countersign, for good.')
}
