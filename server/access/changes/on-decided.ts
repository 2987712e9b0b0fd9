import { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { isSameValue } from '#lib/rules/settings.ts'
import { Id } from '#lib/schemas/common.ts'
import { GroupMapping } from '#lib/schemas/members.ts'
import { SettingValues, TenantSettings } from '#lib/schemas/tenants.ts'
import type { DecidedApproval, OnDecided } from '#server/approvals/subjects.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { refuse } from '#server/kernel/operation.ts'
import { confirmAddress } from '#server/tenants/account-control.ts'
import { lockGroup, replaceGroupMembers } from '#server/tenants/group-store.ts'
import { samePerson } from '#server/tenants/identities.ts'
import { lockMember, setMember } from '#server/tenants/member-store.ts'
import { findNamedBy } from '#server/tenants/provider/mapping-store.ts'
import { requireTokensKeyed } from '#server/tenants/provider/newest-token.ts'
import { rolesComeFromToken } from '#server/tenants/provider/roles-from.ts'
import { setMappings } from '#server/tenants/provider/set-mappings.ts'
import { lockTenant, setTenant } from '#server/tenants/store.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { type ChangeStatus, setDecided } from './store.ts'

const outcomes = { approved: 'applied', rejected: 'rejected', expired: 'rejected', canceled: 'withdrawn' } as const

/** Applies an approved change and returns the details of its audit record. Throwing undoes the decision. */
type Apply = (
  tx: Transaction,
  tenant: Tenant,
  subjectId: string,
  change: JsonObject,
  approval: DecidedApproval,
) => Promise<{ action: string; resource: { type: string; id: string }; details: JsonObject }>

const decided =
  (apply: Apply, onApproval: ChangeStatus = 'applied'): OnDecided =>
  async (tx, tenant, approval) => {
    const status = approval.status === 'approved' ? onApproval : outcomes[approval.status]
    if (status === 'proposed') throw new Error('After a decision no change can still be proposed.')
    const row = await setDecided(tx, tenant.id, approval.subjectId, status)
    // No longer proposed: the decision stays recorded but has no effect. A withdrawal is recorded by the operation that
    // withdrew the change.
    if (row === undefined || status === 'withdrawn') return
    const { details, ...act } =
      status === 'rejected'
        ? { action: 'access_change.rejected', resource: { type: 'access_change', id: row.id }, details: {} }
        : await apply(tx, tenant, row.subjectId, row.change, approval)
    await appendAudit(tx, tenant, {
      actor: systemActor,
      ...act,
      details: { ...details, changeId: row.id, approvalId: approval.id, proposedBy: row.proposedBy },
    })
  }

const overtaken = (what: string) =>
  new ApiError('conflict', `${what} since this was requested. Reject this request and propose the change again.`)

const RoleGrant = z.object({ roles: z.array(z.string()), address: z.string().nullish() })

/** Adds the granted roles to the member's current roles. The approver also confirms the address that the request shows. */
export const roleGrantDecided = decided(async (tx, tenant, memberId, change, { deciders }) => {
  const { roles, address } = RoleGrant.parse(change)
  const member = await lockMember(tx, tenant.id, memberId)
  if (member === undefined || member.status === 'removed') throw overtaken('This member has been removed')
  if (rolesComeFromToken(settingsOf(tenant), member)) throw overtaken('The roles of this member now come from tokens')
  // Applies even in a tenant that has turned separation of duties off.
  if (deciders.includes(member.id))
    throw refuse('separation_of_duties', 'You can’t approve a change of your own roles.')
  for (const decider of deciders) {
    const role = 'would get these roles'
    const link = await samePerson(tx, tenant.id, decider, { memberId: member.id, link: role, role })
    if (link !== undefined) throw refuse('separation_of_duties', `You ${link}, so someone else must decide.`)
  }
  const after = [...new Set([...member.roles, ...roles])]
  await setMember(tx, tenant.id, member.id, { roles: after })
  if (address != null && address === member.email) await confirmAddress(tx, tenant.id, member, deciders)
  return {
    action: 'member.roles_granted',
    resource: { type: 'member', id: member.id },
    details: { granted: roles, before: member.roles, after },
  }
})

const Members = z.object({ before: z.array(Id), after: z.array(Id) })
const Mappings = z.object({ before: z.array(GroupMapping), after: z.array(GroupMapping) })
const GroupChange = z.union([
  z.object({ revision: z.int(), members: Members, mappings: Mappings }),
  Members.extend({ revision: z.int() }).transform(({ revision, ...members }) => ({
    revision,
    members,
    mappings: undefined,
  })),
])

/** Replaces the members and the mapped groups if the group has not changed since the request. */
export const groupChangeDecided = decided(async (tx, tenant, groupId, change, { deciders }) => {
  const { revision, members, mappings } = GroupChange.parse(change)
  const group = await lockGroup(tx, tenant.id, groupId)
  if (group === undefined || group.revision !== revision) throw overtaken('The group has changed')
  await replaceGroupMembers(tx, tenant.id, groupId, members.after)
  if (mappings !== undefined) {
    await refuseOwnSeat(tx, tenant, mappings, deciders)
    await setMappings(tx, tenant.id, groupId, mappings.after)
  }
  return {
    action: 'group.members_set',
    resource: { type: 'group', id: groupId },
    details: { group: group.name, ...members, ...(mappings === undefined ? {} : { mappings }) },
  }
})

/** A person whom the provider has put into the group since the request would give a seat to themselves. */
async function refuseOwnSeat(
  tx: Transaction,
  tenant: Tenant,
  { before, after }: z.infer<typeof Mappings>,
  deciders: readonly string[],
): Promise<void> {
  const added = after.filter((one) => !before.some(({ issuer, name }) => one.issuer === issuer && one.name === name))
  if (added.length === 0) return
  await requireTokensKeyed(tx, tenant.id, deciders)
  const named = await findNamedBy(tx, tenant.id, added)
  if (named.some(({ id }) => deciders.includes(id)))
    throw refuse('separation_of_duties', 'You are in a group of the identity provider that this would let decide.')
}

const SettingChanges = z.object({ changes: SettingValues })

/** Applies the approved settings if each still has the value shown in the request. */
export const settingChangeDecided = decided(async (tx, tenant, _tenantId, change) => {
  const { changes } = SettingChanges.parse(change)
  const settings = settingsOf(await lockTenant(tx, tenant.id))
  const current = new Map(Object.entries(settings))
  if (changes.some(({ name, before }) => !isSameValue(current.get(name), before)))
    throw overtaken('The setting has changed')
  const after = Object.fromEntries(changes.map((entry) => [entry.name, entry.after]))
  const revision = await setTenant(tx, tenant.id, { settings: TenantSettings.parse({ ...settings, ...after }) })
  return {
    action: 'tenant.settings_updated',
    resource: { type: 'tenant', id: tenant.id },
    details: { changes, revision },
  }
})

/** Lets the proposer create the link (members.resetPassword), which uses up the approval. */
export const passwordResetDecided = decided(
  async (_tx, _tenant, memberId) => ({
    action: 'member.password_reset_approved',
    resource: { type: 'member', id: memberId },
    details: {},
  }),
  'approved',
)
