import { durationSeconds } from '#lib/duration.ts'
import type { JsonValue } from '#lib/json.ts'
import { waitGroup } from '#lib/rules/waits.ts'
import { Fenced, journal } from '#server/executions/state/journal.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { maskerFor } from '#server/executions/state/masking.ts'
import type { WaitStep } from '#server/executions/state/next-step.ts'
import { rootSpanId, waitSpanId } from '#server/executions/state/spans.ts'
import { setStep } from '#server/executions/state/store.ts'
import { askByMail } from '#server/inputs/ask-by-mail.ts'
import { openWaits, stepWaits, supersedeWaits, takeAnswers } from '#server/inputs/waits.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify, topicOf } from '#server/kernel/db/notify.ts'
import { endSpan, startSpan } from '#server/traces/recording/record.ts'
import { beginNext } from './concurrency.ts'
import { holdExecution, journalAnswers } from './consume-store.ts'
import { endExecution } from './end.ts'
import { settle } from './wait-settlement.ts'

const defaultTtl = 'P7D'

function groupOf(step: WaitStep) {
  const group = waitGroup(step.wait as JsonValue)
  if (group === undefined) throw new Error(`The step ${step.id} does not wait for any input.`)
  return group
}

/** Parks the execution, which then exists only in the database. Opens its waits in the transaction of the journal entry. */
export async function beginWait(tx: Transaction, loaded: Loaded, step: WaitStep): Promise<void> {
  const { tenant, row, content } = loaded
  const { mode, inputs } = groupOf(step)
  const declared = inputs.map((name) => {
    const input = content.spec.inputs.find((candidate) => candidate.name === name)
    const ttlSeconds = durationSeconds(input?.ttl ?? defaultTtl) ?? 0
    return { name, ttlSeconds, onExpiry: input?.onExpiry ?? ('fail' as const) }
  })
  const execution = { tenantId: tenant.id, id: row.id, revision: row.revision }
  await setStep(tx, tenant.id, row.id, step.id, { status: 'waiting_input', started: true })
  // The execution is locked before its waits; a fixed order rules out deadlocks.
  await journal(tx, execution, { status: 'waiting_input' }, [
    {
      type: 'input.requested',
      stepId: step.id,
      data: { mode, inputs: declared.map(({ name, ttlSeconds, onExpiry }) => ({ name, ttlSeconds, onExpiry })) },
    },
  ])
  await startSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId: waitSpanId(row.traceId, step.id),
    parentSpanId: rootSpanId(row.traceId),
    name: `wait ${inputs.join(', ')}`,
    kind: 'wait',
    attributes: [
      { key: 'countersign.step', value: step.id },
      { key: 'countersign.wait.mode', value: mode },
    ],
    startedAt: new Date(),
  })
  await beginNext(tx, loaded)
  const opened = await openWaits(tx, tenant.id, { executionId: row.id, stepId: step.id }, declared)
  for (const { waitId, input, expiresAt, receiptId } of opened) {
    const ask = content.spec.inputs.find((candidate) => candidate.name === input)?.ask
    if (ask !== undefined && receiptId === undefined)
      await askByMail(tx, tenant, {
        waitId,
        executionId: row.id,
        input,
        ask,
        agentName: row.agentDisplayName,
        expiresAt,
      })
  }
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: 'input.requested',
    resource: { type: 'execution', id: row.id },
    details: {
      step: step.id,
      mode,
      waits: opened.map(({ waitId, input, expiresAt, receiptId }) => ({
        waitId,
        input,
        expiresAt: expiresAt.toISOString(),
        receiptId: receiptId ?? null,
      })),
    },
  })
}

/** Continues a waiting step: consumes the answers, ends the execution, or leaves it parked (false). */
export async function settleWait(tx: Transaction, loaded: Loaded, step: WaitStep): Promise<boolean> {
  const { tenant, row, content, input, steps } = loaded
  const group = groupOf(step)
  if (!(await holdExecution(tx, tenant.id, row.id, row.revision)))
    throw new Fenced(`Execution ${row.id} is no longer at revision ${row.revision}.`)
  const waits = await stepWaits(tx, tenant.id, row.id, step.id)
  const defaults = new Map(content.spec.inputs.map(({ name, default: value }) => [name, value ?? null]))
  const settlement = settle(group, waits, defaults)
  if (settlement.kind === 'pending') return false
  await endSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId: waitSpanId(row.traceId, step.id),
    status: settlement.kind === 'satisfied' ? 'ok' : settlement.kind === 'canceled' ? 'unset' : 'error',
    attributes: [{ key: 'countersign.wait.outcome', value: settlement.kind }],
    endedAt: new Date(),
  })
  if (settlement.kind !== 'satisfied') {
    await setStep(tx, tenant.id, row.id, step.id, { status: 'failed', ended: true })
    const error =
      settlement.kind === 'expired'
        ? { code: 'wait_expired', message: `The input ${settlement.input} did not arrive in time.` }
        : { code: 'wait_terminal', message: `The wait for the input ${settlement.input} was canceled.` }
    await endExecution(tx, loaded, { status: settlement.kind, error })
    return true
  }
  const { output, used } = settlement
  const mask = maskerFor(content, [input, ...steps.map((record) => record.output as JsonValue), output])
  const receipts = waits.flatMap((wait) =>
    used.includes(wait.id) ? [{ input: wait.input, receiptId: wait.receiptId }] : [],
  )
  const opened = Math.min(...waits.map((wait) => wait.openedAt.getTime()))
  const journaled = await journalAnswers(
    tx,
    {
      tenantId: tenant.id,
      executionId: row.id,
      revision: row.revision,
      stepId: step.id,
      // Time spent waiting for input does not count towards the manifest's time limit.
      deadlineAt: row.deadlineAt === null ? null : new Date(row.deadlineAt.getTime() + row.now.getTime() - opened),
    },
    output,
    { receipts, output: mask(output) },
  )
  if (!journaled) throw new Fenced(`Execution ${row.id} is no longer at revision ${row.revision}.`)
  await takeAnswers(tx, tenant.id, { executionId: row.id, stepId: step.id }, used)
  notify(tx, 'execution', topicOf(tenant.id, row.id))
  if (waits.some((wait) => wait.status === 'open' || !used.includes(wait.id)))
    await supersedeWaits(tx, tenant.id, row.id)
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: 'input.applied',
    resource: { type: 'execution', id: row.id },
    details: { step: step.id, receipts },
  })
  return true
}
