import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = (): string => {
  const gate = process.env.COUNTERSIGN_GATE
  if (gate === undefined) throw new Error('COUNTERSIGN_GATE must name the folder of the gated tool server.')
  return gate
}

/** Calls to the tool wait, before they have done anything, until `open` is called. */
export function hold(tool: 'lookup_order' | 'issue_refund'): { open(): void } {
  const file = join(folder(), `hold-${tool}`)
  writeFileSync(file, '')
  return { open: () => rmSync(file, { force: true }) }
}

/** Whether a call with this idempotency key has reached the tool server. */
export const wasCalled = (key: string): boolean =>
  readFileSync(join(folder(), 'calls.log'), 'utf8')
    .split('\n')
    .some((line) => line.startsWith('called ') && line.endsWith(` ${key}`))
