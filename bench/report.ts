import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import type { Comparison, Pace } from './measure.ts'

/** One line of the table. `case` is the number in the list of bench/README.md. */
export type Figure = {
  case: number
  job: string
  ours: string
  peer: string
  /** Median, lowest to highest, and number of rounds. */
  ratio: string
  target: string
  /** What this class of machine can do at most, per CPU-second, as measured once (README.md): the distance is what a case shows. */
  limit: string
  /** '?' if the rounds disagree, or if only one was run. */
  met: 'yes' | 'no' | '?' | '–'
  /** Cores that other programs used: above 0.7 the figure is noisy. */
  others: string
  note: string
  /** The peer is not the least that could do the job, but what a user would run instead. */
  rival: boolean
  data?: unknown
}

const empty = {
  rival: false,
  ours: '',
  peer: '',
  ratio: '',
  target: '',
  limit: '',
  met: '–',
  others: '',
  note: '',
} as const

export const figure = (fields: Pick<Figure, 'case' | 'job'> & Partial<Figure>): Figure => ({ ...empty, ...fields })

/** Three significant digits, with thousands separators. */
export const number = (value: number): string =>
  new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value)

/** The table line of a comparison; `least` is the lowest ratio that meets the target. */
export function ratioFigure(
  fields: Pick<Figure, 'case' | 'job'> & Partial<Figure> & { unit: string; least: number | undefined },
  comparison: Comparison,
): Figure {
  const { unit, least, ...rest } = fields
  const { ours, peer, ratio, spread, rounds, others } = comparison
  return figure({
    target: least === undefined ? '' : `≥ ${least}×`,
    met: least === undefined ? '–' : verdict(comparison, least),
    ...rest,
    ours: `${number(ours)} ${unit}`,
    peer: `${number(peer)} ${unit}`,
    ratio: `${number(ratio)}× (${spread.map(number).join('–')}; n=${rounds})`,
    others: others.toFixed(1),
    data: comparison,
  })
}

/** A median on one side of the target is inconclusive if single rounds are on the other side, or if only one was run. */
function verdict({ spread: [low, high], rounds }: Comparison, least: number): 'yes' | 'no' | '?' {
  if (rounds < 2) return '?'
  return low >= least ? 'yes' : high < least ? 'no' : '?'
}

const columns = ['case', 'job', 'ours', 'peer', 'ratio', 'target', 'limit', 'met', 'others', 'note'] as const

export function printTable(figures: readonly Figure[]): void {
  const rows = [[...columns], ...figures.map((one) => columns.map((column) => String(one[column])))]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  process.stdout.write(`\n${rows.map(line).join('\n')}\n`)
}

/** What one run measured, as it is saved. */
export type Run = {
  at: string
  machine: { cpus: string[]; load: number[]; quiet: boolean; node: string }
  pace: Pace
  figures: Figure[]
}

/** Writes the figures next to those of earlier runs. */
export async function saveResults(figures: Figure[], pace: Pace, quiet: boolean): Promise<{ path: string; run: Run }> {
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  const at = new Date().toISOString()
  const path = join(folder, `${at.replaceAll(/[:.]/g, '-')}.json`)
  const machine = { cpus: cpus().map((cpu) => cpu.model), load: loadavg(), quiet, node: process.version }
  const run = { at, machine, pace, figures }
  await writeFile(path, `${JSON.stringify(run, null, 2)}\n`)
  return { path, run }
}
