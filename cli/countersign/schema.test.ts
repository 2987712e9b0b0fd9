import { expect, test } from 'vitest'
import { isJsonObject } from '#lib/json.ts'
import { catalogOf } from '#server/catalog/operations.ts'
import { collectCatalog } from '#server/catalog.ts'
import { operations, wordsOf } from './catalog.ts'
import { differences } from './commands/catalog.ts'
import { commonFlags, flagsOf, inputFrom, optionsOf, parse } from './flags.ts'
import { print } from './output.ts'
import { table } from './table.ts'
import { problemsOf } from './validate.ts'

const catalog = catalogOf(collectCatalog())
const all = operations(catalog)

test('every operation has words of its own, and flags that no other flag hides', () => {
  const words = all.map((operation) => wordsOf(operation).join(' '))
  expect(new Set(words).size).toBe(all.length)
  // No operation is the beginning of another one, so that the longest match is the only one.
  expect(words.filter((one) => words.some((other) => other.startsWith(`${one} `)))).toEqual([])
  const hidden = all.flatMap((operation) =>
    flagsOf(operation).flatMap(({ name }) =>
      ['help', 'output', 'json', 'url'].includes(name) ? [`${operation.name} ${name}`] : [],
    ),
  )
  expect(hidden).toEqual([])
})

test('every field of every example can be given as a flag', () => {
  for (const operation of all) {
    const { example, input } = operation
    // A document of its own is not an input.
    if (!isJsonObject(example) || (operation.transport === 'route' && Object.keys(operation.places).length === 0))
      continue
    const flags = flagsOf(operation)
    const args = flags.flatMap(({ field, name, kind, nullable }) => {
      const value = example[field]
      if (value === undefined) return []
      if (value === null && nullable) return [`--no-${name}`]
      if (kind === 'boolean') return [value === true ? `--${name}` : `--no-${name}`]
      if (kind === 'list') return [value].flat().flatMap((one) => [`--${name}`, String(one)])
      return [`--${name}`, kind === 'json' ? JSON.stringify(value) : String(value).replace(/^@/, '@@')]
    })
    const { values } = parse(args, { ...commonFlags, ...optionsOf(flags) })
    expect([operation.name, inputFrom(flags, input, values)]).toEqual([operation.name, example])
  }
})

test('a field that may be null is a flag of its own kind, and --no-<field> sets it to null', () => {
  const of = (name: string, ...args: string[]) => {
    const operation = all.find((one) => one.name === name)
    if (operation === undefined) throw new Error('unreachable')
    const flags = flagsOf(operation)
    return inputFrom(flags, operation.input, parse(args, { ...commonFlags, ...optionsOf(flags) }).values)
  }
  expect(of('session.chooseLanguage', '--language', 'de')).toEqual({ language: 'de' })
  expect(of('session.chooseLanguage', '--no-language')).toEqual({ language: null })
  expect(() => of('session.chooseLanguage', '--language', 'fr')).toThrow('--language: "fr". Must be one of en, de.')
  expect(() => of('session.chooseLanguage')).toThrow('--language: missing. Required, one of en, de.')
  expect(() => of('session.chooseLanguage', '--language', 'de', '--no-language')).toThrow(
    'Give either --language or --no-language.',
  )
  const settings = ['--expected-revision', '1', '--archive-retention-days', '400', '--no-retention-days']
  expect(of('tenants.updateSettings', ...settings)).toMatchObject({ archiveRetentionDays: 400, retentionDays: null })
  // The word is a value like any other.
  expect(of('tenants.updateBranding', '--accent-color', 'null', '--expected-revision', '1').accentColor).toBe('null')
  // No field of the catalog needs JSON for a plain value.
  const quoted = all.flatMap((operation) => {
    const properties = isJsonObject(operation.input.properties) ? operation.input.properties : {}
    return flagsOf(operation).flatMap(({ kind, field }) => {
      const schema = properties[field]
      const choices = isJsonObject(schema) ? (schema.anyOf ?? schema.oneOf) : undefined
      const isPlain = (choice: unknown) =>
        /"type":"(string|integer|number|boolean|null)"/.test(JSON.stringify(choice).replace(/"properties":.*/, ''))
      return kind === 'json' && Array.isArray(choices) && choices.every(isPlain) ? [`${operation.name} ${field}`] : []
    })
  })
  expect(quoted).toEqual([])
})

test('a value that breaks a rule is reported with its field, value and rule', () => {
  const schema = catalog.operations.find(({ name }) => name === 'approvals.decide')?.input
  expect(
    problemsOf(schema, {
      approvalId: '5',
      decision: 'maybe',
      reason: '',
      extra: 1,
      expectedRevision: 1.5,
    }),
  ).toEqual([
    { path: 'decisionAcknowledged', value: undefined, rule: 'Required, a boolean.' },
    { path: 'approvalId', value: '5', rule: 'Must be a uuid.' },
    { path: 'decision', value: 'maybe', rule: 'Must be one of approve, reject, escalate.' },
    expect.objectContaining({ path: 'reason', rule: expect.stringContaining('at least 1') }),
    { path: 'extra', value: 1, rule: 'Unknown field.' },
    { path: 'expectedRevision', value: 1.5, rule: 'Must be an integer.' },
  ])
})

test('differences name what is missing, new, and changed incompatibly', () => {
  const [first, second, third, ...others] = structuredClone(catalog.operations)
  if (first === undefined || second === undefined || third === undefined) throw new Error('unreachable')
  const narrower = { ...third, input: { ...third.input, required: [...[third.input.required ?? []].flat(), 'tenant'] } }
  const wider = { ...others[0], input: { ...others[0]?.input, description: 'Changed.' } } as typeof first
  const server = [{ ...first, path: '/v1/other', name: 'other.get' }, second, narrower, wider, ...others.slice(1)]
  expect(differences(catalog.operations, server)).toEqual([
    { operation: first.name, change: 'missing', details: [`${first.method} ${first.path}`] },
    { operation: third.name, change: 'incompatible', details: ['tenant is now required'] },
    { operation: wider.name, change: 'compatible', details: [] },
    { operation: 'other.get', change: 'new', details: [`${first.method} /v1/other`] },
  ])
})

test('a table shows no character that a terminal acts on', () => {
  const { text } = table([{ id: '1', name: 'a\u001b[2J\u202eb\u009b31m' }])
  expect(text).toContain('a\\u001b[2J\\u202eb\\u009b31m')
  const printed: string[] = []
  const output = {
    out: (one: string) => void printed.push(one),
    error: () => undefined,
    errors: 'text',
    isTerminal: true,
  } as const
  print({ ...output, format: 'json' }, { name: '\u009b31m\u202e' })
  expect(JSON.parse(printed.join(''))).toEqual({ name: '\u009b31m\u202e' })
  expect(printed.join('')).not.toMatch(/[\u007f-\u009f\u202e]/)
})
