import { ApiError } from '#lib/errors.ts'
import { CreateSecretInput, CreateSecretOutput } from '#lib/schemas/secrets.ts'
import { newId } from '#server/kernel/ids.ts'
import { encryptForTenant } from '#server/kernel/keys/tenant-keys.ts'
import { mutation } from '#server/kernel/operation.ts'
import { insertValue } from './store.ts'
import { secretView, valueContext } from './view.ts'

/** Stores a named value, such as the credential of a model's endpoint, encrypted under the tenant's key. */
export const create = mutation({
  permission: 'secret:create',
  input: CreateSecretInput,
  output: CreateSecretOutput,
  confidential: true,
  audit: ({ name, expiresAt, destinations }, output) => ({
    action: 'secret.created',
    resource: { type: 'secret', id: output?.secretId ?? name },
    details: { name, expiresAt: expiresAt ?? null, destinations: destinations ?? null },
  }),
  async run({ tx, tenant, principal, input }) {
    const id = newId()
    const sealedValue = await encryptForTenant(tx, tenant.id, Buffer.from(input.value), valueContext(id))
    const expiresAt = input.expiresAt === undefined ? null : new Date(input.expiresAt)
    const { name, destinations = null } = input
    const row = { tenantId: tenant.id, id, name, sealedValue, createdBy: principal.memberId, expiresAt, destinations }
    if (!(await insertValue(tx, row)))
      throw new ApiError('name_conflict', `A secret named ${name} already exists. Revoke or archive it first.`)
    return { secret: await secretView(tx, tenant.id, id), secretId: id }
  },
})
