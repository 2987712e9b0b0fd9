import { Tenant } from '#lib/schemas/tenants.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { tenantView } from './view.ts'

/** The tenant that this call works in. */
export const current = query({
  permission: 'any',
  input: noInput,
  output: Tenant,
  run: async ({ tenant }) => tenantView(tenant),
})
