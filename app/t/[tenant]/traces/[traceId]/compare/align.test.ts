import { expect, test } from 'vitest'
import { spanTree } from '#components/traces/model/span-tree.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { align, type Side } from './align.ts'

type Node = [name: string, children?: Node[]]

/** A trace in which each span begins after the one before it. */
function side(...roots: Node[]): Side {
  const spans: TraceSpan[] = []
  const add = ([name, children = []]: Node, parentSpanId: string | null) => {
    const spanId = `s${spans.length}`
    const startedAt = spans.length
    spans.push({ spanId, parentSpanId, name, kind: 'tool', status: 'ok', startedAt, endedAt: startedAt + 1 })
    for (const child of children) add(child, spanId)
  }
  for (const root of roots) add(root, null)
  return { spans, tree: spanTree(spans) }
}

/** The rows as "level name", with - for what only the left trace has, and + for what only the right one has. */
function rowsOf(left: Side, right: Side): string[] {
  const { left: lefts, right: rights, depth } = align(left, right)
  return [...lefts].map((from, row) => {
    const to = rights[row] ?? -1
    const name = (right.spans[to] ?? left.spans[from])?.name
    return `${depth[row]} ${from < 0 ? '+' : to < 0 ? '-' : ''}${name}`
  })
}

test('spans are paired by the path of their names, and what one trace lacks is in its place', () => {
  const left = side(['run', [['lookup'], ['refund', [['decide']]], ['mail']]])
  const right = side(['run', [['lookup'], ['check', [['decide']]], ['refund', [['decide'], ['retry']]]]])
  expect(rowsOf(left, right)).toEqual([
    '0 run',
    '1 lookup',
    '1 +check',
    '2 +decide',
    '1 refund',
    '2 decide',
    '2 +retry',
    '1 -mail',
  ])
})

test('siblings with the same name are paired in their order, and others in any order', () => {
  const left = side(['run', [['a'], ['b'], ['a'], ['a']]])
  const right = side(['run', [['b'], ['a'], ['a']]])
  expect(rowsOf(left, right)).toEqual(['0 run', '1 b', '1 a', '1 a', '1 -a'])
})

test('a kind is part of the name, and two single roots are the two runs', () => {
  const left = side(['refund'])
  const right = side(['refund of another version', [['decide']]])
  expect(rowsOf(left, right)).toEqual(['0 refund of another version', '1 +decide'])
  const decided = side(['run', [['decide']]])
  const policy = decided.spans.map((span) => (span.name === 'decide' ? { ...span, kind: 'policy' as const } : span))
  expect(rowsOf(decided, { ...decided, spans: policy })).toEqual(['0 run', '1 -decide', '1 +decide'])
})

test('with several roots, those with the same name are paired, and an empty trace lacks everything', () => {
  expect(rowsOf(side(['a'], ['b']), side(['b'], ['c']))).toEqual(['0 -a', '0 b', '0 +c'])
  expect(rowsOf(side(), side(['a', [['b']]]))).toEqual(['0 +a', '1 +b'])
  expect(rowsOf(side(['a', [['b']]]), side())).toEqual(['0 -a', '1 -b'])
})

test('the tree is that of a trace: a parent, a level and the end of what is below', () => {
  const { parent, end, spanAt, rowOf } = align(side(['a', [['b', [['c']]], ['d']]]), side(['a', [['d', [['e']]]]]))
  expect([...parent]).toEqual([-1, 0, 1, 0, 3])
  expect([...end]).toEqual([5, 3, 3, 5, 5])
  expect([...spanAt]).toEqual([0, 1, 2, 3, 4])
  expect([...rowOf]).toEqual([...spanAt])
})

/** Two traces of this many spans that differ in every third one: flat, or as deep as they have spans. */
function large(count: number, deep: boolean): [Side, Side] {
  const of = (every: string): Side => {
    const spans = Array.from(
      { length: count },
      (_, index): TraceSpan => ({
        spanId: `s${index}`,
        parentSpanId: index === 0 ? null : `s${deep ? index - 1 : 0}`,
        name: index % 3 === 0 ? every : `step ${index % 7}`,
        kind: 'tool',
        status: 'ok',
        startedAt: index,
        endedAt: index + 1,
      }),
    )
    return { spans, tree: spanTree(spans) }
  }
  return [of('one'), of('other')]
}

test('ten thousand spans are paired with ten thousand, flat or deep', () => {
  const [flat, other] = large(10_000, false)
  const { left, right } = align(flat, other)
  // Only the siblings called "one" and "other" lack a partner.
  expect([...left].filter((span) => span < 0)).toHaveLength(3333)
  expect([...right].filter((span) => span < 0)).toHaveLength(3333)
  const [deep, below] = large(10_000, true)
  // A chain: nothing below the first span without a partner is paired.
  expect(align(deep, below).left).toHaveLength(3 + 2 * (10_000 - 3))
})
