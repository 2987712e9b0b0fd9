import { sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import { decryptEventData, decryptExecutionValue, decryptStepValue } from '#server/executions/state/content.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { listOf } from '#server/kernel/db/statements/steady-plan.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** A longer input, or more bytes of outputs, are not decrypted for a row of a list. */
const mostBytes = 65_536
/** Calls of one execution of which the first that changes something is searched. */
const mostCalls = 20

/** The inputs of executions, without those that were removed or are too long for a list. */
export async function findInputs(
  tx: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, JsonObject>> {
  const rows = await shortInputs(tx, { tenantId, ids })
  const cipher = await tenantCipher(tx, tenantId)
  return new Map(
    rows.map(({ id, input }) => [id, (decryptExecutionValue(cipher, id, 'input', input) ?? {}) as JsonObject]),
  )
}

const shortInputs = fixedStatement({ tenantId: '', ids: [''] }, (tx, { tenantId, ids }) =>
  tx
    .selectFrom('executions')
    .select(['id', 'input'])
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where(sql<boolean>`octet_length(input) <= ${mostBytes}`),
)

/** The outputs of the steps of executions, by execution; undefined for one whose outputs are too long for a list. */
export async function findOutputs(tx: Transaction, tenantId: string, ids: readonly string[]) {
  const found = new Map<string, unknown[] | undefined>(ids.map((id) => [id, []]))
  if (ids.length === 0) return found
  const sizes = await tx
    .selectFrom('executionSteps')
    .select(['executionId', sql<string>`sum(octet_length(output))`.as('bytes')])
    .where('tenantId', '=', tenantId)
    .where('executionId', 'in', [...ids])
    .where('output', 'is not', null)
    .groupBy('executionId')
    .execute()
  const short = sizes.filter(({ bytes }) => Number(bytes) <= mostBytes).map(({ executionId }) => executionId)
  for (const { executionId, bytes } of sizes) if (Number(bytes) > mostBytes) found.set(executionId, undefined)
  if (short.length === 0) return found
  const rows = await tx
    .selectFrom('executionSteps')
    .select(['executionId', 'stepId', 'output'])
    .where('tenantId', '=', tenantId)
    .where('executionId', 'in', short)
    .where('output', 'is not', null)
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  for (const row of rows) found.get(row.executionId)?.push(decryptStepValue(cipher, row, 'output', row.output))
  return found
}

/** The first calls of tools in the journals of executions, in order. Their data was masked when it was written. */
export async function findFirstCalls(tx: Transaction, tenantId: string, ids: readonly string[]) {
  const { rows } = await sql<{ executionId: string; type: string; stepId: string | null; data: Buffer | null }>`
    select call.execution_id as "executionId", call.type, call.step_id as "stepId", call.data
    from unnest(${listOf(ids, 'uuid')}) wanted (id)
    cross join lateral (
      select execution_id, seq, type, step_id, data from execution_events
      where tenant_id = ${tenantId} and execution_id = wanted.id and type = 'tool.called'
      order by seq limit ${mostCalls}) call
    order by call.execution_id, call.seq`.execute(tx)
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => ({ executionId: row.executionId, data: decryptEventData(cipher, row, row.data) }))
}
