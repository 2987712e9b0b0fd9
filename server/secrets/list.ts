import { ListSecretsInput, SecretList } from '#lib/schemas/secrets.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listSecrets } from './store.ts'
import { secretViews } from './view.ts'

/** API keys and named values of the tenant, newest first, without their values. */
export const list = query({
  permission: 'secret:read',
  input: ListSecretsInput,
  output: SecretList,
  async run({ tx, tenant, input }) {
    const filter = { kind: input.kind, includeArchived: input.includeArchived }
    const rows = await listSecrets(tx, tenant.id, filter, input.limit + 1, input.cursor)
    return pageOf(await secretViews(tx, tenant.id, rows), input.limit, (secret) => secret.secretId)
  },
})
