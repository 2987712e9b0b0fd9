import { CompiledQuery } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { SpanEnd, SpanStart } from '#server/traces/recording/live-store.ts'
import { type ExecutionChange, endValues, entryValues, type NewEvent } from './change-store.ts'
import { type StepChange, storedStep } from './store.ts'

type Fence = { tenantId: string; id: string; revision: number }
type Step = { id: string; change: StepChange }

const beginText = 'select begin_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) as outcome'

/**
 * Starts a call in one statement (migration 0110): trace and decision if they are given, spans, execution, journal and step. Anything but
 * `begun` must roll the transaction back.
 */
export async function storeCallBegin(
  tx: Transaction,
  { tenantId, id, revision }: Fence,
  begin: {
    traceId: string
    /** Of an execution that begins with the call. */
    trace: { agentId: string; name: string; startedAt: Date } | undefined
    decision: { decision: string; asked: Buffer; bindings: string | undefined } | undefined
    spans: readonly SpanStart[]
    deadlineAt: Date | undefined
    entries: readonly NewEvent[]
    step: Step
  },
): Promise<'begun' | 'old bindings' | 'no trace' | 'changed'> {
  const cipher = await tenantCipher(tx, tenantId)
  const { decision, trace, step } = begin
  const values = [
    tenantId,
    id,
    revision,
    ...entryValues(cipher, id, begin.entries),
    begin.deadlineAt ?? null,
    begin.traceId,
    trace === undefined ? null : JSON.stringify(trace),
    decision?.decision ?? null,
    decision?.asked ?? null,
    decision?.bindings ?? null,
    JSON.stringify(begin.spans),
    step.id,
    storedStep(cipher, id, step.id, step.change),
  ]
  return await outcomeOf(tx, beginText, values)
}

const endText = 'select end_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) as outcome'

/**
 * Ends a call, an execution, or both, in one statement: step, spans and trace if they are given, execution and journal. Anything but
 * `done` must roll the transaction back.
 */
export async function storeEnd(
  tx: Transaction,
  { tenantId, id, revision }: Fence,
  end: {
    step: Step | undefined
    /** Undefined without a trace. `endedAt`: of the trace, if it ends. */
    spans: { traceId: string; ends: readonly SpanEnd[]; endedAt: Date | undefined } | undefined
    change: Pick<ExecutionChange, 'status' | 'output' | 'error' | 'ended' | 'stopConfirmed'>
    entries: readonly NewEvent[]
    whileAllowed: boolean
  },
): Promise<'done' | 'no trace' | 'changed'> {
  const cipher = await tenantCipher(tx, tenantId)
  const { step, spans, change } = end
  const values = [
    tenantId,
    id,
    revision,
    ...entryValues(cipher, id, end.entries),
    ...endValues(cipher, id, change),
    change.ended === true,
    change.stopConfirmed === true,
    end.whileAllowed,
    spans?.traceId ?? null,
    JSON.stringify(spans?.ends ?? []),
    spans?.endedAt ?? null,
    step?.id ?? null,
    step === undefined ? null : storedStep(cipher, id, step.id, step.change),
  ]
  return await outcomeOf(tx, endText, values)
}

async function outcomeOf<T extends string>(tx: Transaction, text: string, values: unknown[]): Promise<T> {
  const { rows } = await tx.executeQuery<{ outcome: T }>(CompiledQuery.raw(text, values))
  if (rows[0] === undefined) throw new Error('unreachable: a function returns a row')
  return rows[0].outcome
}
