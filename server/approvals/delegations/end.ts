import { ApiError, notFound } from '#lib/errors.ts'
import { DelegationOutput, EndDelegationInput } from '#lib/schemas/delegations.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findDelegation, setEnded } from './store.ts'
import { delegationViews } from './view.ts'

/** Ends a delegation before its time; either of the two may. Votes that were given in its time stay. */
export const end = mutation({
  permission: 'approval:decide',
  input: EndDelegationInput,
  output: DelegationOutput,
  audit: (input) => ({ action: 'delegation.ended', resource: { type: 'delegation', id: input.id } }),
  async run({ tx, tenant, principal, input }) {
    const row = await findDelegation(tx, tenant.id, input.id)
    if (row === undefined) throw notFound()
    if (row.delegatorId !== principal.memberId && row.delegateId !== principal.memberId)
      throw new ApiError('forbidden', 'A delegation is ended by one of the two whom it concerns.')
    if (input.expectedRevision !== undefined && input.expectedRevision !== row.revision)
      throw new ApiError('revision_conflict', 'The delegation has changed since you read it.', {
        details: { revision: row.revision },
      })
    if (!(await setEnded(tx, tenant.id, row.id, row.revision)))
      throw new ApiError('conflict', 'This delegation is over already.')
    notify(tx, 'approval', tenant.id)
    const ended = await findDelegation(tx, tenant.id, row.id)
    const [delegation] = await delegationViews(tx, tenant.id, ended === undefined ? [] : [ended])
    if (delegation === undefined) throw new Error('unreachable: it was just read')
    return { delegation }
  },
})
