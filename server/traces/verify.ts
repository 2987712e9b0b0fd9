import { VerifyInput, VerifyOutput } from '#lib/schemas/traces.ts'
import { verifyRecord } from '#server/audit/verifying/verify-record.ts'
import { query } from '#server/kernel/operation.ts'

/** Checks one audit record against the signed log. An invalid proof is a result (`verified: false`), not an error. */
export const verify = query({
  permission: 'trace:verify',
  input: VerifyInput,
  output: VerifyOutput,
  tenantField: 'tenant',
  run: ({ tx, tenant, input }) => verifyRecord(tx, tenant, input),
})
