import { ApiError, notFound } from '#lib/errors.ts'
import { splitRoles, whyNotSetRoles } from '#lib/rules/members.ts'
import { SetRolesInput, SetRolesOutput } from '#lib/schemas/members.ts'
import { cancelRequest } from '#server/approvals/cancel-request.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findMemberById, setMember } from '#server/tenants/member-store.ts'
import { findProposed } from '../changes/store.ts'
import { proposeGrant } from './propose-grant.ts'
import { lockTarget, stopWhen } from './target.ts'
import { memberView } from './view.ts'

/**
 * Sets a member's roles. Removals and ordinary roles apply immediately; approver, privacy_officer and tenant_admin are
 * requested. A pending grant is withdrawn unless the same roles are requested again.
 */
export const setRoles = mutation({
  permission: 'member:manage',
  input: SetRolesInput,
  output: SetRolesOutput,
  audit: (input, output) => ({
    action: 'member.roles_set',
    resource: { type: 'member', id: input.id },
    reason: input.reason,
    details: {
      wanted: input.roles,
      ...(output === undefined
        ? {}
        : { roles: output.member.roles, asked: output.member.pendingRoles, changeId: output.change?.changeId ?? null }),
    },
  }),
  async run({ tx, tenant, principal, input, auditId }) {
    // Before locking the member: a decision locks the request first and then the member.
    const known = await findMemberById(tx, tenant.id, input.id)
    if (known === undefined) throw notFound()
    const [waiting] = await findProposed(tx, tenant.id, 'role_grant', [input.id])
    const stillWanted =
      waiting !== undefined && sameRoles(waiting.change.roles, splitRoles(known.roles, input.roles).proposed)
    if (waiting !== undefined && !stillWanted) await cancelRequest(tx, tenant, waiting.approvalId, auditId)
    const { member, facts } = await lockTarget(tx, { tenant, principal }, input)
    stopWhen(whyNotSetRoles(facts, input.roles))

    const { immediate, proposed } = splitRoles(member.roles, input.roles)
    const changed = immediate.length !== member.roles.length || immediate.some((role) => !member.roles.includes(role))
    if (!changed && proposed.length === 0 && waiting === undefined)
      throw new ApiError('conflict', 'The member already has exactly these roles.')
    if (changed) await setMember(tx, tenant.id, member.id, { roles: immediate })
    const change =
      proposed.length === 0
        ? null
        : stillWanted
          ? { changeId: waiting.id, approvalId: waiting.approvalId }
          : await proposeGrant(tx, { tenant, principal }, { ...member, roles: immediate }, proposed, input.reason)
    return { member: await memberView(tx, tenant, member.id), change }
  },
})

const sameRoles = (waiting: unknown, asked: readonly string[]): boolean =>
  Array.isArray(waiting) &&
  waiting.length === asked.length &&
  waiting.every((role) => typeof role === 'string' && asked.includes(role))
