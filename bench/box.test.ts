import { afterAll, beforeAll, expect, test } from 'vitest'
import { sized } from '#server/testing/properties/counts.ts'
import { type Box, openBox } from './box/open-box.ts'
import { runBox } from './box/run-box.ts'

// Whatever happens at the same time, nothing is refused and nothing is lost. How fast it is, and how much, is a benchmark
// (`npm run bench -- --only box`).

let box: Box
beforeAll(async () => {
  box = await openBox()
}, 180_000)
afterAll(() => box.close())

test.each(sized([60], [5]))(
  'tokens, calls, spans, executions and sockets of ten tenants together, for %d s',
  async (seconds) => {
    const outcome = await runBox(box, { factor: 0.1, seconds })
    expect(outcome).toMatchObject({ refused: 0, reasons: [], lost: 0, executions: { failed: 0 } })
    expect(outcome.calls).toBe(Math.round(seconds * 42.4))
    // Each tenant's executions, on five sockets each, among others.
    expect(outcome.executions.all).toBe(seconds * 2)
    expect(outcome.events).toBeGreaterThanOrEqual(outcome.executions.all * 5)
  },
  300_000,
)
