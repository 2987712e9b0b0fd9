import { sql } from 'kysely'
import { decryptExecutionValue } from '#server/executions/state/content.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** Who sees a task, and at which address: the caller that made it there. */
export type TaskOwner = {
  tenantId: string
  memberId: string
  /** Null for a token that was not issued to a client of another vendor. */
  clientId: string | null
  agentId: string
  environment: string
  server: string
}

export type TaskRow = NonNullable<Awaited<ReturnType<typeof findTask>>>

/** Makes the caller's task of an execution, or returns the one that exists. An expired one begins again under a new id. */
export async function insertTask(
  tx: Transaction,
  { tenantId, memberId, clientId, server }: TaskOwner,
  executionId: string,
  seconds: number,
): Promise<{ id: string; isNew: boolean }> {
  const id = newId()
  // One time for both, so that their difference is exact.
  const createdAt = sql<Date>`statement_timestamp()`
  const expiresAt = sql<Date>`statement_timestamp() + make_interval(secs => ${seconds})`
  const kept = <T>(column: string) =>
    sql<T>`case when gateway_tasks.expires_at > clock_timestamp() then gateway_tasks.${sql.ref(column)} else excluded.${sql.ref(column)} end`
  const row = await tx
    .insertInto('gatewayTasks')
    .values({ tenantId, id, executionId, memberId, clientId, server, createdAt, expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'executionId', 'memberId', 'clientId']).doUpdateSet({
        id: kept<string>('id'),
        createdAt: kept<Date>('created_at'),
        expiresAt: kept<Date>('expires_at'),
        canceledAt: kept<Date | null>('canceled_at'),
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id: row.id, isNew: row.id === id }
}

/** Tasks of this caller at this address that have not expired, with the state of their calls. */
const owned = (tx: Transaction, owner: TaskOwner) =>
  tx
    .selectFrom('gatewayTasks as task')
    .innerJoin('executions as execution', (join) =>
      join.onRef('execution.tenantId', '=', 'task.tenantId').onRef('execution.id', '=', 'task.executionId'),
    )
    .leftJoin('executionSteps as step', (join) =>
      join.onRef('step.tenantId', '=', 'task.tenantId').onRef('step.executionId', '=', 'task.executionId'),
    )
    .leftJoin('approvals as approval', (join) =>
      join.onRef('approval.tenantId', '=', 'task.tenantId').onRef('approval.id', '=', 'step.approvalId'),
    )
    .select([
      'task.id',
      'task.executionId',
      'task.createdAt',
      'task.expiresAt',
      'task.canceledAt',
      'execution.status',
      'execution.error',
      'execution.endedAt',
      'step.approvalId',
      'approval.status as approvalStatus',
      // A null is left out.
      sql<Date>`greatest(task.created_at, task.canceled_at, execution.started_at, execution.parked_at, execution.ended_at,
        approval.requested_at, approval.decided_at)`.as('updatedAt'),
    ])
    .where('task.tenantId', '=', owner.tenantId)
    .where('task.memberId', '=', owner.memberId)
    .where('task.clientId', 'is not distinct from', owner.clientId)
    .where('task.server', '=', owner.server)
    .where('execution.agentId', '=', owner.agentId)
    .where('execution.environment', '=', owner.environment)
    .where('task.expiresAt', '>', sql<Date>`clock_timestamp()`)

export async function findTask(tx: Transaction, owner: TaskOwner, id: string) {
  const row = await owned(tx, owner).where('task.id', '=', id).executeTakeFirst()
  return row && (await decrypted(tx, owner.tenantId, row))
}

/** Newest first. `before`: the last one of the page before. */
export async function listTasks(tx: Transaction, owner: TaskOwner, limit: number, before: string | undefined) {
  const rows = await owned(tx, owner)
    .$if(before !== undefined, (q) => q.where('task.id', '<', before ?? ''))
    .orderBy('task.id', 'desc')
    .limit(limit)
    .execute()
  return await Promise.all(rows.map((row) => decrypted(tx, owner.tenantId, row)))
}

async function decrypted<R extends { executionId: string; error: Buffer | null }>(
  tx: Transaction,
  tenantId: string,
  row: R,
) {
  const cipher = await tenantCipher(tx, tenantId)
  return { ...row, error: decryptExecutionValue(cipher, row.executionId, 'error', row.error) }
}

/** Whatever its call still does, the task stays canceled. */
export async function setTaskCanceled(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx
    .updateTable('gatewayTasks')
    .set({ canceledAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** The execution can't change until the transaction ends. */
export async function lockExecution(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx
    .selectFrom('executions')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function deleteExpiredTasks(tx: Transaction, tenantId: string): Promise<void> {
  await tx
    .deleteFrom('gatewayTasks')
    .where('tenantId', '=', tenantId)
    .where('expiresAt', '<', sql<Date>`clock_timestamp()`)
    .execute()
}
