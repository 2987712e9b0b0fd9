import { expect, test } from 'vitest'
import { amount, limitBars, page, ratioBars, ratioPicture } from './page.ts'
import { figure, type Run } from './report.ts'

const figures = [
  figure({ case: 2, job: 'a query', ours: '900 /CPU s', ratio: '0.41× (0.4–0.43; n=3)', target: '≥ 0.5×', met: 'no' }),
  figure({ case: 16, job: 'cold start', ours: '690 ms, 0.66 CPU s', target: '≤ 1 s', met: 'yes' }),
  figure({ case: 16, job: 'memory <idle>', ours: '171, 171 MB', target: '≤ 200 MB after a minute', met: 'yes' }),
  figure({ case: 15, job: 'skipped', ours: 'SKIP(noisy)', target: '≤ 17 ms' }),
]
const run: Run = {
  at: '2026-11-24T15:22:50.941Z',
  machine: { cpus: ['A', 'A'], load: [0, 0, 0], quiet: true, node: 'v24.1.0' },
  pace: { rounds: 3, segmentMs: 600, full: false },
  figures,
}

test.each([
  ['≥ 0.5×', { value: 0.5, unit: '×' }],
  ['0.41× (0.4–0.43; n=3)', { value: 0.41, unit: '×' }],
  ['1.2 s', { value: 1200, unit: 'ms' }],
  ['10,100 nodes', { value: 10_100, unit: 'nodes' }],
  ['SKIP(noisy)', undefined],
])('the first number of %j', (text, expected) => {
  expect(amount(text)).toEqual(expected)
})

test('a ratio and its target are a bar, and so is a value and its limit in the same unit', () => {
  expect(ratioBars(figures)).toMatchObject([{ label: '2  a query', value: 0.41, target: 0.5, met: 'no' }])
  expect(limitBars(figures)).toMatchObject([
    { label: '16  cold start', value: 690, target: 1000 },
    { label: '16  memory <idle>', value: 171, target: 200 },
  ])
})

test('the page has a row for each figure, and says whether the machine was idle', () => {
  expect(page(run).match(/^\| (?:2|15|16) \|/gm)).toHaveLength(figures.length)
  expect(page(run)).toContain('otherwise idle')
  expect(page({ ...run, machine: { ...run.machine, quiet: false } })).toContain('shared with other work')
})

test('a rival has a section and a row, and a run without one says nothing of them', () => {
  const job = 'client-credentials token vs Keycloak'
  const rival = figure({ case: 1, job, rival: true, ratio: '2.4× (2–3; n=3)', target: '≥ 3×', met: '?', note: 'warm' })
  const withRival = page({ ...run, figures: [...figures, rival] })
  expect(withRival).toContain('pictures/benchmarks-rivals.svg')
  expect(withRival).toContain('npm run bench -- --rivals')
  expect(withRival).toContain(`| 1 | ${job} |  |  | 2.4× (2–3; n=3) | ≥ 3× | ? | warm |`)
  expect(page(run)).not.toContain('rivals')
  // Without a ratio, only the row says so.
  const skipped = page({ ...run, figures: [...figures, { ...rival, ratio: '', ours: 'SKIP(no java)' }] })
  expect(skipped).toContain('SKIP(no java)')
  expect(skipped).not.toContain('benchmarks-rivals.svg')
})

test('the longest label has room to the left of its bar', () => {
  const [bar] = ratioBars(figures)
  const label = '14  first-load JavaScript: /t/[tenant]/policies/decisions/[decisionId]'
  const text = /<text x="(\d+)"[^>]*text-anchor="end">/.exec(ratioPicture(bar === undefined ? [] : [{ ...bar, label }]))
  expect(Number(text?.[1])).toBeGreaterThan(6.5 * label.length)
})

test('text in a picture is escaped', () => {
  const [bar] = ratioBars(figures)
  expect(ratioPicture(bar === undefined ? [] : [{ ...bar, label: 'a < b & c' }])).toContain('a &lt; b &amp; c')
})
