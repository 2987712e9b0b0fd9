import { expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { executionsCsv } from './executions-csv.ts'

const actor = { id: 'a', username: 'maria', kind: 'person' as const }
const row: ExecutionSummary = {
  id: '019345aa-0000-7000-8000-000000000001',
  agentId: 'agent',
  agentName: 'refund-assistant',
  agentDisplayName: 'Refund assistant',
  agentVersion: '1.4.0',
  environment: 'production',
  status: 'rejected',
  traceId: '0'.repeat(32),
  startedBy: { ...actor, displayName: '=HYPERLINK("https://evil.example")' },
  revision: 3,
  createdAt: '2026-11-23T13:06:00.000Z',
  endedAt: '2026-11-23T13:06:07.000Z',
  durationMs: 7000,
  effect: { title: 'Issue refund of €59.90 for A-1003', amount: { value: '59.90', currency: 'EUR' } },
  inputShown: [
    { path: 'orderId', value: 'A-1003' },
    { path: 'email', masked: { class: 'pii.email', length: 17 } },
  ],
  decision: {
    approvalId: 'approval',
    status: 'rejected',
    by: { ...actor, displayName: 'Jonas Berg' },
    reason: '+1 for "no", really',
  },
  stopRequestedAt: null,
  stopConfirmedAt: null,
}

test('a line has the effect, the amount, who decided and why, and masked input stays masked', () => {
  const [, line = ''] = executionsCsv([row]).split('\r\n')
  expect(line).toContain('Issue refund of €59.90 for A-1003,59.90,EUR,rejected')
  expect(line).toContain('orderId: A-1003; email: masked, pii.email')
  expect(line).toContain('7000,rejected,Jonas Berg')
})

test('no two inputs that differ are written alike', () => {
  const written = (value: JsonValue) => executionsCsv([{ ...row, inputShown: [{ path: 'note', value }] }])
  const values: JsonValue[] = [true, 'true', null, 'null', 1, '1', '', [], '[]', 'masked, pii.email']
  const masked = executionsCsv([{ ...row, inputShown: [{ path: 'note', masked: { class: 'pii.email', length: 17 } }] }])
  expect(new Set([...values.map(written), masked]).size).toBe(values.length + 1)
})

test('values of the input that the list leaves out are counted', () => {
  expect(executionsCsv([{ ...row, inputOmitted: 2 }])).toContain('email: masked, pii.email; … 2 more')
})

test('a text that a spreadsheet would run is neutralised', () => {
  const text = executionsCsv([row])
  expect(text).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
  expect(text).toContain(`"'+1 for ""no"", really"`)
  expect(text).not.toMatch(/(^|,)[=+]/m)
})
