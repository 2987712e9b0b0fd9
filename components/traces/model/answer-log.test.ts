import { expect, test, vi } from 'vitest'
import { createAnswerLog } from './answer-log.ts'

const partial = (spanId: string, from: number, text: string) =>
  ({ type: 'event', name: 'countersign.output.partial', spanId, from, text }) as const
const texts = (log: ReturnType<typeof createAnswerLog>) => log.snapshot().map(({ text }) => text)

test('two answers grow independently, and a repeated text replaces the earlier one', () => {
  const log = createAnswerLog()
  log.take(partial('a', 0, 'It is '))
  log.take(partial('b', 0, 'No'))
  log.take(partial('a', 6, 'paid.'))
  expect(texts(log)).toEqual(['It is paid.', 'No'])
  log.take(partial('a', 0, 'It is paid. Yes'))
  expect(texts(log)).toEqual(['It is paid. Yes', 'No'])
})

test('a text without its beginning keeps its start position', () => {
  const log = createAnswerLog()
  log.take(partial('a', 0, 'one'))
  log.take(partial('a', 5000, 'much later'))
  expect(log.snapshot()).toEqual([{ spanId: 'a', start: 5000, text: 'much later', masked: undefined }])
})

test('a masked answer replaces the text that was shown', () => {
  const log = createAnswerLog()
  log.take(partial('a', 0, 'Write to '))
  log.take({
    type: 'event',
    name: 'countersign.output.partial',
    spanId: 'a',
    from: 0,
    masked: { class: 'pii.email', length: 27 },
  })
  expect(log.snapshot()).toEqual([{ spanId: 'a', start: 0, text: '', masked: { class: 'pii.email', length: 27 } }])
})

test('a very long answer keeps its end', () => {
  const log = createAnswerLog()
  for (let at = 0; at < 100_000; at += 1000) log.take(partial('a', at, 'x'.repeat(1000)))
  const [answer] = log.snapshot()
  expect([answer?.text.length, answer?.start]).toEqual([16_384, 100_000 - 16_384])
})

test('an answer is removed when its span ends, and spans without an answer notify no one', () => {
  const log = createAnswerLog()
  log.take(partial('a', 0, 'It is'))
  const told = vi.fn()
  log.subscribe(told)
  const span = {
    spanId: 'b',
    parentSpanId: null,
    name: 'chat',
    kind: 'model' as const,
    status: 'ok' as const,
    statusMessage: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:01.000Z',
    attributes: [],
  }
  log.take({ type: 'span.ended', span })
  expect(told).not.toHaveBeenCalled()
  log.take({ type: 'span.ended', span: { ...span, spanId: 'a' } })
  expect(log.snapshot()).toEqual([])
})
