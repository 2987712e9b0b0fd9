import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figure, Run } from './report.ts'

// docs/benchmarks.md, from one run: its table and its two pictures.

const docs = join(import.meta.dirname, '../docs')
const [room, line, bar] = [440, 26, 12]
/** Above the average of the font at 13 px. */
const letter = 6.9

const style = `<style>
  text { font: 13px system-ui, sans-serif; fill: #1d232b }
  .small { font-size: 11px; fill: #56606c }
  .grid { stroke: #d5dae0 } .met { fill: #2f6f5e } .missed { fill: #b4632d } .open { fill: #6b7683 } .target { stroke: #1d232b; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e9ed } .small { fill: #a3adb8 } .grid { stroke: #3a424c }
    .met { fill: #63b39c } .missed { fill: #e0935f } .open { fill: #8b96a3 } .target { stroke: #e6e9ed }
  }
</style>`

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const classes = { yes: 'met', no: 'missed', '?': 'open', '–': 'open' } as const

/** A value, and the value that it must reach or must not exceed. */
export type Bar = { label: string; value: number; target: number; text: string; met: Figure['met'] }

/** The first number of a text such as "≥ 0.5×", "690 ms, 0.66 CPU s" or "1.2 s", in milliseconds if it is a time. */
export function amount(text: string): { value: number; unit: string } | undefined {
  const [, digits, unit = ''] = /([\d,]*\.?\d+)[^a-zA-Z×]*([a-zA-Z×]*)/.exec(text) ?? []
  if (digits === undefined) return undefined
  const value = Number(digits.replaceAll(',', ''))
  return unit === 's' ? { value: value * 1000, unit: 'ms' } : { value, unit }
}

/** Ratios to a peer that a case must reach. */
export const ratioBars = (figures: readonly Figure[]): Bar[] =>
  figures.flatMap(({ case: number, job, ratio, target, met }) => {
    const [is, least] = [amount(ratio), amount(target)]
    if (!target.startsWith('≥') || least?.unit !== '×' || is?.unit !== '×') return []
    return [{ label: `${number}  ${job}`, value: is.value, target: least.value, text: ratio, met }]
  })

/** Times, sizes and counts that a case must not exceed. */
export const limitBars = (figures: readonly Figure[]): Bar[] =>
  figures.flatMap(({ case: number, job, ours, target, met }) => {
    const [is, most] = [amount(ours), amount(target)]
    if (!target.startsWith('≤') || is === undefined || most === undefined || is.unit !== most.unit) return []
    return [{ label: `${number}  ${job}`, value: is.value, target: most.value, text: `${ours} (${target})`, met }]
  })

/** `x`: the width of a value's bar. */
type Scale = { ticks: readonly number[]; unit: string; x: (value: number) => number }

function picture(title: string, bars: readonly Bar[], { ticks, unit, x }: Scale, of: (bar: Bar) => [number, number]) {
  const labels = Math.ceil(letter * Math.max(...bars.map(({ label }) => label.length), 1)) + 20
  const [width, height] = [labels + room + 40, 56 + bars.length * line]
  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${labels + x(tick)}" x2="${labels + x(tick)}" y1="34" y2="${height - 14}"/><text class="small" x="${labels + x(tick)}" y="28" text-anchor="middle">${tick}${unit}</text>`,
  )
  const rows = bars.map((one, index) => {
    const y = 40 + index * line
    const [value, target] = of(one)
    return `<text x="${labels - 10}" y="${y + 12}" text-anchor="end">${escaped(one.label)}</text>
  <rect class="${classes[one.met]}" x="${labels}" y="${y + 2}" width="${Math.max(1, x(value))}" height="${bar}"><title>${escaped(one.text)}</title></rect>
  <line class="target" x1="${labels + x(target)}" x2="${labels + x(target)}" y1="${y - 1}" y2="${y + bar + 5}"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
${style}
${grid.join('\n')}
${rows.join('\n')}
</svg>
`
}

export function ratioPicture(bars: readonly Bar[]): string {
  const ticks = [0.03, 0.1, 0.3, 1, 3, 10, 30]
  const [low, high] = [Math.log(0.02), Math.log(60)]
  const x = (value: number) => Math.round(room * Math.min(1, Math.max(0, (Math.log(value) - low) / (high - low))))
  return picture('Work per CPU-second compared with a peer, by case', bars, { ticks, unit: '×', x }, (one) => [
    one.value,
    one.target,
  ])
}

export function limitPicture(bars: readonly Bar[]): string {
  const x = (percent: number) => Math.round((room * Math.min(150, percent)) / 150)
  const scale = { ticks: [0, 50, 100, 150], unit: ' %', x }
  return picture('Measured value as a share of its limit, by case', bars, scale, (one) => [
    (100 * one.value) / one.target,
    100,
  ])
}

/** What a user would run instead, as the run has it. */
const rivalsOf = (figures: readonly Figure[]) => figures.filter(({ rival }) => rival)
const limitsOf = (figures: readonly Figure[]) => figures.filter(({ rival }) => !rival)

/** Nothing if the run did not measure rivals, or could not. */
function rivalSection(figures: readonly Figure[]): string {
  if (ratioBars(rivalsOf(figures)).length === 0) return ''
  return `## Work per CPU-second, compared with what one would run instead

Rivals do the same job with the same durability, and cost what a user would pay for them. [bench/README.md](../bench/README.md) says how each of
them is set up.

![Ratios to rivals by case](pictures/benchmarks-rivals.svg)

`
}

const cell = (text: string) => text.replaceAll('|', '\\|')

const command = (pace: Run['pace'], figures: readonly Figure[]) =>
  pace.full ? ' -- --full' : rivalsOf(figures).length > 0 ? ' -- --rivals' : ''

export function page({ at, machine, pace, figures }: Run): string {
  const rows = figures.map(({ case: number, job, ours, peer, ratio, target, met, note }) =>
    [number, job, ours, peer, ratio, target, met, note].map((text) => cell(String(text))).join(' | '),
  )
  return `# Benchmarks

What the server costs, measured by \`npm run bench${command(pace, figures)}\` on ${at.slice(0, 10)} with ${machine.cpus.length} virtual cores (${machine.cpus[0] ?? ''}) and Node
${machine.node.slice(1)}, ${machine.quiet ? 'otherwise idle' : 'shared with other work: ratios hold within their spreads, times are too long'}: up to ${pace.rounds} rounds of ${pace.segmentMs / 1000} s. [bench/README.md](../bench/README.md) says what each case
and each peer is, and how to read the columns. This page is written by \`npm run bench -- --page\` and describes one machine on one day.

## Work per CPU-second, compared with a peer

A bar is ours ÷ peer on a logarithmic scale, the vertical line its target. Most peers are the least that could do the same job, without
authentication, tenants or an audit record, so 1× can't be expected of them. Green meets its target in every round, orange in none, grey
is in between.

![Ratios by case](pictures/benchmarks-ratios.svg)

${rivalSection(figures)}## Times and sizes, compared with their limits

A bar is the measured value as a share of its limit. Shorter is better, and beyond the line at 100 % the limit is exceeded. The picture
ends at 150 %.

![Shares of limits by case](pictures/benchmarks-limits.svg)

## All figures

| case | job | ours | peer | ratio | target | met | note |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.map((row) => `| ${row} |`).join('\n')}
`
}

/** Writes the page and its pictures. */
export async function writePage(run: Run): Promise<void> {
  const pictures = join(docs, 'pictures')
  await mkdir(pictures, { recursive: true })
  await writeFile(join(pictures, 'benchmarks-ratios.svg'), ratioPicture(ratioBars(limitsOf(run.figures))))
  const rivals = join(pictures, 'benchmarks-rivals.svg')
  if (rivalSection(run.figures) === '') await rm(rivals, { force: true })
  else await writeFile(rivals, ratioPicture(ratioBars(rivalsOf(run.figures))))
  await writeFile(join(pictures, 'benchmarks-limits.svg'), limitPicture(limitBars(run.figures)))
  await writeFile(join(docs, 'benchmarks.md'), page(run))
}
