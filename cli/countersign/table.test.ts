import { describe, expect, test } from 'vitest'
import { type Output, print } from './output.ts'
import { table } from './table.ts'

const execution = {
  id: '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01',
  agentId: '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c02',
  agentName: 'refund-agent',
  agentDisplayName: 'Refund agent',
  agentVersion: '1.4.0',
  environment: 'production',
  status: 'succeeded',
  traceId: 'ab'.repeat(16),
  startedBy: { name: 'vera' },
  revision: 3,
  createdAt: '2026-01-31T12:00:00.000Z',
  endedAt: null,
}
const columnsOf = ({ text }: { text: string }) => text.split('\n', 1)[0]?.split(/ +/)
const widthOf = ({ text }: { text: string }) => Math.max(...text.split('\n').map((line) => line.length))

describe('a table', () => {
  test('has what a row is and how it is doing first, other ids last, and no second name of the same object', () => {
    const wide = table([execution], 300)
    expect(columnsOf(wide)).toEqual([
      'id',
      'status',
      'agentName',
      'createdAt',
      'agentVersion',
      'environment',
      'traceId',
      'revision',
    ])
    expect(wide.omitted).toEqual(['agentId', 'agentDisplayName', 'startedBy'])
  })

  test('keeps the id of another object whose name is not in the row', () => {
    expect(columnsOf(table([{ id: '1', agentId: '2', status: 'running' }]))).toEqual(['id', 'status', 'agentId'])
    expect(columnsOf(table([{ approvalId: '1', kind: 'action', title: 'Refund', status: 'pending' }]))).toEqual([
      'approvalId',
      'status',
      'title',
      'kind',
    ])
  })

  test.each([60, 80, 100, 120])('is not wider than a terminal of %d columns', (width) => {
    const narrow = table([{ ...execution, title: 'A long title of an execution, which is cut to fit' }], width)
    expect(widthOf(narrow)).toBeLessThanOrEqual(width)
    expect(columnsOf(narrow)?.slice(0, 2)).toEqual(['id', 'status'])
    expect(narrow.omitted).toContain('traceId')
    // Only sentences are cut: a part of a time or of an id is of use to no one.
    expect(narrow.text).not.toMatch(/2026-01-31T12:00:00\S*…|abab\S*…/)
  })

  test('says on a terminal how many columns it left out, and how to see them', () => {
    const written: string[] = []
    const output: Output = {
      out: () => undefined,
      error: (text) => void written.push(text),
      format: 'table',
      errors: 'text',
      isTerminal: true,
      width: 300,
    }
    print(output, { items: [execution] })
    expect(written).toEqual([])
    print({ ...output, hints: true }, { items: [execution] })
    print({ ...output, hints: true }, { items: [{ id: '1', agentId: '2', facts: [] }] })
    print({ ...output, hints: true }, { items: [{ id: '1', agentId: '2' }] })
    expect(written).toEqual([
      '3 columns left out; --output json shows everything.\n',
      '1 column left out; --output json shows everything.\n',
    ])
  })
})
