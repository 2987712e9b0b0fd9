import { ApiError, notFound } from '#lib/errors.ts'
import { GetSecretInput, GetSecretOutput } from '#lib/schemas/secrets.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import { decryptForTenant } from '#server/kernel/keys/tenant-keys.ts'
import { actorOfCall, query } from '#server/kernel/operation.ts'
import { findLiveValue } from './store.ts'
import { requireSecret, secretView, valueContext } from './view.ts'

/**
 * A record in any state; with `includeValue`, also the value of a live record that has one (an API key never has). A
 * value leaves the server only after reading it is in the audit log: if that can't be written, the call fails.
 */
export const get = query({
  permission: 'secret:read',
  input: GetSecretInput,
  output: GetSecretOutput,
  async run({ tx, tenant, principal, requestId, input }) {
    if (input.includeValue && !principal.permissions.has('secret:read_value'))
      throw new ApiError('forbidden', 'Reading a value requires the permission secret:read_value.', {
        details: { permission: 'secret:read_value' },
      })
    const { id } = await requireSecret(tx, tenant.id, input.id, 'read')
    const encrypted = input.includeValue ? await findLiveValue(tx, tenant.id, id) : undefined
    if (input.includeValue && encrypted === undefined) throw notFound()
    const secret = await secretView(tx, tenant.id, id)
    if (encrypted === undefined) return { secret, secretId: id }
    const value = (await decryptForTenant(tx, tenant.id, encrypted, valueContext(id))).toString('utf8')
    await appendAudit(tx, tenant, {
      actor: actorOfCall(principal),
      action: 'secret.value_read',
      resource: { type: 'secret', id },
      details: { name: secret.name },
      requestId,
    })
    return { secret, secretId: id, value }
  },
})
