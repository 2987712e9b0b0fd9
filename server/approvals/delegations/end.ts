import { ApiError, notFound } from '#lib/errors.ts'
import { DelegationOutput, EndDelegationInput } from '#lib/schemas/delegations.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findDelegation, setEnded } from './store.ts'
import { delegationViews } from './view.ts'

/** Ends a delegation early, by the delegator or the delegate. Votes already cast remain. */
export const end = mutation({
  permission: 'approval:decide',
  input: EndDelegationInput,
  output: DelegationOutput,
  audit: (input) => ({ action: 'delegation.ended', resource: { type: 'delegation', id: input.id } }),
  async run({ tx, tenant, principal, input }) {
    const row = await findDelegation(tx, tenant.id, input.id)
    if (row === undefined) throw notFound()
    if (row.delegatorId !== principal.memberId && row.delegateId !== principal.memberId)
      throw new ApiError('forbidden', 'Only the delegator or the delegate can end this delegation.')
    if (input.expectedRevision !== undefined && input.expectedRevision !== row.revision)
      throw new ApiError('revision_conflict', 'This delegation changed after you opened it. Reload it and try again.', {
        details: { revision: row.revision },
      })
    if (!(await setEnded(tx, tenant.id, row.id, row.revision)))
      throw new ApiError('conflict', 'This delegation has already ended.')
    notify(tx, 'approval', tenant.id)
    const ended = await findDelegation(tx, tenant.id, row.id)
    const [delegation] = await delegationViews(tx, tenant.id, ended === undefined ? [] : [ended])
    if (delegation === undefined) throw new Error('unreachable: the delegation was just read')
    return { delegation }
  },
})
