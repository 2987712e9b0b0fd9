import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Log } from '#server/kernel/log.ts'
import { counter } from './meters.ts'
import { otlpAttributes, otlpNanos } from './otlp-json.ts'
import type { SpanSettings } from './span-settings.ts'
import { type OpenSpan, type Recorder, recordSpansWith, type SpanKind, spansAgent } from './spans.ts'

const dropped = counter(
  'countersign_spans_dropped_total',
  'Spans of this process that its collector did not get, by reason: full or failed.',
)

/** Of OTLP. */
const kinds: Readonly<Record<SpanKind, number>> = { server: 2, client: 3, consumer: 5 }
const failedStatus = { status: { code: 2 } }

const mostWaiting = 4096
const mostInBatch = 512
const roundMs = 5_000
const patienceMs = 5_000

type Place = { traceId: string; spanId: string }

/**
 * Records spans, and sends them to the operator's collector every few seconds. A collector that fails loses spans and nothing else.
 * Loaded only if one is configured.
 */
export function startSpans(settings: SpanSettings, log: Log): { close(): Promise<void> } {
  const places = new AsyncLocalStorage<Place>()
  const resource = {
    attributes: otlpAttributes({ 'service.name': settings.serviceName, 'service.instance.id': randomUUID() }),
  }
  let waiting: object[] = []
  let sending: Promise<void> | undefined
  let failure: string | undefined

  const begin = (kind: SpanKind, traceId: string, parentSpanId: string | undefined): OpenSpan => {
    const place = { traceId, spanId: randomBytes(8).toString('hex') }
    const began = now()
    return {
      within: (work) => places.run(place, work),
      end(name, attributes, result) {
        if (waiting.length >= mostWaiting) return dropped.add({ reason: 'full' })
        waiting.push({
          ...place,
          ...(parentSpanId === undefined ? {} : { parentSpanId }),
          name,
          kind: kinds[kind],
          startTimeUnixNano: otlpNanos(began),
          endTimeUnixNano: otlpNanos(now()),
          attributes: otlpAttributes(attributes),
          ...(result === 'failed' ? failedStatus : {}),
        })
        if (waiting.length >= mostInBatch) send()
      },
    }
  }
  const recorder: Recorder = {
    root: (kind) =>
      Math.random() < settings.ratio ? begin(kind, randomBytes(16).toString('hex'), undefined) : undefined,
    child(kind) {
      const above = places.getStore()
      return above && begin(kind, above.traceId, above.spanId)
    },
  }
  const send = () => {
    if (sending !== undefined || waiting.length === 0) return
    const spans = waiting.slice(0, mostInBatch)
    waiting = waiting.slice(mostInBatch)
    sending = post(settings, { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'countersign' }, spans }] }] })
      .then(
        () => {
          failure = undefined
        },
        (error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error)
          if (reason !== failure) log.warn({ reason }, 'the collector did not take spans; they are lost')
          failure = reason
          for (const _span of spans) dropped.add({ reason: 'failed' })
        },
      )
      .finally(() => {
        sending = undefined
        if (waiting.length >= mostInBatch) send()
      })
  }
  const timer = setInterval(send, roundMs)
  recordSpansWith(recorder)
  return {
    async close() {
      recordSpansWith(undefined)
      clearInterval(timer)
      await sending
      // A collector that fails must not delay the end of the process by more than one attempt.
      do {
        send()
        await sending
      } while (waiting.length > 0 && failure === undefined)
    },
  }
}

const now = (): number => performance.timeOrigin + performance.now()

/** Throws an error whose message contains no header. */
async function post({ endpoint, headers }: SpanSettings, body: object): Promise<void> {
  const answer = await fetch(endpoint, {
    method: 'POST',
    redirect: 'error',
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': spansAgent },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(patienceMs),
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`The collector answered ${answer.status}.`)
}
