import { SecretInput, SecretOutput } from '#lib/schemas/secrets.ts'
import { mutation } from '#server/kernel/operation.ts'
import { setMachineRemoved } from '#server/tenants/machine-store.ts'
import { setRevoked } from './store.ts'
import { requireSecret, secretView } from './view.ts'

/** Ends an API key or a value, by its own id or its secret's, from the next request on and for good. Twice is once. */
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
