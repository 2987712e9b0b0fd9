import { sql } from 'kysely'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { encryptEventData, encryptStepValue } from '#server/executions/state/content.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** Locks an execution at its revision until commit; false when the revision has changed. Called before its waits are read. */
export async function holdExecution(tx: Transaction, tenantId: string, id: string, revision: number): Promise<boolean> {
  const row = await tx
    .selectFrom('executions')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('endedAt', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Writes a step's answers to the journal: one statement, fenced by the execution's revision, marks the step succeeded and writes
 * the entry. The same transaction marks the waits satisfied (inputs/waits.ts), so that a crash cannot separate them. False when
 * the revision has changed; throws when the step does not wait, so that the transaction is rolled back.
 */
export async function journalAnswers(
  tx: Transaction,
  step: { tenantId: string; executionId: string; revision: number; stepId: string; deadlineAt: Date | null },
  output: JsonValue,
  data: JsonObject,
): Promise<boolean> {
  const { tenantId, executionId, revision, stepId, deadlineAt } = step
  const type = 'input.applied'
  const cipher = await tenantCipher(tx, tenantId)
  const { rows } = await sql<{ journaled: number; finished: number }>`
    with advanced as (
      update executions set status = 'running', revision = revision + 1, event_count = event_count + 1,
        deadline_at = ${deadlineAt}
      where tenant_id = ${tenantId} and id = ${executionId} and revision = ${revision} and ended_at is null
      returning event_count
    ), finished as (
      update execution_steps step set status = 'succeeded', output = ${encryptStepValue(cipher, step, 'output', output)},
        ended_at = clock_timestamp()
      from advanced
      where step.tenant_id = ${tenantId} and step.execution_id = ${executionId} and step.step_id = ${stepId}
        and step.status = 'waiting_input'
      returning step.step_id
    ), journaled as (
      insert into execution_events (tenant_id, execution_id, seq, type, step_id, data, created_at)
      select ${tenantId}, ${executionId}, advanced.event_count, ${type}, ${stepId},
        ${encryptEventData(cipher, { executionId, type, stepId }, data)}::bytea, clock_timestamp()
      from advanced
      returning seq
    )
    select (select count(*)::int from journaled) as journaled, (select count(*)::int from finished) as finished`.execute(
    tx,
  )
  const [row] = rows
  if (row === undefined || row.journaled === 0) return false
  if (row.finished !== 1) throw new Error(`The step ${stepId} of execution ${executionId} does not wait for an input.`)
  return true
}
