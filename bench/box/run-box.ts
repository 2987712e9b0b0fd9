import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '#server/testing/until.ts'
import { batch, receiverOf, spansCall } from '../cases/case-04-telemetry.ts'
import { ask } from '../load.ts'
import { together } from './at-rate.ts'
import { type Loaded, loadBox } from './load-box.ts'
import type { Box } from './open-box.ts'
import { type Live, openSockets } from './sockets.ts'

/** After the load, what it started may take this long to end. */
const settleMs = 60_000

type Started = ReadonlyMap<string, readonly string[]>

export type Outcome = {
  loaded: Loaded
  /** All calls, and those that were not done. `reasons`: what was answered instead, and how often. */
  calls: number
  refused: number
  reasons: string[]
  /** `times`: milliseconds from the start of each execution to its end. */
  executions: { all: number; failed: number; times: number[] }
  /** Events that sockets were sent, and those that were missing a minute later. */
  events: number
  lost: number
}

/**
 * One load with sockets that follow it: everything at once at `factor` times the rates. Then waits for what it began. `afterLoad` runs as
 * soon as the last call has been answered.
 */
export async function runBox(
  box: Box,
  { factor, seconds, afterLoad }: { factor: number; seconds: number; afterLoad?: () => void },
): Promise<Outcome> {
  const followed = await beginTraces(box)
  const started = new Map<string, string[]>()
  const live = await openSockets(box, followed, started)
  try {
    const loaded = await loadBox(box, { factor, seconds, followed, started })
    afterLoad?.()
    const executions = await endedExecutions(box, started)
    const lost = await lostEvents(box, live, followed, started)
    const all = together([loaded.tokens, loaded.calls, loaded.spans, loaded.executions])
    const refused = [...all.refused.values()].reduce((sum, count) => sum + count, 0) + live.ended.length
    const reasons = [...[...all.refused].map(([answer, count]) => `${count} × ${answer}`), ...live.ended]
    return { loaded, calls: all.calls, refused, reasons, executions, events: live.events(), lost }
  } finally {
    live.close()
  }
}

/** A trace of each tenant that its sockets can follow, by the tenant's id. */
async function beginTraces({ api, tenants }: Box): Promise<Map<string, string>> {
  const traces = new Map<string, string>()
  for (const { id, telemetry } of tenants) {
    const traceId = randomBytes(16).toString('hex')
    const { status, text } = await ask(spansCall(receiverOf(api, telemetry), batch([traceId], 1)))
    if (status !== 200) throw new Error(`${status} ${text}`)
    traces.set(id, traceId)
  }
  return traces
}

/** Waits until all of them have ended. */
async function endedExecutions({ owner }: Box, started: Started): Promise<Outcome['executions']> {
  const ids = [...started.values()].flat()
  const open = 'select from executions where id = any($1::uuid[]) and ended_at is null limit 1'
  await until(
    async () => ((await owner.query(open, [ids])).rowCount === 0 ? true : undefined),
    'all executions ended',
    settleMs,
  )
  const { rows } = await owner.query<{ status: string; ms: number }>(
    `select status, extract(epoch from ended_at - created_at)::float8 * 1000 as ms
     from executions where id = any($1::uuid[])`,
    [ids],
  )
  const failed = ids.length - rows.filter(({ status }) => status === 'succeeded').length
  return { all: ids.length, failed, times: rows.map(({ ms }) => ms) }
}

/** Events that a socket was not sent though it follows what they are about: counted once none are missing, or after a minute. */
async function lostEvents(
  { owner }: Box,
  live: Live,
  followed: ReadonlyMap<string, string>,
  started: Started,
): Promise<number> {
  const spans = new Map<string, string[]>()
  for (const [tenantId, traceId] of followed) {
    const stored = 'select span_id from spans where tenant_id = $1 and trace_id = $2'
    const { rows } = await owner.query<{ span_id: string }>(stored, [tenantId, traceId])
    const ids = rows.map((row) => row.span_id)
    spans.set(tenantId, ids)
  }
  const missing = () =>
    [
      ...live.spans.map(({ tenantId, seen }) => missingFrom(seen, spans.get(tenantId) ?? [])),
      ...live.executions.map(({ tenantId, seen }) => missingFrom(seen, started.get(tenantId) ?? [])),
    ].reduce((sum, count) => sum + count, 0)
  const giveUp = performance.now() + settleMs
  while (missing() > 0 && performance.now() < giveUp) await delay(100)
  return missing()
}

const missingFrom = (seen: ReadonlySet<string>, expected: readonly string[]): number =>
  expected.filter((id) => !seen.has(id)).length
