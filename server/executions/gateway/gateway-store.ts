import { sql } from 'kysely'
import { decryptExecutionValue } from '#server/executions/state/content.ts'
import { executionKey } from '#server/executions/state/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** The state of a call, the approval that it waits for, and whether its answer has yet to be taken by `key`. */
export async function findCall(tx: Transaction, tenantId: string, id: string, key: string | undefined) {
  const row = await tx
    .selectFrom('executions as execution')
    .leftJoin('executionSteps as step', (join) =>
      join.onRef('step.tenantId', '=', 'execution.tenantId').onRef('step.executionId', '=', 'execution.id'),
    )
    .leftJoin('approvals as approval', (join) =>
      join.onRef('approval.tenantId', '=', 'execution.tenantId').onRef('approval.id', '=', 'step.approvalId'),
    )
    .select([
      'execution.status',
      'execution.output',
      'execution.error',
      'execution.endedAt',
      'execution.idempotencyKey',
      'step.approvalId',
      'approval.status as approvalStatus',
    ])
    .where('execution.tenantId', '=', tenantId)
    .where('execution.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const cipher = await tenantCipher(tx, tenantId)
  const { idempotencyKey, ...rest } = row
  return {
    ...rest,
    awaited: key !== undefined && idempotencyKey === executionKey(cipher, key),
    output: decryptExecutionValue(cipher, id, 'output', row.output),
    error: decryptExecutionValue(cipher, id, 'error', row.error),
  }
}

/** Marks the answer as taken, so that an identical call is a new one. */
export async function setAnswered(tx: Transaction, tenantId: string, id: string, key: string): Promise<void> {
  const idempotencyKey = executionKey(await tenantCipher(tx, tenantId), key)
  await tx
    .updateTable('executions')
    .set({ idempotencyKey: sql<string>`idempotency_key || ':' || id::text` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('idempotencyKey', '=', idempotencyKey)
    .execute()
}

/** The call that this one repeats, whose answer has yet to be taken. An ended call is returned once; after that, an identical call is a new one. */
export async function takeAwaited(
  tx: Transaction,
  tenantId: string,
  startedBy: string,
  key: string,
): Promise<{ id: string; status: string } | undefined> {
  const idempotencyKey = executionKey(await tenantCipher(tx, tenantId), key)
  const ended = await tx
    .updateTable('executions')
    .set({ idempotencyKey: sql<string>`idempotency_key || ':' || id::text` })
    .where('tenantId', '=', tenantId)
    .where('startedBy', '=', startedBy)
    .where('idempotencyKey', '=', idempotencyKey)
    .where('endedAt', 'is not', null)
    .returning(['id', 'status'])
    .executeTakeFirst()
  if (ended !== undefined) return ended
  return await tx
    .selectFrom('executions')
    .select(['id', 'status'])
    .where('tenantId', '=', tenantId)
    .where('startedBy', '=', startedBy)
    .where('idempotencyKey', '=', idempotencyKey)
    .executeTakeFirst()
}
