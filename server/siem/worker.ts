import { setTimeout } from 'node:timers/promises'
import { type LogOwner, listLogOwners } from '#server/audit/store.ts'
import { eachTenant } from '#server/kernel/jobs/each-tenant.ts'
import { repeat } from '#server/kernel/jobs/repeat.ts'
import { counter, gauge } from '#server/kernel/observe/meters.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { batchSize, findOldestUnsent, sendRecords } from './send-records.ts'
import { NotAccepted, PartlyAccepted, type Sink } from './sink.ts'

const lag = gauge(
  'countersign_siem_lag_seconds_all',
  'Age of the oldest audit record that a sink of SIEM_SINKS still lacks, of all tenants.',
)
const sent = counter('countersign_siem_batches_total', 'Batches of audit records by sink and result.')

/** The first pause before a record is sent again that a sink rejected in an accepted request; the next ones double. */
const pace = { roundMs: 5_000, pauseMs: 10_000 }
const longestPauseMs = 10 * 60_000
/** For a call that is under way when the process stops; then it is cut off, and its records are sent again. */
const lastCallMs = 2_000
/** Of one tenant in a turn: a sink that is new must not keep others waiting. */
const batchesInTurn = 20

/**
 * Records that are sent singly, because the sink accepted a batch in part: the accepted ones are not sent again with the rejected one,
 * which holds up those after it.
 */
type Singly = { left: number; restsUntil: number; pauseMs: number }

/** Sends the audit records of each tenant to the operator's sinks, in every worker process; one of them sends at a time. */
export function startSiem(sinks: readonly Sink[], { roundMs, pauseMs } = pace): { close(): Promise<void> } {
  const { log } = runtime()
  let closed = false
  const oldest = new Map<string, Date>()
  const failures = new Map<string, string>()
  const singles = new Map<string, Singly>()

  const slowDown = (key: string) => {
    const singly = singles.get(key)
    if (singly === undefined) return void singles.set(key, { left: batchSize, restsUntil: 0, pauseMs })
    singly.restsUntil = performance.now() + singly.pauseMs
    singly.pauseMs = Math.min(2 * singly.pauseMs, longestPauseMs)
  }
  const speedUp = (key: string, singly: Singly) => {
    singly.left -= 1
    singly.pauseMs = pauseMs
    if (singly.left === 0) singles.delete(key)
  }
  const send = async (owner: LogOwner, sink: Sink) => {
    const key = `${sink.name} ${owner.id}`
    if ((singles.get(key)?.restsUntil ?? 0) > performance.now()) return
    let notedFailure = failures.get(key)
    try {
      for (let batch = 0; batch < batchesInTurn && !closed; batch++) {
        const unsent = await findOldestUnsent(owner, sink)
        if (unsent === undefined) {
          oldest.delete(key)
          singles.delete(key)
          return
        }
        oldest.set(key, unsent)
        const singly = singles.get(key)
        const limit = singly === undefined ? batchSize : 1
        const count = await sendRecords(owner, sink, limit)
        if (count === undefined) return
        if (singly !== undefined) speedUp(key, singly)
        sent.add({ sink: sink.name, result: 'accepted' })
        if (notedFailure !== undefined && failures.delete(key)) {
          notedFailure = undefined
          log.info({ sink: sink.name, tenantId: owner.id }, 'a sink accepts audit records again')
        }
        if (count < limit) return void oldest.delete(key)
      }
    } catch (error) {
      if (!(error instanceof NotAccepted)) throw error
      // Cut off by the end of this process, which says nothing about the sink.
      if (closed) return
      sent.add({ sink: sink.name, result: 'failed' })
      if (error instanceof PartlyAccepted) slowDown(key)
      // Once for each reason, not in every round.
      if (error.message !== notedFailure)
        log.error(
          { sink: sink.name, tenantId: owner.id, reason: error.message },
          'a sink did not accept audit records; they will be sent again',
        )
      failures.set(key, error.message)
    }
  }
  const unread = (sink: Sink) => `audit records could not be read for the sink ${sink.name}; the next round tries again`
  const serve = (sink: Sink) =>
    eachTenant(
      listLogOwners,
      async (owner) => {
        if (sink.tenants.has(owner.externalId)) await send(owner, sink)
      },
      { isStopped: () => closed, failed: unread(sink) },
    )
  // Each sink for itself: one that does not answer delays no other.
  const loops = sinks.map((sink) => {
    const rounds = repeat(
      () => serve(sink),
      roundMs,
      (error) => log.warn({ err: error, sink: sink.name }, unread(sink)),
    )
    return async () => {
      const ended = rounds.close()
      await Promise.race([ended, setTimeout(lastCallMs, undefined, { ref: false })])
      await sink.close()
      await ended
    }
  })
  const stop = lag.from(() =>
    sinks.map(({ name }) => {
      const times = [...oldest].filter(([key]) => key.startsWith(`${name} `)).map(([, time]) => time.getTime())
      const value = times.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...times)) / 1000)
      return { labels: { sink: name }, value }
    }),
  )
  return {
    async close() {
      closed = true
      stop()
      await Promise.all(loops.map((end) => end()))
    },
  }
}
