import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { type CommandLine, commandLine, type Ended } from '#server/testing/command-line.ts'
import { approve, bindingFor } from '#server/testing/refund-agent.ts'

// The hook of a coding agent, run as the host runs it: the real program as a child, against a real server.

const rules = `
@id("never-deploy") @message("Deployments go through the pipeline.")
forbid (principal, action in Countersign::Action::"ToolCall", resource == Countersign::Tool::"local/Deploy");
@id("mask") @obligation("mask") @mask_paths("$.token")
forbid (principal, action in Countersign::Action::"ToolCall", resource == Countersign::Tool::"local/Fetch")
unless { context.fulfilled.contains("mask:mask") };
`
const manifest = `metadata: { name: coder, version: 1.0.0 }
spec:
  risk: { tier: medium }
  runtime: { observe: {} }
  tools:
    - local: [{ name: Bash }, { name: Shell }, { name: Read }, { name: Deploy }, { name: Fetch }, { name: "MCP:query" }]
      requireApproval: [Bash]
`

let api: TestApi
let cli: CommandLine
let agentId: string
let settings: Record<string, string>
beforeAll(async () => {
  ;[api, cli] = await Promise.all([startApi(), commandLine()])
  const ci = await api.client('ci-pipeline')
  const made = payload<{ agentId: string }>(await api.mutate(ci, 'agents.create', { yaml: manifest }))
  agentId = made.agentId
  const propose = async (procedure: string, input: unknown) =>
    approve(api, payload<{ approvalId: string }>(await api.mutate(ci, procedure, input)).approvalId)
  await propose('policyBindings.propose', await bindingFor(api, agentId, 'coder', rules))
  await propose('releases.propose', { agentId, version: '1.0.0', environment: 'production' })
  const [tenant] = api.credentials.tenants
  settings = {
    COUNTERSIGN_URL: api.baseUrl,
    COUNTERSIGN_TENANT: tenant?.slug ?? '',
    COUNTERSIGN_CLIENT_ID: 'ci-pipeline',
    COUNTERSIGN_CLIENT_SECRET: tenant?.clients.find(({ clientId }) => clientId === 'ci-pipeline')?.clientSecret ?? '',
  }
}, 180_000)
afterAll(async () => {
  await cli.close()
  await api.close()
})

const inClaude = (tool: string, input: object) => ({
  session_id: 's',
  cwd: '/work',
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
  tool_name: tool,
  tool_input: input,
  tool_use_id: 't',
})
const inCodex = (tool: string, input: object) => ({ ...inClaude(tool, input), turn_id: 'turn', model: 'small' })
const inCursor = (event: string, more: object) => ({ hook_event_name: event, conversation_id: 'c', ...more })

const guard = (input: unknown, args: string[] = ['--wait', '0s'], environment = settings) =>
  cli.run(
    ['guard', '--agent', 'coder', ...args],
    environment,
    typeof input === 'string' ? input : JSON.stringify(input),
  )

/** The reason of a denial in the words of Claude Code and Codex, which must come with the exit code that blocks. */
function reasonIn({ code, out, error }: Ended): string {
  expect(code).toBe(2)
  const { hookEventName, permissionDecision, permissionDecisionReason } = JSON.parse(out).hookSpecificOutput
  expect([hookEventName, permissionDecision]).toEqual(['PreToolUse', 'deny'])
  expect(error).toContain('Countersign denied this call: ')
  return permissionDecisionReason
}

describe('a recorded permission', () => {
  test('is written in the words of each host', async () => {
    const claude = await guard(inClaude('Read', { file_path: '/a' }))
    expect([claude.code, JSON.parse(claude.out)]).toEqual([
      0,
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'allow',
          permissionDecisionReason: 'Allowed by Countersign.',
        },
      },
    ])
    // Codex continues if the hook does not object.
    expect(await guard(inCodex('Read', { file_path: '/a' }))).toMatchObject({ code: 0, out: '' })
    for (const input of [
      inCursor('preToolUse', { tool_name: 'Shell', tool_input: { command: 'ls' } }),
      inCursor('beforeShellExecution', { command: 'ls', cwd: '/work' }),
      inCursor('beforeMCPExecution', { tool_name: 'query', tool_input: '{"sql":"select 1"}' }),
      inCursor('beforeReadFile', { file_path: '/a', content: 'not sent' }),
    ])
      expect(await guard(input)).toMatchObject({ code: 0, out: '{"permission":"allow"}\n' })
  })

  test('is a decision in the log, about the arguments of the call', async () => {
    const { code } = await guard(inClaude('Read', { file_path: '/recorded' }), ['--agent', agentId])
    expect(code).toBe(0)
    const token = await api.client('ci-pipeline')
    const { items } = payload<{ items: unknown[] }>(await api.query(token, 'policies.decisions', { agentId, limit: 1 }))
    expect(JSON.stringify(items)).toContain('local/Read')
  })

  test('replaces arguments that a policy masks, where the host can', async () => {
    const call = { url: 'https://x.example', token: 'secret' }
    const { code, out } = await guard(inClaude('Fetch', call))
    expect([code, JSON.parse(out).hookSpecificOutput]).toMatchObject([
      0,
      { permissionDecision: 'allow', updatedInput: { url: 'https://x.example', token: '[redacted]' } },
    ])
    expect(reasonIn(await guard(inCodex('Fetch', call)))).toContain('masks arguments')
  })
})

describe('a denial', () => {
  test('of a policy names its reason', async () => {
    expect(reasonIn(await guard(inClaude('Deploy', {})))).toBe(
      'Countersign denied this call: Deployments go through the pipeline.',
    )
    const cursor = await guard(inCursor('preToolUse', { tool_name: 'Deploy', tool_input: {} }))
    expect([cursor.code, JSON.parse(cursor.out)]).toEqual([
      2,
      {
        permission: 'deny',
        user_message: 'Countersign denied this call: Deployments go through the pipeline.',
        agent_message: 'Countersign denied this call: Deployments go through the pipeline.',
      },
    ])
  })

  test('is the answer for a tool or an agent that is not released', async () => {
    expect(reasonIn(await guard(inClaude('Write', {})))).toContain('does not include this tool')
    expect(reasonIn(await guard(inClaude('Read', {}), ['--environment', 'staging']))).toContain('No approved release')
    expect(reasonIn(await guard(inClaude('Read', {}), ['--agent', 'unknown-agent']))).toContain('Unknown agent')
  })

  test.each([
    ['an empty input', '', 'not valid JSON'],
    ['no JSON', 'rm -rf', 'not valid JSON'],
    ['a list', '[]', 'does not name its event'],
    ['no event', { tool_name: 'Read' }, 'does not name its event'],
    [
      'an event after the call',
      { ...inClaude('Read', {}), hook_event_name: 'PostToolUse' },
      'not an event before a call',
    ],
    ['no tool', { ...inClaude('Read', {}), tool_name: undefined }, 'does not name a tool'],
    ['a tool that is a number', { ...inClaude('Read', {}), tool_name: 1 }, 'does not name a tool'],
    ['arguments that are a list', { ...inClaude('Read', {}), tool_input: [] }, 'not an object'],
  ])('is the answer to %s', async (_case, input, reason) => {
    expect(reasonIn(await guard(input))).toContain(reason)
  })

  test.each([
    ['an unknown flag', ['--colour', 'red']],
    ['an unknown host', ['--host', 'vi']],
    ['a wait without a unit', ['--wait', '50']],
    ['an argument too many', ['now']],
    ['an unknown format', ['--output', 'xml']],
  ])('is the answer to %s', async (_case, args) => {
    expect((await guard(inClaude('Read', {}), args)).code).toBe(2)
  })

  test('is the answer without a credential, with a wrong one, and without a configuration that can be read', async () => {
    const read = inClaude('Read', {})
    expect(reasonIn(await guard(read, [], { COUNTERSIGN_URL: api.baseUrl }))).toContain('Not signed in')
    expect(reasonIn(await guard(read, [], {}))).toContain('Name the server')
    expect(reasonIn(await guard(read, [], { ...settings, COUNTERSIGN_CLIENT_SECRET: 'wrong' }))).toContain('refused')
    expect(reasonIn(await guard(read, [], { COUNTERSIGN_URL: api.baseUrl, COUNTERSIGN_TOKEN: 'x' }))).toContain(
      'Sign in',
    )
    const folder = join(cli.folder, 'spoiled')
    await cli.run(['whoami'], { ...settings, COUNTERSIGN_CONFIG_DIR: folder })
    await writeFile(join(folder, 'profiles.json'), '{')
    expect(reasonIn(await guard(read, [], { ...settings, COUNTERSIGN_CONFIG_DIR: folder }))).toContain('not valid JSON')
  })
})

/** Runs `work` with the settings of a server that answers as `answer` does. */
async function withServer<T>(
  answer: RequestListener,
  work: (settings: Record<string, string>) => Promise<T>,
): Promise<T> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    return await work({ COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: 'unused' })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const procedureAnswer = (json: unknown) => JSON.stringify({ result: { data: { json } } })

describe('a server that is not the expected one leads to a denial', () => {
  const read = inClaude('Read', { file_path: '/a' })
  const withId = ['--agent', '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01', '--wait', '0s']

  test('if it is gone', async () => {
    const gone = await withServer(
      () => undefined,
      async (unused) => unused,
    )
    expect(reasonIn(await guard(read, withId, gone))).toContain('can’t be reached')
  })

  test.each<[string, RequestListener]>([
    ['fails', (_req, res) => void res.writeHead(500).end('{}')],
    ['closes the connection', (_req, res) => void res.destroy()],
    [
      'answers with a page',
      (_req, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
    ],
    ['redirects', (_req, res) => void res.writeHead(302, { location: 'https://example.org/' }).end()],
    ['answers null', (_req, res) => void res.writeHead(200).end(procedureAnswer(null))],
    ['answers without a decision', (_req, res) => void res.writeHead(200).end(procedureAnswer({ effect: 'allow' }))],
    [
      'answers with an unknown effect',
      (_req, res) => void res.writeHead(200).end(procedureAnswer({ effect: 'maybe' })),
    ],
    [
      'breaks off its answer',
      (_req, res) => void res.writeHead(200, { 'content-length': 99 }).write('{', () => res.destroy()),
    ],
  ])('if it %s', async (_case, answer) => {
    expect(reasonIn(await withServer(answer, (fake) => guard(read, withId, fake)))).not.toBe('')
  })

  test('if it does not answer in time, without waiting for it any longer', async () => {
    const began = Date.now()
    const ended = await withServer(
      () => undefined,
      (fake) => guard(read, withId, fake),
    )
    expect(reasonIn(ended)).toContain('did not answer in time')
    expect(Date.now() - began).toBeLessThan(20_000)
  })
})

describe('a call that people must approve', () => {
  const make = inClaude('Bash', { command: 'make' })
  const pending = async () => {
    const { items } = payload<{ items: { approvalId: string; action: string; resource: string }[] }>(
      await api.query(await api.person('jonas'), 'approvals.getPending', { limit: 100 }),
    )
    return items.filter(({ resource }) => resource === 'local/Bash').map(({ approvalId }) => approvalId)
  }

  test('is allowed while it waits, as soon as it is approved, and once', async () => {
    const running = guard(make, ['--wait', '50s'])
    await expect.poll(pending, { timeout: 15_000 }).toHaveLength(1)
    const [approvalId = ''] = await pending()
    await approve(api, approvalId)
    expect(await running).toMatchObject({ code: 0, out: expect.stringContaining('"allow"') })
    expect(reasonIn(await guard(make))).toContain('waits for approval')
  })

  test('that is over before people decide is denied; the same call later continues with the same request', async () => {
    const [approvalId = '', ...others] = await pending()
    expect(others).toEqual([])
    const page = `${api.baseUrl}/t/${api.credentials.tenants[0]?.externalId}/approvals/${approvalId}`
    expect(reasonIn(await guard(make))).toContain(`waits for approval ${approvalId} (${page}). `)
    expect(await pending()).toEqual([approvalId])
    await approve(api, approvalId)
    // Another call is not covered by it.
    expect(reasonIn(await guard(inClaude('Bash', { command: 'make all' })))).toContain('waits for approval')
    expect(await guard(make)).toMatchObject({ code: 0 })
  })

  test('that is rejected is denied, and a later one makes a new request', async () => {
    const call = inClaude('Bash', { command: 'make all' })
    const [approvalId = ''] = await pending()
    const input = { approvalId, decision: 'reject', decisionAcknowledged: true, reason: 'Not today.' }
    payload(await api.mutate(await api.person('jonas'), 'approvals.decide', input))
    expect(reasonIn(await guard(call))).toContain(`was rejected (approval ${approvalId})`)
    expect(reasonIn(await guard(call))).toContain('waits for approval')
    expect(await pending()).not.toContain(approvalId)
  })

  test('of which a reviewer requested changes is denied with these words', async () => {
    const call = inClaude('Bash', { command: 'make clean' })
    expect(reasonIn(await guard(call, ['--wait', '0s']))).toContain('waits for approval')
    const jonas = await api.person('jonas')
    for (const approvalId of await pending())
      payload(await api.mutate(jonas, 'approvals.requestChanges', { approvalId, reason: 'Without the cache.' }))
    expect(reasonIn(await guard(call))).toContain('A reviewer requested changes to this call')
  })

  test('is also decided without a folder for what waits', async () => {
    await writeFile(join(cli.folder, 'occupied'), '')
    const environment = { ...settings, COUNTERSIGN_CONFIG_DIR: join(cli.folder, 'occupied', 'config') }
    expect(reasonIn(await guard(inClaude('Bash', { command: 'make x' }), ['--wait', '0s'], environment))).toContain(
      'waits',
    )
    expect(await guard(inClaude('Read', {}), [], environment)).toMatchObject({ code: 0 })
  })
})

describe('a fault that the server does not see is a denial', () => {
  const read = JSON.stringify(inClaude('Read', { file_path: '/a' }))

  test('in the program', async () => {
    const text = await readFile(cli.file, 'utf8')
    const file = join(cli.folder, 'broken.mjs')
    const [shebang = '', ...code] = text.split('\n')
    await writeFile(file, [shebang, 'setTimeout(() => { throw new Error("fault") }, 0)', ...code].join('\n'))
    const { status, stdout } = spawnSync(process.execPath, [file, 'guard', '--agent', 'coder'], {
      env: {
        ...settings,
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        COUNTERSIGN_CONFIG_DIR: join(cli.folder, 'config'),
      },
      input: read,
    })
    expect([status, stdout.toString()]).toEqual([2, ''])
  })

  test('in a host that does not read the permission', async () => {
    const child = cli.start(['guard', '--agent', 'coder'], settings)
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.stdout?.destroy()
    child.stdin?.end(read)
    expect(await closed).toBe(2)
  })
})
