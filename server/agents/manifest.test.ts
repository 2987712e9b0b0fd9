import { describe, expect, test } from 'vitest'
import { ApiError } from '#lib/errors.ts'
import { readManifest } from './manifest.ts'

// The manifests that registration accepts and rejects, without a server.

describe('a name is read from', () => {
  test.each([
    ['metadata.name', 'metadata: { name: refunds }'],
    ['name', 'name: refunds'],
    ['agent.name', 'agent: { name: refunds }'],
    ['id', 'id: refunds'],
  ])('%s', (_where, yaml) => {
    expect(readManifest(yaml).name).toBe('refunds')
  })
  test('the first of these that is present', () => {
    expect(readManifest('id: last\nmetadata: { name: first, version: 1.4 }')).toMatchObject({
      name: 'first',
      version: '1.4',
    })
  })
})

test('the digest depends on values but not on comments, layout or order', () => {
  const digest = (yaml: string) => readManifest(yaml).digest
  expect(digest('name: a\nspec: { description: x }')).toBe(digest('# mine\nspec:\n  description: "x"\nname: a\n'))
  expect(digest('name: a\nspec: { description: x }')).not.toBe(digest('name: a\nspec: { description: y }'))
})

test('keeps unknown members and warns about them and about members that a release requires', () => {
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
  ['not a mapping', '- 1', 1, 1],
  ['name missing', 'kind: Agent', 1, 1],
  ['a duplicate key', 'name: a\nname: b', 2, 1],
  ['nested too deeply', deep, 2, undefined],
  ['exponential alias expansion', laughs, undefined, undefined],
  ['a name that is too long', `metadata:\n  name: ${'n'.repeat(101)}`, 2, 9],
  ['a version that is too long', `name: a\nversion: ${'1'.repeat(101)}x`, 2, 10],
  ['a number beyond the precision of JSON', 'name: a\nspec:\n  limit: 12345678901234567890', 3, 10],
  ['a text that can’t be stored', 'name: a\nspec: { description: "\\0" }', 2, 23],
  ['two documents', 'name: a\n---\nname: b', undefined, undefined],
])('rejects a manifest with line and column: %s', (_case, yaml, line, column) => {
  const { code, issues } = refusal(yaml)
  expect(code).toBe('invalid_manifest')
  expect(issues).toEqual([expect.objectContaining({ line: expect.any(Number), column: expect.any(Number) })])
  if (line !== undefined) expect(issues?.[0]?.line).toBe(line)
  if (column !== undefined) expect(issues?.[0]?.column).toBe(column)
})

test('rejects a manifest over the size limit at the position of the limit', () => {
  const yaml = `name: a\n# ${'x'.repeat(64 * 1024)}`
  expect(refusal(yaml)).toMatchObject({ code: 'payload_too_large', issues: [{ line: 2, column: 64 * 1024 - 8 + 1 }] })
})

test('treats __proto__ and constructor as ordinary keys', () => {
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
  throw new Error('The manifest was accepted.')
}
