import { expect, test } from 'vitest'
import { auditCsv, auditCsvHead, auditNdjson, saidRow } from './file.ts'
import { namesIn } from './object-names.ts'

const row = {
  auditId: '01890000-0000-7000-8000-000000000001',
  date: '2026-11-24',
  seq: 7,
  type: 'approval.approve',
  actor: { type: 'person', id: 'm1', name: 'jonas' },
  resource: { type: 'approval', id: 'a1' },
  reason: '=HYPERLINK("https://evil.example")\nSecond line',
  at: '2026-11-24T10:11:12.345Z',
}
const nameOf = namesIn([
  { type: 'member', id: 'm1', name: 'Jonas Weber' },
  { type: 'approval', id: 'a1', name: 'refund of €4,200.00 for A-1001' },
])
const said = saidRow(row, nameOf)

test('each record is a line of CSV, in which a formula is text', () => {
  const [head, line] = `${auditCsvHead()}${auditCsv([said])}`.split('\r\n')
  expect(head).toBe(
    'at,sentence,action,actor,actorType,actorId,object,resourceType,resourceId,reason,auditId,day,numberInTheDay',
  )
  expect(line).toBe(
    '2026-11-24T10:11:12.345Z,"Jonas Weber approved the refund of €4,200.00 for A-1001",approval.approve,jonas,person,m1,"refund of €4,200.00 for A-1001",approval,a1,"\'=HYPERLINK(""https://evil.example"")\nSecond line",01890000-0000-7000-8000-000000000001,2026-11-24,7',
  )
  // A member can choose a name, and an agent the words of its request.
  const formula = saidRow({ ...row, actor: { ...row.actor, name: '@SUM(1)' } }, () => undefined)
  expect(auditCsv([formula])).toContain('"\'@SUM(1) approved a request"')
})

test('each record is a line of NDJSON, as it is in the list', () => {
  const lines = auditNdjson([said, said]).trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    ...row,
    object: 'refund of €4,200.00 for A-1001',
    sentence: 'Jonas Weber approved the refund of €4,200.00 for A-1001',
  })
})
