import { ApiError } from '#lib/errors.ts'
import { permissionsOf } from '#lib/permissions.ts'
import { longestDelegationDays } from '#lib/rules/delegations.ts'
import { CreateDelegationInput, CreateDelegationOutput } from '#lib/schemas/delegations.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findGroupsOf } from '#server/tenants/group-store.ts'
import { findMemberByName, findMembers } from '#server/tenants/store.ts'
import { findDelegation, findOverlapping, insertDelegation, lockDelegationsBy } from './store.ts'
import { delegationViews } from './view.ts'

const dayMs = 86_400_000
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The caller, an approver, makes another approver their delegate during an absence. */
export const create = mutation({
  permission: 'approval:decide',
  input: CreateDelegationInput,
  output: CreateDelegationOutput,
  audit: (input, output) => ({
    action: 'delegation.created',
    resource: { type: 'delegation', id: output?.delegation.id ?? 'none' },
    reason: input.reason,
    ...(output === undefined
      ? {}
      : {
          details: {
            delegator: output.delegation.delegator.id,
            delegate: output.delegation.delegate.id,
            from: output.delegation.from,
            until: output.delegation.until,
          },
        }),
  }),
  async run({ tx, tenant, principal, input }) {
    if (principal.kind !== 'person') throw new ApiError('forbidden', 'Only a person can have a delegate.')
    const fromAt = new Date(input.from ?? Date.now())
    const untilAt = new Date(input.until)
    if (untilAt <= fromAt || untilAt.getTime() <= Date.now())
      throw new ApiError('bad_request', 'A delegation must end in the future and after its start.')
    if (untilAt.getTime() - fromAt.getTime() > longestDelegationDays * dayMs)
      throw new ApiError('bad_request', `A delegation can last up to ${longestDelegationDays} days.`)

    const delegate = await findDelegate(input.delegate)
    if (delegate === undefined) {
      const message = 'No active member has this id, user name or e-mail address.'
      throw new ApiError('bad_request', message, { issues: [{ path: 'delegate', message }] })
    }
    if (delegate.id === principal.memberId) throw new ApiError('bad_request', 'Choose another person as the delegate.')
    if (delegate.kind !== 'person' || !permissionsOf(delegate.roles).has('approval:decide'))
      throw new ApiError('conflict', `${delegate.displayName} is not an approver.`)

    // One at a time, so that of two at once the second sees the first.
    await lockDelegationsBy(tx, tenant.id, principal.memberId)
    const pair = { delegatorId: principal.memberId, delegateId: delegate.id }
    const before = await findOverlapping(tx, tenant.id, { ...pair, fromAt, untilAt })
    if (before !== undefined)
      throw new ApiError(
        'conflict',
        `${delegate.displayName} is already your delegate from ${before.fromAt.toISOString()} until ${before.untilAt.toISOString()}. End that delegation first, or choose a time before or after it.`,
        { details: { id: before.id } },
      )

    const id = newId()
    await insertDelegation(tx, {
      tenantId: tenant.id,
      id,
      ...pair,
      fromAt,
      untilAt,
      reason: input.reason,
    })
    notify(tx, 'approval', tenant.id)
    const row = await findDelegation(tx, tenant.id, id)
    const [delegation] = await delegationViews(tx, tenant.id, row === undefined ? [] : [row])
    if (delegation === undefined) throw new Error('unreachable: the delegation was just inserted')
    return { delegation, ...((await decidesAnyway(delegate.id)) && { decidesAnyway: true as const }) }

    /** Whether the delegate is in each group of the caller, where a member votes in their own right alone. */
    async function decidesAnyway(delegateId: string): Promise<boolean> {
      const [ours, theirs] = await Promise.all([
        findGroupsOf(tx, tenant.id, principal.memberId),
        findGroupsOf(tx, tenant.id, delegateId),
      ])
      const known = new Set(theirs.map((group) => group.id))
      return ours.every((group) => known.has(group.id))
    }

    async function findDelegate(name: string) {
      const known = uuid.test(name) ? name : (await findMemberByName(tx, tenant.id, name.toLowerCase()))?.id
      const [member] = known === undefined ? [] : await findMembers(tx, tenant.id, [known])
      return member?.status === 'active' ? member : undefined
    }
  },
})
