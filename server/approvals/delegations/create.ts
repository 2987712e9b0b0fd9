import { ApiError } from '#lib/errors.ts'
import { permissionsOf } from '#lib/permissions.ts'
import { longestDelegationDays } from '#lib/rules/delegations.ts'
import { CreateDelegationInput, DelegationOutput } from '#lib/schemas/delegations.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findMemberByName, findMembers } from '#server/tenants/store.ts'
import { findDelegation, insertDelegation } from './store.ts'
import { delegationViews } from './view.ts'

const dayMs = 86_400_000
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The caller, an approver, makes another approver their delegate during an absence. */
export const create = mutation({
  permission: 'approval:decide',
  input: CreateDelegationInput,
  output: DelegationOutput,
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

    const id = newId()
    await insertDelegation(tx, {
      tenantId: tenant.id,
      id,
      delegatorId: principal.memberId,
      delegateId: delegate.id,
      fromAt,
      untilAt,
      reason: input.reason,
    })
    notify(tx, 'approval', tenant.id)
    const row = await findDelegation(tx, tenant.id, id)
    const [delegation] = await delegationViews(tx, tenant.id, row === undefined ? [] : [row])
    if (delegation === undefined) throw new Error('unreachable: the delegation was just inserted')
    return { delegation }

    async function findDelegate(name: string) {
      const known = uuid.test(name) ? name : (await findMemberByName(tx, tenant.id, name.toLowerCase()))?.id
      const [member] = known === undefined ? [] : await findMembers(tx, tenant.id, [known])
      return member?.status === 'active' ? member : undefined
    }
  },
})
