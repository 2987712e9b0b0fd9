import { notFound } from '#lib/errors.ts'
import { AuditProof, GetAuditInput } from '#lib/schemas/audit.ts'
import { recordProof } from '#server/audit/verifying/record-inclusion.ts'
import { query } from '#server/kernel/operation.ts'

/** Returns one record with its proof, which is the input of traces.verify. */
export const get = query({
  permission: 'audit:read',
  input: GetAuditInput,
  output: AuditProof,
  async run({ tx, tenant, input }) {
    const found = await recordProof(tx, tenant, input.auditId)
    if (found === undefined) throw notFound()
    return found.proof
  },
})
