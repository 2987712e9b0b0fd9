import { SecretInput, SecretOutput } from '#lib/schemas/secrets.ts'
import { mutation } from '#server/kernel/operation.ts'
import { setMachineRemoved } from '#server/tenants/machine-store.ts'
import { setRevoked } from './store.ts'
import { requireSecret, secretView } from './view.ts'

/**
 * Revokes an API key or a value, by its own id or that of its secret: permanently and from the next request. Repeating
 * it has no effect.
 */
export const revoke = mutation({
  permission: 'secret:revoke',
  input: SecretInput,
  output: SecretOutput,
  audit: ({ id }, output) => ({
    action: 'secret.revoked',
    resource: { type: 'secret', id: output?.secretId ?? id },
    details: output && { name: output.secret.name, status: output.secret.status },
  }),
  async run({ tx, tenant, input }) {
    const { id, memberId } = await requireSecret(tx, tenant.id, input.id, 'lock')
    await setRevoked(tx, tenant.id, id)
    if (memberId !== null) await setMachineRemoved(tx, tenant.id, memberId)
    return { secret: await secretView(tx, tenant.id, id), secretId: id }
  },
})
