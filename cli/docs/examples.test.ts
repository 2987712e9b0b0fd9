import { readdirSync, readFileSync } from 'node:fs'
import { chmod, cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { type CommandLine, commandLine } from '#server/testing/command-line.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { runStep } from '../run-step.mjs'

// The examples that need no SDK. Those with one are run by server/testing/compatibility/examples.test.ts (npm run proof).

const folder = join(import.meta.dirname, '../../docs/examples')
const jsonAt = async (path: string) => JSON.parse(await readFile(join(folder, path), 'utf8'))

let api: TestApi
let cli: CommandLine
beforeAll(async () => {
  ;[api, cli] = await Promise.all([startApi(), commandLine()])
}, 180_000)
afterAll(async () => {
  await cli.close()
  await api.close()
})

test('an example has at most 30 lines', () => {
  const programs = readdirSync(folder).filter((file) => /\.(ts|py)$/.test(file))
  expect(programs).toHaveLength(5)
  const lines = (file: string) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').length
  expect(programs.filter((file) => lines(file) > 30)).toEqual([])
})

describe('the hook of a coding agent', () => {
  const place = (name: string) => readFile(join(folder, 'coding-agent', name), 'utf8')
  let environment: Record<string, string>

  beforeAll(async () => {
    const token = await api.client('ci-pipeline')
    const { agentId, warnings } = payload<{ agentId: string; warnings: unknown[] }>(
      await api.mutate(token, 'agents.create', { yaml: await place('manifest.yaml') }),
    )
    expect(warnings).toEqual([])
    const send = async (path: string, body: unknown) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await api.request(token, path, { method: 'POST', headers, body: JSON.stringify(body) })
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return answer.body as { id: string }
    }
    const propose = async (operation: string, input: object) =>
      approve(api, payload<{ approvalId: string }>(await api.mutate(token, operation, input)).approvalId)
    const at = { agentId, environment: 'production' }
    // First, because it makes the local tools known to policies.
    await propose('releases.propose', { ...at, version: '1.0.0' })
    const { id } = await send('/v1/policies', { name: 'coding-agent' })
    await send(`/v1/policies/${id}/versions`, { source: await place('policy.cedar') })
    await send(`/v1/policies/${id}/versions/1/publish`, {})
    await propose('policyBindings.propose', { ...at, policyId: id, policyVersion: 1, mode: 'enforce' })
    // On the path of the host, under the name that the settings use.
    await cp(cli.file, join(cli.folder, 'countersign'))
    await chmod(join(cli.folder, 'countersign'), 0o755)
    environment = {
      PATH: `${cli.folder}:${process.env.PATH ?? ''}`,
      COUNTERSIGN_CONFIG_DIR: join(cli.folder, 'config'),
      COUNTERSIGN_URL: api.baseUrl,
      COUNTERSIGN_TOKEN: token,
    }
  })

  /** Runs the hook as a host does: its command in a shell, with the call on the standard input. */
  async function decision(command: string, call: object): Promise<{ ok: boolean; output: string }> {
    const quoted = JSON.stringify(call).replaceAll("'", "'\\''")
    const line = `printf '%s' '${quoted}' | ${command}`
    return await runStep(['-c', line], { command: 'sh', capture: true, cwd: cli.folder, env: environment })
  }

  test.each([
    ['claude-settings.json', (file: Settings) => file.hooks.PreToolUse?.[0]?.hooks?.[0], 'PreToolUse'],
    ['codex-hooks.json', (file: Settings) => file.hooks.PreToolUse?.[0]?.hooks?.[0], 'PreToolUse'],
    ['cursor-hooks.json', (file: Settings) => file.hooks.preToolUse?.[0], 'preToolUse'],
  ])('%s allows what the policy permits, and denies the rest', async (file, find, event) => {
    const hook = find(await jsonAt(`coding-agent/${file}`))
    const { command = '', timeout = 0, onFailure, failClosed } = hook ?? {}
    // Longer than the program waits, and closed if it does not run.
    expect(timeout).toBeGreaterThanOrEqual(60)
    expect([onFailure, failClosed]).toEqual(
      { 'claude-settings.json': ['block', undefined], 'cursor-hooks.json': [undefined, true] }[file] ?? [
        undefined,
        undefined,
      ],
    )
    const call = (tool_name: string, tool_input: object) => ({ hook_event_name: event, tool_name, tool_input })
    expect(await decision(command, call('Read', { file_path: '/work/a' }))).toMatchObject({ ok: true })
    const push = await decision(command, call('Bash', { command: 'git push --force' }))
    expect([push.ok, push.output]).toEqual([false, expect.stringContaining('Pushes go through the pipeline.')])
    expect(await decision(command, call('WebFetch', { url: 'https://x.example' }))).toMatchObject({ ok: false })
  })
})

type Hook = { command?: string; timeout?: number; onFailure?: string; failClosed?: boolean; hooks?: Hook[] }
type Settings = { hooks: Record<string, Hook[] | undefined> }

describe('the configuration of an editor', () => {
  type Server = { url: string; headers: Record<string, string> }

  test.each([
    [
      'cursor-mcp.json',
      (file: { mcpServers: Record<string, Server> }) => file.mcpServers.payments,
      '${env:COUNTERSIGN_TOKEN}',
    ],
    [
      'vscode-mcp.json',
      (file: { servers: Record<string, Server> }) => file.servers.payments,
      '${input:countersign-token}',
    ],
  ] as [string, (file: unknown) => Server | undefined, string][])(
    '%s reaches the tools of the agent',
    async (file, find, variable) => {
      const server = find(await jsonAt(`editors/${file}`))
      if (server === undefined) throw new Error('The server payments is missing.')
      const { pathname } = new URL(server.url)
      const agent = file.startsWith('cursor') ? 'in-cursor' : 'in-vscode'
      await releaseAgent(api, agent, { runtime: { observe: {} }, tools: { payments: ['lookup_order'] } })
      const headers = Object.fromEntries(
        Object.entries(server.headers).map(([name, value]) => {
          expect(value).toContain(variable)
          return [name, value.replace(variable, '')]
        }),
      )
      const token = await connectionToken(agent)
      const client = new Client({ name: 'editor', version: '1.0.0' })
      const url = new URL(pathname.replace('refund-assistant', agent), api.baseUrl)
      const authorization = `${headers.Authorization}${token}`
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }))
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['lookup_order'])
      await client.close()
    },
  )

  async function connectionToken(agent: string): Promise<string> {
    const admin = await api.client('admin-automation')
    const { items } = payload<{ items: { id: string; clientId: string }[] }>(
      await api.query(admin, 'serviceAccounts.list', { limit: 200 }),
    )
    const serviceAccountId = items.find(({ clientId }) => clientId === 'ci-pipeline')?.id
    const input = { name: `editor of ${agent}`, serviceAccountId, use: 'gateway', agents: [agent] }
    return payload<{ token: string }>(await api.mutate(admin, 'connectionTokens.create', input)).token
  }
})
