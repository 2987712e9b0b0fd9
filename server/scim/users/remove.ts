import { z } from 'zod'
import { whyNotRemove } from '#lib/rules/members.ts'
import { endMembership, withdrawChanges } from '#server/access/members/end.ts'
import { lockTarget, stopWhen } from '#server/access/members/target.ts'
import { mutation } from '#server/kernel/operation.ts'
import { setMappedGroups } from '#server/tenants/provider/mapped-groups.ts'
import { scimOnly } from '../door.ts'
import { changedSince } from '../protocol/errors.ts'
import { Targeting } from '../protocol/inputs.ts'
import { isKnownVersion } from '../protocol/version.ts'
import { requirePerson } from './read.ts'
import { versionOfUser } from './resource.ts'
import { deleteSent } from './store.ts'

/** Ends a membership. What the provider sent for the person is deleted; the member's row stays, because records refer to it. */
export const removeUser = mutation({
  ...scimOnly,
  input: Targeting,
  output: z.object({ left: z.array(z.string()) }),
  audit: ({ id }, output) => ({
    action: 'member.removed',
    resource: { type: 'member', id },
    reason: 'Removed by SCIM.',
    details: { through: 'scim', ...(output === undefined ? {} : { leftGroups: output.left }) },
  }),
  async run({ tx, tenant, principal, input: { id, ifMatch }, auditId }) {
    await requirePerson(tx, tenant, id)
    await withdrawChanges(tx, tenant, id, auditId)
    const { facts } = await lockTarget(tx, { tenant, principal }, { id })
    if (!isKnownVersion(ifMatch, versionOfUser(await requirePerson(tx, tenant, id)))) throw changedSince()
    stopWhen(whyNotRemove({ ...facts, isCaller: false, identityLink: undefined }))
    await endMembership(tx, tenant, id)
    const { left } = await setMappedGroups(tx, tenant.id, { memberId: id, source: 'scim', names: [] })
    await deleteSent(tx, tenant.id, id)
    return { left }
  },
})
