import { expect, test } from 'vitest'
import { decidedCsv } from './decided-csv.ts'
import { requestWith } from './inbox/example-request.ts'

test('a decided request is one line, and a title that is a formula is text', () => {
  const row = requestWith({ title: '=HYPERLINK("https://evil.example")', status: 'rejected', reason: 'Twice, again' })
  const [names, line, end] = decidedCsv([row]).split('\r\n')
  expect(names?.split(',').slice(0, 5)).toEqual(['approvalId', 'title', 'status', 'amount', 'currency'])
  expect(line).toContain(`,"'=HYPERLINK(""https://evil.example"")",rejected,4200.00,EUR,`)
  expect(line).toContain(',"Twice, again",')
  expect(end).toBe('')
})
