import { ApiError } from '#lib/errors.ts'
import { whyNotBind } from '#lib/rules/secrets.ts'
import { SecretKind, SecretOutput, SetDestinationsInput } from '#lib/schemas/secrets.ts'
import { mutation } from '#server/kernel/operation.ts'
import { updateDestinations } from './store.ts'
import { requireSecret, secretView, statusOf } from './view.ts'

/** Binds a value to the only origins that it may be sent to, or ends the binding: from the next connection on, in executions too. */
export const setDestinations = mutation({
  permission: 'secret:create',
  input: SetDestinationsInput,
  output: SecretOutput,
  audit: ({ id, destinations }, output) => ({
    action: 'secret.destinations_set',
    resource: { type: 'secret', id: output?.secretId ?? id },
    details: { name: output?.secret.name, destinations },
  }),
  async run({ tx, tenant, input }) {
    const row = await requireSecret(tx, tenant.id, input.id, 'lock')
    const blocked = whyNotBind({ kind: SecretKind.parse(row.kind), status: statusOf(row) })
    if (blocked !== undefined) throw new ApiError('conflict', blocked)
    if (row.revision !== input.expectedRevision)
      throw new ApiError('revision_conflict', 'The secret changed after you opened it. Reload it and try again.', {
        details: { revision: row.revision },
      })
    await updateDestinations(tx, tenant.id, row.id, input.destinations)
    return { secret: await secretView(tx, tenant.id, row.id), secretId: row.id }
  },
})
