/** A span of the sample trace. Times are milliseconds after its beginning; `parent` is an index, -1 for the root. */
export type SampleSpan = {
  name: string
  parent: number
  depth: number
  start: number
  duration: number
  failed: boolean
}

const names = ['chat gpt-5-mini', 'execute_tool lookup_order', 'execute_tool search', 'embed query', 'policy check']
/** The depth of nested calls below each step. */
const below = 9

/** Returns a root and steps of ten spans in three levels below it, in reading order. The result depends only on `count`. */
export function sampleSpans(count: number): SampleSpan[] {
  return Array.from({ length: count }, (_, index) => {
    if (index === 0) return { name: 'a long run', parent: -1, depth: 0, start: 0, duration: count, failed: false }
    const place = (index - 1) % (below + 1)
    const step = index - place
    const name = place === 0 ? `invoke_agent step ${step}` : `${names[index % names.length]} ${index % 100}`
    const duration = place === 0 ? Math.min(below + 1, count - step) : 1
    const parent = place === 0 ? 0 : place % 3 === 1 ? step : index - 1
    const depth = place === 0 ? 1 : 2 + ((place - 1) % 3)
    return { name, parent, depth, start: index, duration, failed: index === count - 7 }
  })
}

const hex = (index: number) => (index + 1).toString(16).padStart(16, '0')

/** Returns the spans as OTLP/JSON requests of 5,000 spans each. `began` is in epoch milliseconds. */
export function otlpRequests(traceId: string, spans: readonly SampleSpan[], began: number): string[] {
  const nanos = (ms: number) => String(BigInt(began + ms) * 1_000_000n)
  const encoded = spans.map(({ name, parent, start, duration, failed }, index) => ({
    traceId,
    spanId: hex(index),
    ...(parent < 0 ? {} : { parentSpanId: hex(parent) }),
    name,
    kind: 1,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(start + duration),
    status: failed ? { code: 2, message: 'no answer' } : {},
  }))
  const batch = 5000
  return Array.from({ length: Math.ceil(encoded.length / batch) }, (_, index) =>
    JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: encoded.slice(index * batch, (index + 1) * batch) }] }],
    }),
  )
}
