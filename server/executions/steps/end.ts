import { definedOnly, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'
import { announce, type JournalEntry, journalEnd } from '#server/executions/state/journal.ts'
import { type KnownRows, writeEnd } from '#server/executions/state/known-store.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { maskText } from '#server/executions/state/masking.ts'
import { isWaitStep } from '#server/executions/state/next-step.ts'
import { rootSpanId } from '#server/executions/state/spans.ts'
import type { StepChange } from '#server/executions/state/store.ts'
import { keepFiles } from '#server/files/use.ts'
import { endInputs } from '#server/inputs/waits.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import { readWritten } from '#server/kernel/db/closing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { tellChannels } from '#server/notifications/tell-channels.ts'
import { type EndedSpan, spanEnds } from '#server/traces/recording/record.ts'
import { beginNext } from './concurrency.ts'
import { openSpanEnds } from './open-spans.ts'

export type Ending = {
  status: Extract<
    ExecutionStatus,
    'succeeded' | 'failed' | 'denied' | 'rejected' | 'expired' | 'timed_out' | 'canceled' | 'indeterminate'
  >
  output?: JsonValue
  error?: { code: string; message: string }
  /** Details of the audit record in addition to the code. */
  details?: JsonObject
}

/** A person rejected, canceled or forgot the others. */
const failures: ReadonlySet<string> = new Set(['failed', 'denied', 'timed_out', 'indeterminate'])

/** The last call of an execution, which ends in the same statement. `known`: the rows of both, if this process has written all of them. */
export type EndedCall = {
  step: { id: string; change: StepChange }
  spans: readonly EndedSpan[]
  known?: KnownRows | undefined
}

/**
 * Ends an execution: state, journal, trace and audit record in one transaction. After a call whose rows are known, the COMMIT throws
 * Unforeseen if anything has happened to them.
 */
export async function endExecution(
  tx: Transaction,
  loaded: Loaded,
  ending: Ending,
  entries: readonly JournalEntry[] = [],
  { with: call, whileAllowed = false }: { with?: EndedCall; whileAllowed?: boolean } = {},
): Promise<void> {
  const { tenant, row, content, mask } = loaded
  const { status, output, error } = ending
  const data = definedOnly({ output: output === undefined ? undefined : mask(output), error: error && mask(error) })
  const spans = await endedSpans()
  const fence = { tenantId: tenant.id, id: row.id, revision: row.revision }
  const written = [...entries, { type: `execution.${status}`, data }]
  if (await endKnown()) await endRest()
  else
    await inOneWrite(tx, [
      () =>
        journalEnd(tx, fence, {
          step: call?.step,
          spans,
          change: {
            status,
            ended: true,
            stopConfirmed: row.stopRequestedAt !== null && status !== 'indeterminate',
            output,
            error,
          },
          entries: written,
          whileAllowed,
        }),
      endRest,
      () => readWritten(tx),
    ])
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: `execution.${status}`,
    resource: { type: 'execution', id: row.id },
    details: { code: error?.code, ...ending.details },
  })

  /** The usual end: with the output of the last call. */
  async function endKnown(): Promise<boolean> {
    if (call?.known?.isBound !== true || !whileAllowed || spans === undefined || output === undefined) return false
    const { step, known } = call
    await writeEnd(tx, fence, known, { status, output, entries: written, spans, step })
    announce(tx, tenant.id, row.id, spans.traceId)
    return true
  }

  async function endedSpans() {
    // An execution stopped before it started does not have a trace.
    if (row.startedAt === null) return undefined
    const { traceId } = row
    const endedAt = new Date()
    const root: EndedSpan = {
      spanId: rootSpanId(traceId),
      // What people stop is not an error of the agent: traces would count it as one.
      status: status === 'succeeded' ? 'ok' : status === 'canceled' ? 'unset' : 'error',
      statusMessage: error && `${error.code}: ${maskText(mask, error.message)}`,
      attributes: [{ key: 'countersign.execution.status', value: status }],
      endedAt,
    }
    const steps = loaded.steps.filter(({ stepId }) => stepId !== call?.step.id)
    const open = await openSpanEnds(tx, { ...loaded, steps }, status)
    const ends = await spanEnds(tx, tenant.id, traceId, [...open, ...(call?.spans ?? []), root])
    return { traceId, ends, endedAt }
  }

  /** Usually nothing. */
  async function endRest(): Promise<void> {
    if (content.spec.runtime.a2a !== undefined || content.spec.runtime.steps?.some(isWaitStep))
      await endInputs(tx, tenant.id, row.id)
    if (output !== undefined) await keepFiles(tx, tenant.id, row.id, 'output', output)
    if (failures.has(status)) await tellChannels(tx, tenant.id, 'execution.failed', row.id, { status })
    await beginNext(tx, loaded)
  }
}
