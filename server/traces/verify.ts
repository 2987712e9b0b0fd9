import { VerifyInput, VerifyOutput } from '#lib/schemas/traces.ts'
import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { findRecord } from '#server/audit/store.ts'
import { mismatchOf } from '#server/audit/verifying/mismatch-of.ts'
import { verifyRecord } from '#server/audit/verifying/verify-record.ts'
import { requireRecordBound } from '#server/kernel/bound/check.ts'
import { askingQuery } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { requireBatchProven } from './proofs/require-proven.ts'

/**
 * Checks one audit record against the signed log. An invalid proof is a result (`verified: false`), not an error. A mismatch
 * of what is stored raises an alarm, in a transaction of its own: a log to which nothing can be appended still gets its answer.
 * Throws integrity_failed if the record is right, but the stored row of an object that it commits to is not the logged one, or a span of the
 * telemetry that it is about.
 */
export const verify = askingQuery({
  permission: 'trace:verify',
  input: VerifyInput,
  output: VerifyOutput,
  tenantField: 'tenant',
  async ask({ tenant, input }) {
    const { database, log } = runtime()
    const { output, found } = await database.inTenant(tenant.id, async (tx) => {
      const output = await verifyRecord(tx, tenant, input)
      const record = output.verified ? await findRecord(tx, tenant.id, input.auditId) : undefined
      if (record !== undefined) await requireRecordBound(tx, tenant.id, record)
      if (record !== undefined) await requireBatchProven(tx, tenant.id, record)
      return { output, found: await mismatchOf(tx, tenant, input, output) }
    })
    if (found !== undefined)
      await raiseAlarm(tenant.id, found).catch((error: unknown) =>
        log.error({ err: error, ...found }, 'the alarm could not be written to the log'),
      )
    return output
  },
})
