import { describe, expect, test } from 'vitest'
import { ApiError } from '#lib/errors.ts'
import { readManifest } from './manifest.ts'

// What registration takes and refuses (api design §5), without a server.

describe('a name is read from', () => {
  test.each([
    ['metadata.name', 'metadata: { name: refunds }'],
    ['name', 'name: refunds'],
    ['agent.name', 'agent: { name: refunds }'],
    ['id', 'id: refunds'],
  ])('%s', (_where, yaml) => {
    expect(readManifest(yaml).name).toBe('refunds')
  })
  test('the first of them', () => {
    expect(readManifest('id: last\nmetadata: { name: first, version: 1.4 }')).toMatchObject({
      name: 'first',
      version: '1.4',
    })
  })
})

test('comments, layout and order don’t make another version; a value does', () => {
  const digest = (yaml: string) => readManifest(yaml).digest
  expect(digest('name: a\nspec: { description: x }')).toBe(digest('# mine\nspec:\n  description: "x"\nname: a\n'))
  expect(digest('name: a\nspec: { description: x }')).not.toBe(digest('name: a\nspec: { description: y }'))
})

test('what is not known is kept and named in a warning; so is what a release will miss', () => {
  const { document, warnings } = readManifest('metadata: { name: a }\nspec: { colour: red, runtime: { steps: [] } }')
  expect(document).toMatchObject({ spec: { colour: 'red' } })
  expect(warnings.map(({ path }) => path)).toEqual(expect.arrayContaining(['spec.colour', 'spec.runtime.steps']))
})

const deep = `name: a\nspec: ${'['.repeat(60)}${']'.repeat(60)}`
const laughs = [
  'name: a',
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 6 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(8).fill(`*a${n}`).join(', ')}]`),
].join('\n')

test.each([
  ['not YAML', 'a: [1', 1, 6],
  ['no mapping', '- 1', 1, 1],
  ['no name', 'kind: Agent', 1, 1],
  ['a duplicate key', 'name: a\nname: b', 2, 1],
  ['too deep', deep, 2, undefined],
  ['aliases that explode', laughs, undefined, undefined],
  ['a name that is too long', `metadata:\n  name: ${'n'.repeat(101)}`, 2, 9],
  ['a version that is too long', `name: a\nversion: ${'1'.repeat(101)}x`, 2, 10],
  ['a number that JSON does not keep', 'name: a\nspec:\n  limit: 12345678901234567890', 3, 10],
  ['a text that can’t be stored', 'name: a\nspec: { description: "\\0" }', 2, 23],
  ['two documents', 'name: a\n---\nname: b', undefined, undefined],
])('%s is refused with line and column', (_case, yaml, line, column) => {
  const { code, issues } = refusal(yaml)
  expect(code).toBe('invalid_manifest')
  expect(issues).toEqual([expect.objectContaining({ line: expect.any(Number), column: expect.any(Number) })])
  if (line !== undefined) expect(issues?.[0]?.line).toBe(line)
  if (column !== undefined) expect(issues?.[0]?.column).toBe(column)
})

test('too big is refused where it becomes so', () => {
  const yaml = `name: a\n# ${'x'.repeat(64 * 1024)}`
  expect(refusal(yaml)).toMatchObject({ code: 'payload_too_large', issues: [{ line: 2, column: 64 * 1024 - 8 + 1 }] })
})

test('keys of a prototype stay keys', () => {
  const { document } = readManifest('name: a\nspec: { __proto__: { polluted: 1 }, constructor: 2 }')
  expect(Object.keys(document.spec as object)).toEqual(['__proto__', 'constructor'])
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
})

function refusal(yaml: string): ApiError {
  try {
    readManifest(yaml)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('It was taken.')
}
