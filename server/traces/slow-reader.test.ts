import { afterAll, beforeAll, expect, test } from 'vitest'
import { newTraceId } from '#server/kernel/ids.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { followTrace, freshClient, sendSpans } from '#server/testing/trace-reader.ts'
import { until } from '#server/testing/until.ts'

// How a stream treats readers that don't read.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(() => api.close())

test('a stalled reader gets a gap when it continues, and the events in between are not buffered for it', async () => {
  const traceId = newTraceId()
  const follow = async () => followTrace(api, traceId, await freshClient(api, 'telemetry'))
  await sendSpans(api, traceId, 1, 100)
  const [attentive, { socket, messages }] = [await follow(), await follow()]
  await until(async () => messages[0], 'the first span arrived')
  socket.pause()
  for (let batch = 0; batch < 4; batch++) await sendSpans(api, traceId, 300, 10_000)
  // By then the server has sent all events to readers that read.
  await until(async () => attentive.messages.find(({ id }) => id === '1201'), 'the other reader has everything', 60_000)
  // A reader that resumes within three seconds misses no events. A heartbeat is sent after fifteen.
  const beat = async () => attentive.messages.find(({ type }) => type === 'heartbeat')
  await until(beat, 'the patience has run out', 60_000)
  socket.resume()
  const gap = await until(async () => messages.find((message) => message.type === 'gap'), 'the gap is told')
  expect(gap.id).toBe('1201')
  // The operating system buffers some data, but most of the 12 MB was never sent.
  expect(messages.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(9_000_000)
  const before = messages.length
  await sendSpans(api, traceId, 1, 100)
  const next = await until(async () => messages[before], 'the stream continues')
  expect([next.id, next.type]).toEqual(['1202', 'span.ended'])
}, 120_000)
