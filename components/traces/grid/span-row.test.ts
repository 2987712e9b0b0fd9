import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { TraceRow } from './trace-row.tsx'

const span: TraceSpan = {
  spanId: 'a',
  parentSpanId: null,
  name: 'issue_refund',
  kind: 'tool',
  status: 'error',
  startedAt: 0,
  endedAt: 1000,
}

/** What the cell of the name reads. */
const nameAt = (depth: number): string =>
  renderToStaticMarkup(
    createElement(TraceRow, {
      id: 'row-0',
      place: 0,
      depth,
      expanded: undefined,
      selected: false,
      span,
      duration: '1.00 s',
      x: 0,
      width: 1,
    }),
  ).replace(/<[^>]*>/g, '')

test('a row is read as its name, kind and error, and with its level where the indentation ends', () => {
  expect(nameAt(0)).toBe('issue_refund, Tool call, error1.00 s')
  expect(nameAt(6)).toBe('issue_refund, Tool call, level 7, error1.00 s')
})
