import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import compile from 'icu-minify/compile'
import { expect, test } from 'vitest'
import { sourceOf } from '#components/language/text.ts'
import { auditSentences } from '#lib/audit/sentences.ts'
import { errorStatus } from '#lib/errors.ts'
import { AgentStatus } from '#lib/schemas/agents.ts'
import { ApprovalStatus } from '#lib/schemas/approvals.ts'
import { ExportStatus } from '#lib/schemas/evidence.ts'
import { ExecutionStatus } from '#lib/schemas/executions.ts'

type Source = Record<string, string>

const areas = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

async function read(area: string): Promise<{ english: Source; german: Source }> {
  const english: Record<string, unknown> = await import(join(import.meta.dirname, area, 'en.ts'))
  const { german }: { german: Source } = await import(join(import.meta.dirname, area, 'de.ts'))
  return { english: Object.fromEntries(Object.entries(english).map(([name, text]) => [name, sourceOf(text)])), german }
}

/** The names of arguments, plurals, choices and elements in a message, and the cases of its choices. */
function namesIn(message: string): string[] {
  const names = new Set<string>()
  const walk = (nodes: unknown): void => {
    if (!Array.isArray(nodes)) return
    for (const node of nodes) if (Array.isArray(node)) visit(node)
  }
  const visit = ([name, type, cases, ...rest]: unknown[]): void => {
    if (typeof type !== 'number' || type === 0) {
      names.add(type === undefined ? `{${name}}` : `<${name}>`)
      walk([type, cases, ...rest])
      return
    }
    names.add(type === SELECT ? `{${name}: ${Object.keys(cases as object).sort()}}` : `{${name}: ${type}}`)
    for (const one of Object.values((cases as object | undefined) ?? {})) walk(one)
  }
  walk(compile(message))
  return [...names].sort()
}

/** Of icu-minify. */
const SELECT = 1

test('the test sees the catalogs', () => {
  expect(areas.length).toBeGreaterThan(5)
})

test.each(areas)('%s has every English message in German, with the same arguments and elements', async (area) => {
  const { english, german } = await read(area)
  expect(Object.keys(english).length).toBeGreaterThan(0)
  expect(Object.keys(german).sort()).toEqual(Object.keys(english).sort())
  // English shows what the API or a file says, which is in English; German has a text for each code.
  if (area === 'failures' || area === 'audit-sentences') return
  for (const [name, text] of Object.entries(english)) expect(namesIn(german[name] ?? ''), name).toEqual(namesIn(text))
})

test.each(areas)('in %s, texts of something in progress end with an ellipsis in both languages', async (area) => {
  const { english, german } = await read(area)
  for (const [name, text] of Object.entries(english)) expect(german[name]?.endsWith('…'), name).toBe(text.endsWith('…'))
})

test('German has a text for each code of an error', async () => {
  const { german } = await read('failures')
  const codes = [...Object.keys(errorStatus), 'network', 'timeout', 'unreadable', 'no_passkey', 'not_loaded', 'other']
  expect(namesIn(german.ofCode ?? '')).toEqual([`{code: ${codes.sort()}}`, '{message}'])
})

test('what is found has a word for each state', async () => {
  const states = [ApprovalStatus, ExecutionStatus, AgentStatus, ExportStatus].flatMap(
    ({ options }): string[] => options,
  )
  const { english } = await read('palette')
  expect(namesIn(english.stateOf ?? '')).toEqual([`{status: ${[...new Set(states), 'other'].sort()}}`, '{status}'])
})

test('German has a sentence for each action of the audit log, and for each attempt that can be refused', async () => {
  const { german } = await read('audit-sentences')
  const keysOf = (entries: [string, readonly unknown[]][]) => entries.map(([action]) => action.replaceAll('.', '_'))
  const actions = Object.entries(auditSentences)
  const cases = (keys: string[]) => `{action: ${[...keys, 'other'].sort()}}`
  expect(namesIn(german.said ?? '')).toContain(cases(keysOf(actions)))
  expect(namesIn(german.tried ?? '')).toContain(cases(keysOf(actions.filter(([, sentences]) => sentences.length > 1))))
})

test('the arguments of a message are found', () => {
  expect(namesIn('{count, plural, one {# of <b>{name}</b>} other {x}}{kind, select, a {} other {}}')).toEqual([
    '<b>',
    '{count: 2}',
    '{kind: a,other}',
    '{name}',
  ])
})

test('each kind of object in a record has a name in both languages', async () => {
  const source = readdirSync('server', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('testing/'))
    .map((path) => readFileSync(join('server', path), 'utf8'))
  const written = source.flatMap((text) =>
    [...text.matchAll(/\bresource: \{ type: '(\w+)'/g)].map(([, type = '']) => type),
  )
  const kinds = [...new Set(written)].filter((type) => type !== 'unknown')
  expect(kinds.length).toBeGreaterThan(30)
  const { english, german } = await read('audit')
  for (const message of [english.kindOf, german.kindOf]) {
    const [cases = ''] = namesIn(message ?? '').filter((name) => name.startsWith('{kind: '))
    const named = cases.slice('{kind: '.length, -1).split(',')
    expect(kinds.filter((kind) => !named.includes(kind))).toEqual([])
  }
})
