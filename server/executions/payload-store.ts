import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import { decryptExecutionValue, decryptStepValue } from '#server/executions/state/content.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

export type Payloads = { releaseId: string; releaseDigest: string; seen: JsonValue[] }

/** The release and all payloads of some executions: the input and each step's output. */
export async function findPayloads(
  tx: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Payloads>> {
  if (ids.length === 0) return new Map()
  const [executions, steps, cipher] = await Promise.all([
    tx
      .selectFrom('executions as execution')
      .innerJoin('releases as release', (join) =>
        join.onRef('release.tenantId', '=', 'execution.tenantId').onRef('release.id', '=', 'execution.releaseId'),
      )
      .select(['execution.id', 'execution.input', 'execution.releaseId', 'release.digest as releaseDigest'])
      .where('execution.tenantId', '=', tenantId)
      .where('execution.id', 'in', [...ids])
      .execute(),
    tx
      .selectFrom('executionSteps')
      .select(['executionId', 'stepId', 'output'])
      .where('tenantId', '=', tenantId)
      .where('executionId', 'in', [...ids])
      .where(sql<boolean>`not content_gone(output)`)
      .execute(),
    tenantCipher(tx, tenantId),
  ])
  const found = new Map<string, Payloads>(
    executions.map(({ id, input, ...release }) => [
      id,
      { ...release, seen: [decryptExecutionValue(cipher, id, 'input', input)] },
    ]),
  )
  for (const step of steps)
    found.get(step.executionId)?.seen.push(decryptStepValue(cipher, step, 'output', step.output))
  return found
}
