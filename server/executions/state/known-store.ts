import { CompiledQuery } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import { changedRow, isWrittenAlike } from '#server/kernel/bound/known.ts'
import { type OwnRows, ownRows } from '#server/kernel/bound/own-rows.ts'
import { boundType, type KnownRow } from '#server/kernel/bound/types.ts'
import { commitmentState } from '#server/kernel/content/committed.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { Unforeseen, writeKnown } from '#server/kernel/db/closing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { StoredDecision } from '#server/policies/decisions/decision-store.ts'
import { endedRows, startedRows } from '#server/traces/recording/known-spans.ts'
import type { SpanEnd, SpanStart } from '#server/traces/recording/live-store.ts'
import { entryValues, type NewEvent } from './change-store.ts'
import { encryptExecutionValue } from './content.ts'
import { encryptedStep, type FirstJob, type NewExecution, type StepChange, startCall, stepText } from './store.ts'

// The usual course of an execution, each part in one write with its COMMIT (migration 0119). The rows that the functions write are composed
// here too, because their states are bound in the same write.

const [executions, events, steps] = [boundType('execution'), boundType('execution_event'), boundType('execution_step')]

/** An execution whose rows this process has written. The trace is absent until the first call has begun. */
export type KnownRows = {
  own: OwnRows
  /** Whether the last write was bound without being read, so that the next one may follow it. */
  isBound: boolean
  trace?: { day: string; changes: number }
}

export const newRows = (): KnownRows => ({ own: ownRows(), isBound: false })

/** Writes rows that this process knows, with the COMMIT, which throws Unforeseen for another outcome. `known` keeps them. */
async function write(
  tx: Transaction,
  tenantId: string,
  call: CompiledQuery,
  rows: readonly KnownRow[],
  known: KnownRows,
): Promise<void> {
  await writeKnown(tx, {
    tenantId,
    call,
    mayDiffer: true,
    rows,
    bound: (states) => {
      known.own.keep(rows, states)
      known.isBound = true
    },
  })
}

/**
 * Stores an execution with its first job, if that is not stored otherwise, and keeps its row in `known`. The COMMIT throws Unforeseen if its
 * idempotency key is in use.
 */
export async function writeStart(
  tx: Transaction,
  row: NewExecution,
  at: Date,
  known: KnownRows,
  job: FirstJob | undefined,
): Promise<void> {
  const cipher = await tenantCipher(tx, row.tenantId)
  const input = encryptExecutionValue(cipher, row.id, 'input', row.input)
  const { id, agentId, releaseId, environment, traceId, startedBy } = row
  const stored = {
    id,
    agentId,
    releaseId,
    environment,
    status: 'queued',
    traceId,
    eventCount: 0,
    revision: 1,
    startedBy,
    createdAt: at.toISOString(),
    startedAt: null,
    endedAt: null,
    deadlineAt: null,
    parkedAt: null,
    stopRequestedAt: null,
    stopConfirmedAt: null,
    stopReason: null,
    input: commitmentState(input),
    output: null,
    error: null,
  }
  const rows = [{ bound: executions, id, row: JSON.stringify(stored), before: null }]
  await write(tx, row.tenantId, startCall(cipher, row, { input, at, job }), rows, known)
}

type Fence = { tenantId: string; id: string; revision: number }

const beginCall = 'begin_known_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)'

/**
 * Begins an execution that this process has just stored with its first call. Throws Unforeseen, as the COMMIT does if anything has happened
 * to the execution, its agent, its release or the bindings, for values that the database would write otherwise.
 */
export async function writeBegin(
  tx: Transaction,
  { tenantId, id, revision }: Fence,
  { own }: KnownRows,
  begin: {
    traceId: string
    trace: { agentId: string; name: string; startedAt: Date }
    decision: StoredDecision & { bindings: string | undefined }
    spans: readonly SpanStart[]
    deadlineAt: Date
    entries: readonly NewEvent[]
    step: { id: string; change: StepChange }
  },
): Promise<KnownRows> {
  const cipher = await tenantCipher(tx, tenantId)
  const at = (await databaseClock(tx))()
  const { traceId, trace, decision, step, entries } = begin
  const day = at.toISOString().slice(0, 10)
  const content = encryptedStep(cipher, id, step.id, step.change)
  const entered = entryValues(cipher, id, entries)
  const started = startedRows({ day, traceId, changes: 0 }, begin.spans)
  const execution = own.last(executions, id)
  const change = {
    status: 'running',
    startedAt: at.toISOString(),
    deadlineAt: begin.deadlineAt.toISOString(),
    eventCount: entries.length,
    revision: revision + 1,
  }
  const rows = [
    { bound: executions, id, row: changedRow(execution.row, change), before: execution.before },
    ...eventRows(id, 0, entered, at),
    {
      bound: steps,
      id: `${id}/${step.id}`,
      row: JSON.stringify({
        executionId: id,
        stepId: step.id,
        status: step.change.status,
        attempts: step.change.attempts ?? 0,
        decisionId: step.change.decisionId ?? null,
        approvalId: step.change.approvalId ?? null,
        spanId: step.change.spanId ?? null,
        startedAt: step.change.started === true ? at.toISOString() : null,
        endedAt: null,
        arguments: commitmentState(content.arguments ?? null),
        output: null,
      }),
      before: null,
    },
    decision.rowAt(at),
    ...started.rows,
  ]
  requireAlike(rows)
  const call = CompiledQuery.raw(beginCall, [
    tenantId,
    id,
    revision,
    ...entered,
    begin.deadlineAt,
    traceId,
    JSON.stringify(trace),
    decision.decision,
    decision.asked,
    decision.bindings ?? null,
    JSON.stringify(begin.spans),
    step.id,
    stepText(step.change, content),
    at,
    day,
    started.changes,
  ])
  const known = { ...newRows(), trace: { day, changes: started.changes } }
  await write(tx, tenantId, call, rows, known)
  return known
}

const endCall = 'end_known_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)'

/** Ends an execution with its last call, which this process has begun. Throws as `writeBegin` does. */
export async function writeEnd(
  tx: Transaction,
  { tenantId, id, revision }: Fence,
  { own, trace }: KnownRows,
  end: {
    status: string
    output: JsonValue
    entries: readonly NewEvent[]
    spans: { traceId: string; ends: readonly SpanEnd[]; endedAt: Date }
    step: { id: string; change: StepChange }
  },
): Promise<void> {
  if (trace === undefined) throw new Error('The trace of the execution has not begun.')
  const cipher = await tenantCipher(tx, tenantId)
  const at = (await databaseClock(tx))()
  const { step, entries, spans } = end
  const content = encryptedStep(cipher, id, step.id, step.change)
  const entered = entryValues(cipher, id, entries)
  const output = encryptExecutionValue(cipher, id, 'output', end.output)
  const ended = endedRows({ ...trace, traceId: spans.traceId }, own, spans.ends)
  const execution = own.last(executions, id)
  const { eventCount } = JSON.parse(execution.row) as { eventCount: number }
  const stepId = `${id}/${step.id}`
  const called = own.last(steps, stepId)
  const rows = [
    {
      bound: executions,
      id,
      row: changedRow(execution.row, {
        status: end.status,
        endedAt: at.toISOString(),
        output: commitmentState(output),
        eventCount: eventCount + entries.length,
        revision: revision + 1,
      }),
      before: execution.before,
    },
    ...eventRows(id, eventCount, entered, at),
    {
      bound: steps,
      id: stepId,
      row: changedRow(called.row, {
        status: step.change.status,
        endedAt: at.toISOString(),
        ...(content.output === undefined ? {} : { output: commitmentState(content.output) }),
      }),
      before: called.before,
    },
    ...ended.rows,
  ]
  requireAlike(rows)
  const call = CompiledQuery.raw(endCall, [
    tenantId,
    id,
    revision,
    ...entered,
    end.status,
    output,
    spans.traceId,
    JSON.stringify(spans.ends),
    spans.endedAt,
    step.id,
    stepText(step.change, content),
    at,
    // The trace itself ends with them.
    ended.changes + 1,
  ])
  await write(tx, tenantId, call, rows, newRows())
}

function requireAlike(rows: readonly KnownRow[]): void {
  if (!rows.every(({ row }) => isWrittenAlike(row))) throw new Unforeseen('written otherwise')
}

const eventRows = (
  executionId: string,
  before: number,
  [types, stepIds, data]: ReturnType<typeof entryValues>,
  at: Date,
): KnownRow[] =>
  types.map((type, place) => {
    const seq = before + place + 1
    const row = {
      executionId,
      seq,
      type,
      stepId: stepIds[place] ?? null,
      createdAt: at.toISOString(),
      data: commitmentState(data[place] ?? null),
    }
    return { bound: events, id: `${executionId}/${seq}`, row: JSON.stringify(row), before: null }
  })
