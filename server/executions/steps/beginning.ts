import { durationSeconds } from '#lib/duration.ts'
import type { ExecutionChange } from '#server/executions/state/change-store.ts'
import { type JournalEntry, journal } from '#server/executions/state/journal.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { rootSpanId } from '#server/executions/state/spans.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { masked, type NewSpan, startSpan, startTrace } from '#server/traces/recording/record.ts'

const defaultTimeout = 'PT1H'

/** The beginning of an execution, before it is sent. */
export type Beginning = {
  trace: { agentId: string; name: string; startedAt: Date }
  root: NewSpan
  change: ExecutionChange & { deadlineAt: Date }
  entry: JournalEntry
}

/** The beginning of a queued execution, and the execution as it is afterwards, at the revision before. */
export function beginningOf(loaded: Loaded): { beginning: Beginning; begun: Loaded } {
  const { row, content, input, mask } = loaded
  const startedAt = row.now
  const seconds = durationSeconds(content.spec.limits.timeout ?? defaultTimeout) ?? 3600
  const name = `${row.agentName} ${content.agent.version}`
  const deadlineAt = new Date(startedAt.getTime() + seconds * 1000)
  const root: NewSpan = {
    spanId: rootSpanId(row.traceId),
    name: `invoke_agent ${row.agentName}`,
    kind: 'agent',
    attributes: [
      { key: 'gen_ai.operation.name', value: 'invoke_agent' },
      { key: 'gen_ai.agent.name', value: row.agentName },
      { key: 'gen_ai.agent.version', value: content.agent.version },
      { key: 'countersign.execution.id', value: row.id },
      { key: 'countersign.environment', value: row.environment },
      masked('countersign.input', input, mask),
    ],
    startedAt,
  }
  return {
    beginning: {
      trace: { agentId: row.agentId, name, startedAt },
      root,
      change: { status: 'running', started: true, deadlineAt },
      entry: { type: 'execution.running', data: { release: row.releaseDigest, input: mask(input) } },
    },
    begun: { ...loaded, status: 'running', row: { ...row, status: 'running', startedAt, deadlineAt } },
  }
}

/** Sends the beginning alone. */
export async function begin(
  tx: Transaction,
  begun: Loaded,
  { trace, root, change, entry }: Beginning,
): Promise<Loaded> {
  const { tenant, row } = begun
  const { traceId } = row
  let { revision } = row
  await inOneWrite(tx, [
    () => startTrace(tx, tenant.id, { ...trace, traceId, executionId: row.id }),
    () => startSpan(tx, tenant.id, { ...root, traceId }),
    async () => {
      revision = await journal(tx, { tenantId: tenant.id, id: row.id, revision }, change, [entry])
    },
  ])
  await auditBeginning(tx, begun)
  return { ...begun, row: { ...row, revision } }
}

export async function auditBeginning(tx: Transaction, { tenant, row }: Loaded): Promise<void> {
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: 'execution.running',
    resource: { type: 'execution', id: row.id },
    details: { release: row.releaseDigest },
  })
}
