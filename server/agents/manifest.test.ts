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

describe('refuses with line and column', () => {
  const flawOf = (yaml: string) => {
    try {
      readManifest(yaml)
    } catch (error) {
      if (error instanceof ApiError) return { code: error.code, ...error.issues?.[0] }
      throw error
    }
    return undefined
  }

  test.each(['name: x\nloop: &a [*a]', 'name: x\nloop: &a { b: *a }', 'name: x\nloop: &a [&b [*a, *b]]'])(
    'an alias that leads into itself: %s',
    (yaml) => {
      expect(flawOf(yaml)).toMatchObject({ code: 'invalid_manifest', line: 2 })
    },
  )

  test.each([
    ['https://user:secret@host.example/', 'can’t contain a user'],
    ['https://user@host.example/', 'can’t contain a user'],
    ['postgres://user:secret@host.example/db', 'can’t contain a user'],
    ['https://[fe80::1%25eth0]/x', 'zone of an IPv6 address'],
  ])('the address %s, wherever it is', (address, message) => {
    const found = flawOf(`name: x\nspec:\n  runtime:\n    http:\n      url: ${address}\n`)
    expect(found).toMatchObject({ path: 'spec.runtime.http.url', line: 5, column: 12 })
    expect(found?.message).toContain(message)
    expect(flawOf(`name: x\nanywhere: [${JSON.stringify(address)}]`)).toMatchObject({ path: 'anywhere.0', line: 2 })
  })

  test('accepts an address without credentials, and a repository that names a user', () => {
    const yaml =
      'name: x\nmetadata: { annotations: { source: "ssh://git@host.example/x", page: "https://host.example/@user" } }'
    expect(readManifest(yaml).name).toBe('x')
  })
})

test.each([
  ['spec.tools.0.requireApprovals', 'tools: [{ mcp: { server: payments }, allow: [a], requireApprovals: [a] }]'],
  ['spec.tools.0.mcp.adress', 'tools: [{ mcp: { server: payments, adress: x } }]'],
  ['spec.limits.maxToolcalls', 'limits: { maxToolcalls: 5 }'],
  ['spec.governance.approval', 'governance: { approval: {} }'],
  ['spec.governance.approvals.stages.0.quorums', 'governance: { approvals: { stages: [{ group: g, quorums: 2 }] } }'],
  ['spec.data.sensitve', 'data: { sensitve: [] }'],
  ['spec.runtime.steps.0.tool.argument', 'runtime: { steps: [{ id: s, tool: { server: p, name: n, argument: {} } }] }'],
  ['spec.inputSchema.properties.id.pattern', 'inputSchema: { properties: { id: { type: string, pattern: x } } }'],
])('warns about the misspelt member %s', (path, member) => {
  const { warnings } = readManifest(`metadata: { name: a }\nspec: { ${member} }`)
  expect(warnings.filter(({ message }) => message.startsWith('Unknown member')).map((one) => one.path)).toEqual([path])
  expect(warnings.find((one) => one.path === path)).toMatchObject({ line: 2 })
})

test.each([
  ['{ expiresAfter: P7D, escalateAfter: P8D }', 'P7D'],
  ['{ escalateAfter: P2D }', 'one day by default'],
])('says what the escalation of %s must be shorter than', (approvals, than) => {
  const { warnings } = readManifest(`metadata: { name: a }\nspec:\n  governance: { approvals: ${approvals} }`)
  const path = 'spec.governance.approvals.escalateAfter'
  const message = `Must be shorter than expiresAfter, which is ${than}.`
  expect(warnings.filter((one) => one.path === path)).toMatchObject([{ line: 3, message }])
})

test('knows members of any name where the format allows them', () => {
  const { warnings } = readManifest(`metadata: { name: a, labels: { team: b }, annotations: { c: { d: e } } }
spec:
  runtime: { steps: [{ id: s, tool: { server: payments, name: n, arguments: { any: { name: 1 } } } }] }
  tools: [{ mcp: { server: payments }, allow: [n] }]
  inputSchema: { properties: { anyName: { type: object, properties: { other: { type: string } } } } }
`)
  expect(warnings).toEqual([])
})

test('reports at most 50 errors and 50 warnings, whatever the number of flaws', () => {
  const steps = Array(4000).fill('    - wait: 1').join('\n')
  const issuesOf = (yaml: string) => {
    try {
      const { flaws, warnings } = readManifest(yaml)
      return flaws.length > 0 ? flaws : warnings
    } catch (error) {
      return error instanceof ApiError ? error.issues : undefined
    }
  }
  expect(issuesOf(`name: a\nspec:\n  runtime:\n    steps:\n${steps}`)).toHaveLength(50)
  expect(issuesOf(`name: a\nspec:\n  inputs: [${Array(16_000).fill('1').join(',')}]`)).toHaveLength(50)
  expect(issuesOf(`name: a\nspec:\n  tools: [${Array(10_000).fill('{}').join(',')}]`)).toHaveLength(50)
})
