import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ApiError, type Issue } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { readManifest, specOf } from './manifest.ts'

const inWords = ({ path, message, line, column }: Issue) => `${path} ${line}:${column} ${message}`

/** The problems of a manifest: `path line:column message`. */
function problemsOf(yaml: string): string[] {
  try {
    return readManifest(yaml).flaws.map(inWords)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return (error.issues ?? []).map(inWords)
  }
}

/** A manifest whose last step, in line 10, has the members `last`. */
const withStep = (last: string) => `name: x
spec:
  inputs: [{ name: legal }, { name: council }, { name: ok }]
  runtime:
    steps:
      - { id: order, tool: { server: payments, name: lookup_order } }
      - { id: both, wait: { all: [legal, council] } }
      - { id: one, wait: { input: ok } }
      - { id: ask, model: { prompt: "Hello" } }
      - { id: last, tool: { server: payments, name: refund }, ${last} }
      - { id: later, model: { prompt: "Bye" } }
`

test('an address with a port that fetch blocks is refused with its position', () => {
  expect(
    problemsOf(`name: x
spec:
  tools: [{ mcp: { server: crm, url: "https://crm.example:6000/mcp" }, allow: [find] }]
  models: [{ name: small, endpoint: "https://models.example:10080/v1", model: small-1 }]
  runtime: { http: { url: "https://agent.example:6667/run" }, a2a: { card: "https://agent.example:8443/card" } }
`),
  ).toEqual([
    'spec.tools.0.mcp.url 3:39 Port 6000 can’t be called: browsers and fetch refuse it. Use another one.',
    'spec.models.0.endpoint 4:38 Port 10080 can’t be called: browsers and fetch refuse it. Use another one.',
    'spec.runtime.http.url 5:28 Port 6667 can’t be called: browsers and fetch refuse it. Use another one.',
  ])
})

describe('a condition is refused with its position if', () => {
  test.each([
    ['${steps.order.output.amount} => 5', 'must be one comparison of a reference with a literal'],
    ['steps.order.output.amount > 5', 'must be one comparison of a reference with a literal'],
    ['${steps.order.output.amount} > 5 and true', '5 and true is not a literal'],
    ['${steps.order.output.status} == open', 'open is not a literal'],
    ['${steps.order.output.amount} > "many"', '> compares numbers. "many" is not a number.'],
    ['${steps.order.output.amount} <= true', '<= compares numbers. true is not a number.'],
    ['${inputs.amount} > 5', '${inputs.amount} must be input.… or steps.<id>.output.…'],
    ['${steps.order.amount} > 5', '${steps.order.amount} must be input.… or steps.<id>.output.…'],
    ['${steps.ordre.output.amount} > 5', 'unknown step ordre. Steps: order, both, one, ask, last, later.'],
    ['${steps.later.output.content} == "x"', '${steps.later.output.content} refers to a step that does not run before'],
    ['${steps.last.output} == 1', '${steps.last.output} refers to a step that does not run before'],
    ['${steps.both.output.lgal.approved} == true', 'both does not have the member lgal. Members: legal, council.'],
    ['${steps.both.output} == true', '${steps.both.output} is an object, which never equals a literal.'],
    ['${steps.ask.output.text} == "yes"', 'ask does not have the member text. Members: content, '],
    ['${steps.ask.output.content} == true', '${steps.ask.output.content} is a text, which never equals true.'],
    ['${steps.ask.output.content} != null', '${steps.ask.output.content} is a text, which never equals null.'],
    ['${steps.ask.output.content.sure} == "yes"', 'does not have a value: content is a text.'],
    ['${input} == "yes"', '${input} is an object, which never equals a literal.'],
  ])('%s', (condition, message) => {
    const [problem, ...others] = problemsOf(withStep(`when: ${JSON.stringify(condition)}`))
    expect(problem).toContain(message)
    expect(problem).toMatch(/^spec\.runtime\.steps\.4\.when 10:70 /)
    expect(others).toEqual([])
  })

  test('it is not a text', () => {
    expect(problemsOf(withStep('when: true'))).toEqual([
      expect.stringMatching(/steps\.4\.when 10:69 when must be a text/),
    ])
  })
})

test.each([
  '${steps.order.output.amount} > 5000',
  '${steps.order.output.amount} >= "5000.00"',
  '${steps.order.output} == null',
  '${steps.order.output[0].lines[2].name} != "x"',
  '${steps.both.output.legal.approved} == true',
  '${steps.one.output} == true',
  "${steps.ask.output.content} == 'yes'",
  '${steps.ask.output.content} > 3',
  '${steps.ask.output.toolCalls[0].name} == "x"',
  '${input.urgent} == false',
])('accepts the condition %s', (condition) => {
  expect(problemsOf(withStep(`when: ${JSON.stringify(condition)}`))).toEqual([])
})

test('references in arguments, prompts and the card are refused if no execution could resolve them', () => {
  const yaml = `name: x
spec:
  approvalCard: { title: "\${steps.ordre.output.id}", facts: [{ label: Later, value: "\${steps.pay.output.content}" }] }
  runtime:
    steps:
      - { id: order, tool: { server: payments, name: lookup_order, arguments: { deep: [{ id: "\${imput.id}" }] } } }
      - { id: ask, model: { prompt: "\${input.a} and \${steps.pay.output.b}" } }
      - { id: pay, model: { prompt: "\${steps.order.output.id}" } }
      - { id: pay, model: { prompt: "Twice" } }
`
  expect(problemsOf(yaml)).toEqual([
    'spec.runtime.steps.0.tool.arguments.deep.0.id 6:95 ${imput.id} must be input.… or steps.<id>.output.…',
    'spec.runtime.steps.1.model.prompt 7:38 ${steps.pay.output.b} refers to a step that does not run before this one.',
    'spec.runtime.steps.3.id 9:15 Two steps have the id pay.',
    'spec.approvalCard.title 3:27 ${steps.ordre.output.id} refers to the unknown step ordre. Steps: order, ask, pay.',
  ])
  const chat = 'name: x\nspec: { runtime: { chat: { prompt: "${steps.a.output}" } } }'
  expect(problemsOf(chat)).toEqual(['spec.runtime.chat.prompt 2:37 ${steps.a.output} refers to the unknown step a.'])
})

describe('tools', () => {
  const tools = (...entries: string[]) =>
    `metadata: { name: x }\nspec:\n  tools:\n${entries.map((one) => `    - ${one}\n`).join('')}`

  test('that need an approval without being allowed are refused', () => {
    expect(
      problemsOf(
        tools(
          '{ mcp: { server: a }, allow: [x], requireApproval: [x, y] }',
          '{ mcp: { server: b }, requireApproval: [x] }',
        ),
      ),
    ).toEqual([
      expect.stringMatching(/^spec\.tools\.0\.requireApproval\.1 4:\d+ y is not in allow/),
      expect.stringMatching(/^spec\.tools\.1\.requireApproval\.0 5:\d+ x is not in allow/),
    ])
    expect(
      problemsOf(tools('{ mcp: { server: a }, allow: [x] }', '{ mcp: { server: a }, requireApproval: [x] }')),
    ).toEqual([])
  })

  test('that a step calls without being allowed are warnings', () => {
    const steps = (tool: string) => `  runtime: { steps: [{ id: a, tool: { server: payments, name: ${tool} } }] }\n`
    const warningsOf = (tool: string, ...entries: string[]) =>
      readManifest(`${tools(...entries)}${steps(tool)}`).warnings
    expect(warningsOf('refund', '{ mcp: { server: payments }, allow: [lookup] }')).toEqual([
      {
        path: 'spec.runtime.steps.0.tool.name',
        message: 'No entry of spec.tools allows payments/refund, so this call is denied.',
        line: 5,
        column: 63,
      },
    ])
    expect(
      warningsOf('lookup', '{ mcp: { server: other } }', '{ mcp: { server: payments }, allow: [lookup] }'),
    ).toEqual([])
  })

  test('of the agent itself have the server local, and are all allowed unless allow lists them', () => {
    const yaml = tools('{ local: [{ name: Bash }, { name: Read }], requireApproval: [Bash] }')
    expect(problemsOf(yaml)).toEqual([])
    const { document } = readManifest(`${yaml}  runtime: { observe: {} }\n`)
    expect(specOf(document).tools).toMatchObject([
      {
        mcp: { server: 'local' },
        allow: ['Bash', 'Read'],
        requireApproval: ['Bash'],
        local: [{ name: 'Bash' }, { name: 'Read' }],
      },
    ])
    expect(
      problemsOf(tools('{ local: [{ name: Bash }, { name: Read }], allow: [Read], requireApproval: [Bash] }')),
    ).toHaveLength(1)
    // What a release stores is read again.
    expect(specOf({ spec: specOf(document) as JsonObject }).tools).toEqual(specOf(document).tools)
  })

  test('of the agent itself are refused next to a server, declared twice, unknown in allow, or with calls of Countersign', () => {
    expect(problemsOf(tools('{ local: [{ name: a }], mcp: { server: b } }'))).toEqual([
      expect.stringContaining('spec.tools.0.local 4:'),
    ])
    expect(problemsOf(tools('{ local: [{ name: a }, { name: a }], allow: [b] }'))).toEqual([
      expect.stringContaining('The tool a is declared twice.'),
      expect.stringContaining('b is not in local.'),
    ])
    expect(problemsOf(`${tools('{ local: [{ name: a }] }')}  runtime: { chat: {} }\n`)).toEqual([
      expect.stringContaining('Countersign makes the calls of the runtime chat'),
    ])
  })

  test('an entry that named a server and had an unknown member local keeps working', () => {
    const stored = { spec: { runtime: { observe: {} }, tools: [{ mcp: { server: 'payments' }, local: 'mine' }] } }
    expect(specOf(stored).tools).toEqual([{ mcp: { server: 'payments' }, allow: [], requireApproval: [] }])
  })
})

test('a manifest that cannot be released is refused with a sentence for each reason', () => {
  expect(() => specOf({ spec: { runtime: { observe: {} }, tools: [{}], limits: { maxToolCalls: 'many' } } })).toThrow(
    /^The manifest is not complete: spec\.\S+: [^;]+\. spec\.limits\.maxToolCalls: Must be a number\.$/,
  )
})

test('the manifest of the demo is registered without a warning', () => {
  const yaml = readFileSync(new URL('../demo/refund-assistant.yaml', import.meta.url), 'utf8')
  expect(readManifest(yaml).warnings).toEqual([])
})

describe('what would be lost without a word is refused:', () => {
  test('a merge key, at any depth', () => {
    const yaml = `name: x
spec:
  tools:
    - &base { mcp: { server: payments }, allow: [refund], requireApproval: [refund] }
    - { <<: *base, allow: [lookup, refund] }
`
    expect(problemsOf(yaml)).toEqual([
      'spec.tools.1.<< 5:14 Merge keys (<<) are not part of YAML 1.2. Write the members out.',
    ])
  })

  test.each([
    ['version: 1.10', 'version 2:10 Write the version in quotes: as a number, 1.10 is 1.1.'],
    ['version: 1.0 # first', 'version 2:10 Write the version in quotes: as a number, 1.0 is 1.'],
    ['version: 1e3', 'version 2:10 Write the version in quotes: as a number, 1e3 is 1000.'],
    ['metadata: {version: 007}', 'metadata.version 2:21 Write the version in quotes: as a number, 007 is 7.'],
  ])('a number that is written differently: %s', (line, problem) => {
    expect(problemsOf(`name: x\n${line}\n`)).toEqual([problem])
  })

  test.each(['version: 1.4', 'version: 3', 'version: "1.10"', "version: '007'", 'version: 1.10.0'])(
    'but not %s',
    (line) => {
      expect(problemsOf(`name: x\n${line}\n`)).toEqual([])
    },
  )
})
