import { ApiError } from '#lib/errors.ts'
import { whyNotArchive } from '#lib/rules/secrets.ts'
import { SecretInput, SecretKind, SecretOutput } from '#lib/schemas/secrets.ts'
import { mutation } from '#server/kernel/operation.ts'
import { setMachineRemoved } from '#server/tenants/machine-store.ts'
import { setArchived } from './store.ts'
import { requireSecret, secretView, statusOf } from './view.ts'

/**
 * Removes a record from the lists permanently and deletes its value. Its lifecycle remains readable. Repeating it has
 * no effect.
 */
export const archive = mutation({
  permission: 'secret:revoke',
  input: SecretInput,
  output: SecretOutput,
  audit: ({ id }, output) => ({
    action: 'secret.archived',
    resource: { type: 'secret', id: output?.secretId ?? id },
    details: output && { name: output.secret.name },
  }),
  async run({ tx, tenant, input }) {
    const row = await requireSecret(tx, tenant.id, input.id, 'lock')
    const blocked = whyNotArchive({ kind: SecretKind.parse(row.kind), status: statusOf(row) })
    if (blocked !== undefined) throw new ApiError('conflict', blocked)
    await setArchived(tx, tenant.id, row.id)
    if (row.memberId !== null) await setMachineRemoved(tx, tenant.id, row.memberId)
    return { secret: await secretView(tx, tenant.id, row.id), secretId: row.id }
  },
})
