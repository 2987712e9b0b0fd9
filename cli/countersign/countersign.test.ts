// Longer than other files: every part of the program is tested on one server, whose start takes longest.
import { createHash } from 'node:crypto'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import { authorize } from '#server/testing/auth/sign-in.ts'
import { type CommandLine, commandLine, type Ended } from '#server/testing/command-line.ts'

// The program as users run it, in a process of its own, against a real server.

let api: TestApi
let cli: CommandLine
beforeAll(async () => {
  ;[api, cli] = await Promise.all([startApi(), commandLine()])
}, 180_000)
afterAll(async () => {
  await cli.close()
  await api.close()
})

const json = ({ code, out, error }: Ended) => {
  if (code !== 0) throw new Error(`${code}: ${error}`)
  return JSON.parse(out)
}

/** The environment of a service account of the demo. */
function as(clientId: string): Record<string, string> {
  const [tenant] = api.credentials.tenants
  const secret = tenant?.clients.find((client) => client.clientId === clientId)?.clientSecret ?? ''
  return {
    COUNTERSIGN_URL: api.baseUrl,
    COUNTERSIGN_TENANT: tenant?.slug ?? '',
    COUNTERSIGN_CLIENT_ID: clientId,
    COUNTERSIGN_CLIENT_SECRET: secret,
  }
}

/** A server that answers with `answer` and counts. */
async function fakeServer(answer: (path: string) => { status: number; body: unknown }) {
  const paths: string[] = []
  const server: Server = createServer((req, res) => {
    paths.push(`${req.method} ${req.url}`)
    const { status, body } = answer(req.url ?? '')
    res.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, paths, close: () => new Promise((resolve) => server.close(resolve)) }
}

describe('operations', () => {
  test('are called with flags, with JSON from a file or the standard input, and by their dotted name', async () => {
    const environment = as('ci-pipeline')
    const listed = json(await cli.run(['agents', 'list', '--limit', '1'], environment))
    expect(listed.items).toHaveLength(1)
    const id = listed.items[0].id
    await writeFile(join(cli.folder, 'input.json'), JSON.stringify({ id }))
    const asked: [string[], string?][] = [
      [['agents', 'get', '--id', id]],
      [['agents', 'get', '--json', '@input.json']],
      [['agents', 'get', '--json', '-'], JSON.stringify({ id })],
      [['call', 'agents.get', '--id', id]],
    ]
    for (const [args, input] of asked)
      expect(json(await cli.run(args, environment, input)).name).toBe(listed.items[0].name)
    expect(json(await cli.run(['executions', 'input-waits', 'list'], environment)).items).toEqual(expect.any(Array))
  })

  test('of routes are called with path, query string and body where the route expects them', async () => {
    const environment = as('ci-pipeline')
    const policies = json(await cli.run(['policies', 'list'], environment)).items
    const made = json(
      await cli.run(['policies', 'create', '--name', 'from-cli', '--description', 'By the command line'], environment),
    )
    expect(policies).not.toContainEqual(expect.objectContaining({ name: 'from-cli' }))
    const versions = await cli.run(['policy-versions', 'list', '--policy-id', made.id, '--limit', '5'], environment)
    expect(json(versions).items).toEqual([])
  })

  test('may have a field with the name of one of the program’s own flags', async () => {
    const { items } = json(await cli.run(['audit', 'list', '--limit', '1'], as('audit-export')))
    const args = [
      'traces',
      'verify',
      '--tenant',
      api.credentials.tenants[0]?.externalId ?? '',
      '--audit-id',
      items[0].auditId,
    ]
    expect(json(await cli.run(args, as('audit-export'))).verified).toEqual(expect.any(Boolean))
  })

  test('print JSON without a terminal, a line for each item as ndjson, and a table on a terminal', async () => {
    const environment = as('ci-pipeline')
    const lines = await cli.run(['approvals', 'get-pending', '--output', 'ndjson'], environment)
    expect(
      lines.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toContain('pending')
    const shown = await cli.onTerminal(['approvals', 'get-pending'], environment)
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/^approvalId +status +title/) })
    expect(shown.out).toMatch(/pending +Issue refund/)
  })

  test('are described with types, permission and an example, without a server', async () => {
    const { code, out } = await cli.run(['approvals', 'decide', '--help'])
    expect(code).toBe(0)
    expect(out).toMatch(/--decision <approve\|reject\|escalate> +required/)
    expect(out).toContain('Permission: approval:decide')
    expect((await cli.run(['session', 'choose-language', '--help'])).out).toContain(
      '--language <en|de>  required, or --no-language for null\n',
    )
    expect(out).toContain('Example: countersign approvals decide --json')
  })
})

test('an API key from the environment is a credential', async () => {
  const admin = await api.client('admin-automation')
  const { key } = payload<{ key: string }>(
    await api.mutate(admin, 'secrets.createApiKey', { name: 'from the command line', permissions: ['decisions:read'] }),
  )
  const environment = { COUNTERSIGN_URL: api.baseUrl, COUNTERSIGN_API_KEY: key }
  const { items } = json(await cli.run(['approvals', 'get-pending'], environment))
  expect(items).toContainEqual(expect.objectContaining({ status: 'pending' }))
  // Its scope contains nothing else.
  expect(await cli.run(['agents', 'list'], environment)).toMatchObject({ code: 1, out: '' })
  const wrong = { ...environment, COUNTERSIGN_API_KEY: `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}` }
  expect(await cli.run(['approvals', 'get-pending'], wrong)).toMatchObject({ code: 3, out: '' })
})

test('npx starts it from the clone', async () => {
  // Bundles the program first, unless the one in dist is of this tree.
  const { code, out, error } = await cli.fromClone(['catalog', 'show', 'approvals.decide'])
  expect([code, JSON.parse(out).permission], error).toEqual([0, 'approval:decide'])
  expect(await cli.fromClone(['agents', 'lst'])).toMatchObject({ code: 2, out: '' })
}, 300_000)

const anId = '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01'
const aMonth = ['evidence', 'create', '--from', '2026-01-01', '--to', '2026-02-01']

describe('wrong usage', () => {
  test.each([
    [['approvals', 'get', '--approval-id', '5'], '--approval-id: "5". Must be a uuid.'],
    [['approvals', 'get'], '--approval-id: missing. Required, a uuid.'],
    [['approvals', 'get', '--json', '{"approvalId": 5}'], 'approvalId: 5. Must be a string.'],
    [['agents', 'list', '--limit', 'many'], '--limit: "many". Must be an integer.'],
    [['agents', 'list', '--limit', '1000'], '--limit: 1000. Must be at least 1, at most 200.'],
    [['agents', 'list', '--colour', 'red'], "Unknown option '--colour'"],
    [['agents', 'list', 'extra'], 'Unexpected argument: extra.'],
    [['agents', 'list', '--json', '{'], '--json: "{" is not valid JSON.'],
    [['agents', 'list', '--json', '@nowhere.json'], 'nowhere.json can’t be read: no such file or directory.\n'],
    [['agents', 'list', '--output', 'xml'], '--output: "xml". Must be one of table, json, ndjson.'],
    [['agents', 'lst'], 'Unknown command: agents lst. See agents activity, '],
    [['call', 'agents.lst'], 'Unknown operation: agents.lst. See agents.activity, '],
    [['files', 'upload', 'nowhere'], 'nowhere is not a file.'],
    [['executions', 'input-waits', 'lst'], 'lst. See executions input-waits '],
    [['telemetry', 'send', 'nowhere'], 'nowhere can’t be read: no such file or directory.\n'],
    [['traces', 'follow'], 'Give either --trace-id or --execution-id.'],
    [['traces', 'follow', '--trace-id', 'ab'.repeat(16), '--execution-id', anId], 'Give either --trace-id or'],
    [aMonth.slice(0, 4), '--to: missing. Required, a day such as 2026-01-31, or a time such as'],
    [['evidence', 'create', '--from', 'yesterday', '--to', '2026-02-01'], '--from: "yesterday". Must be a day such as'],
    [
      ['evidence', 'create', '--start-date', 'today', '--to', '2026-02-01'],
      '--start-date: "today". Must be a day such',
    ],
    [[...aMonth, '--out', 'new.zip', '--key', 'foo'], '--key: "foo". A fingerprint has 64 hexadecimal digits'],
    [
      ['evidence', 'verify', 'countersign.mjs', '--key', 'foo'],
      '--key: "foo". A fingerprint has 64 hexadecimal digits',
    ],
    [['evidence', 'verify', 'countersign.mjs', '--witness', 'foo'], '--witness: "foo". A witness’s key has the form'],
    [
      ['evidence', 'verify', 'countersign.mjs', '--keys', 'nowhere'],
      'nowhere can’t be read: no such file or directory.',
    ],
    [['evidence', 'verify', 'countersign.mjs', '--tsa', '.'], '. can’t be read: illegal operation on a directory.'],
    // The program itself is in the folder.
    [[...aMonth, '--out', 'countersign.mjs'], 'countersign.mjs exists already. Add --overwrite to replace it.'],
    [['evidence', 'download', '--export-id', anId, '--out', 'countersign.mjs'], 'countersign.mjs exists already.'],
    [['files', 'download', anId, '--out', 'countersign.mjs'], 'countersign.mjs exists already.'],
    [['files', 'download', anId, '--out', '.', '--overwrite'], '. is a folder.'],
    [['files', 'download', anId, '--out', 'nowhere/file.bin'], '--out: nowhere is not a folder.'],
    [['files', 'download', anId, '--out', 'countersign.mjs/file.bin'], '--out: countersign.mjs is not a folder.'],
    [['evidence', 'download', '--export-id', anId, '--out', 'nowhere/new.zip'], '--out: nowhere is not a folder.'],
    [[...aMonth, '--out', 'nowhere/new.zip'], '--out: nowhere is not a folder.'],
    [['files', 'download', anId, '--out', 'a'.repeat(300)], 'can’t be read: name too long.'],
    [['audit', 'file', '--out', 'nowhere/audit.csv'], '--out: nowhere is not a folder.'],
  ])('%j exits with 2, states the rule, and sends nothing', async (args, message) => {
    const server = await fakeServer(() => ({ status: 200, body: {} }))
    const { code, out, error } = await cli.run(args, { COUNTERSIGN_URL: server.url, COUNTERSIGN_TOKEN: 'unused' })
    await server.close()
    expect({ code, out, error }).toEqual({ code: 2, out: '', error: expect.stringContaining(message) })
    expect(server.paths).toEqual([])
  })
})

describe('failures', () => {
  test('a refusal exits with 1, with code and request id; as JSON on request', async () => {
    const unknown = ['executions', 'get', '--id', '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01']
    const { code, out, error } = await cli.run(unknown, as('ci-pipeline'))
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toMatch(/^Not found\. \(not_found, request [0-9a-f-]{36}\)\n$/)
    const asJson = await cli.run([...unknown, '--output', 'json'], as('ci-pipeline'))
    expect(JSON.parse(asJson.error)).toMatchObject({ error: 'Not found.', code: 'not_found', httpStatus: 404 })
    expect((await cli.run(['metrics', 'read'], as('audit-export'))).code).toBe(1)
  })

  test('a server that is not there exits with 4, as does one that fails', async () => {
    const server = await fakeServer(() => ({ status: 503, body: { error: 'Later.', code: 'unavailable' } }))
    const failing = await cli.run(['tenants', 'current'], { COUNTERSIGN_URL: server.url, COUNTERSIGN_TOKEN: 'unused' })
    await server.close()
    expect(failing).toMatchObject({ code: 4, error: expect.stringContaining('Later. (unavailable)') })
    // A single call is not repeated: the caller knows whether that is safe.
    expect(server.paths).toHaveLength(1)
    const gone = await cli.run(['tenants', 'current'], { COUNTERSIGN_URL: server.url, COUNTERSIGN_TOKEN: 'unused' })
    expect(gone).toMatchObject({ code: 4, error: expect.stringContaining(`${server.url} can’t be reached`) })
  })

  test('without a credential, and with one that the server refuses, it exits with 3', async () => {
    const none = await cli.run(['tenants', 'current'], { COUNTERSIGN_URL: api.baseUrl })
    expect(none).toMatchObject({ code: 3, error: expect.stringContaining('countersign login') })
    const refused = { COUNTERSIGN_URL: api.baseUrl, COUNTERSIGN_TOKEN: 'expired' }
    expect((await cli.run(['tenants', 'current'], refused)).code).toBe(3)
    expect(
      (await cli.run(['tenants', 'current'], { ...as('ci-pipeline'), COUNTERSIGN_CLIENT_SECRET: 'wrong' })).code,
    ).toBe(3)
  })

  test('a redirect is not followed, because it could lead a credential elsewhere', async () => {
    const other = await fakeServer(() => ({ status: 200, body: {} }))
    const server = createServer((_req, res) => res.writeHead(302, { location: other.url, connection: 'close' }).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code } = await cli.run(['tenants', 'current'], { COUNTERSIGN_URL: url, COUNTERSIGN_API_KEY: 'key' })
    expect(code).toBe(4)
    expect(other.paths).toEqual([])
    await other.close()
    server.close()
  })

  test('a token that expired on the server is renewed, and the call is repeated', async () => {
    const environment = { ...as('ci-pipeline'), COUNTERSIGN_CONFIG_DIR: join(cli.folder, 'spoiled') }
    json(await cli.run(['tenants', 'current'], environment))
    const path = join(cli.folder, 'spoiled', 'profiles.json')
    const store = JSON.parse(await readFile(path, 'utf8'))
    for (const token of Object.values<{ accessToken: string }>(store.tokens)) token.accessToken = 'ended'
    await writeFile(path, JSON.stringify(store))
    expect(json(await cli.run(['tenants', 'current'], environment)).externalId).toBe(
      api.credentials.tenants[0]?.externalId,
    )
    const renewed = JSON.parse(await readFile(path, 'utf8')).tokens
    expect(Object.values(renewed)).toEqual([
      { accessToken: expect.stringMatching(/^ey/), expiresAt: expect.any(Number) },
    ])
  })
})

describe('a folder of configuration', () => {
  test('that can’t be written does not keep a service account from calling', async () => {
    // A file is in the place of the folder, so that nothing can be read or created there, not even by root.
    await writeFile(join(cli.folder, 'occupied'), '')
    const environment = { ...as('ci-pipeline'), COUNTERSIGN_CONFIG_DIR: join(cli.folder, 'occupied', 'countersign') }
    expect(json(await cli.run(['tenants', 'current'], environment)).externalId).toBe(
      api.credentials.tenants[0]?.externalId,
    )
  })

  test('with a damaged file is named, and what to do about it', async () => {
    const folder = join(cli.folder, 'damaged')
    await mkdir(folder)
    await writeFile(join(folder, 'profiles.json'), '{"profiles":')
    const { code, error } = await cli.run(['tenants', 'current'], {
      COUNTERSIGN_URL: api.baseUrl,
      COUNTERSIGN_CONFIG_DIR: folder,
    })
    expect([code, error]).toEqual([
      2,
      expect.stringContaining('profiles.json is not valid JSON. Delete it and sign in again.'),
    ])
  })
})

describe('the catalog', () => {
  test('equals that of its server, and lists and shows every operation', async () => {
    const environment = as('ci-pipeline')
    expect(await cli.run(['catalog', 'diff'], environment)).toMatchObject({ code: 0, out: '[]\n' })
    const served = payload<{ operations: { name: string }[] }>(
      await api.query(await api.client('ci-pipeline'), 'catalog.list'),
    ).operations
    const listed = json(await cli.run(['catalog', 'list'])).map(({ name }: { name: string }) => name)
    expect(listed).toEqual([...new Set(served.map(({ name }) => name))].sort())
    expect(json(await cli.run(['catalog', 'show', 'approvals.decide'])).permission).toBe('approval:decide')
  })

  test('differs from that of a server without an operation, whose call is then refused', async () => {
    const catalog = payload<{ operations: { name: string }[] }>(
      await api.query(await api.client('ci-pipeline'), 'catalog.list'),
    )
    const operations = catalog.operations.filter(({ name }) => name !== 'agents.retire')
    const server = await fakeServer((path) =>
      path.startsWith('/v1/catalog.list')
        ? { status: 200, body: { result: { data: { json: { digest: 'sha256:other', operations } } } } }
        : { status: 404, body: { error: 'Procedure not found.', code: 'not_found' } },
    )
    const environment = { COUNTERSIGN_URL: server.url, COUNTERSIGN_TOKEN: 'unused' }
    const found = await cli.run(['catalog', 'diff'], environment)
    expect(found.code).toBe(5)
    expect(JSON.parse(found.out)).toEqual([
      { operation: 'agents.retire', change: 'missing', details: ['POST /v1/agents.retire'] },
    ])
    const call = ['agents', 'retire', '--id', '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01', '--expected-revision', '1']
    const refused = await cli.run([...call, '--reason', 'Replaced.'], environment)
    await server.close()
    expect(refused).toMatchObject({ code: 1, error: 'Procedure not found. (not_found)\n' })
  })
})

/** Signs a person in as `countersign login` asks for it. */
async function signInAs(username: string, profile: string): Promise<number | null> {
  const child = cli.start(['login', '--url', api.baseUrl, '--tenant', 'northwind', '--profile', profile])
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  if (child.stderr === null) throw new Error('unreachable: stderr is a pipe')
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /^Sign in at (\S+)$/.exec(line)?.[1]
    if (url === undefined) continue
    const query = new URL(url).searchParams
    const [redirectUri = '', state = ''] = [query.get('redirect_uri') ?? '', query.get('state') ?? '']
    const password = api.credentials.tenants[0]?.users.find((user) => user.username === username)?.password ?? ''
    const client = { clientId: 'countersign-cli', redirectUri }
    const realmUrl = `${api.baseUrl}/realms/northwind`
    const code = await authorize(new Browser(), { realmUrl, url, client, verifier: '', state }, username, password)
    // Only the answer that carries the state counts.
    expect((await fetch(`${redirectUri}?code=forged&state=other`)).status).toBe(404)
    expect((await fetch(`${redirectUri}?${new URLSearchParams({ code, state })}`)).status).toBe(200)
  }
  return await closed
}

const profilesIn = async () => JSON.parse(await readFile(join(cli.folder, 'config', 'profiles.json'), 'utf8')).profiles

describe('a sign-in', () => {
  test('is not begun at a server that does not answer, or for an organisation that it does not have', async () => {
    const unknown = await cli.run(['login', '--url', api.baseUrl, '--tenant', 'northwnd'])
    expect(unknown).toMatchObject({
      code: 1,
      error: expect.stringContaining('does not have an organisation "northwnd"'),
    })
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    await new Promise((resolve) => closed.close(resolve))
    const absent = await cli.run(['login', '--url', url, '--tenant', 'northwind'])
    expect(absent).toMatchObject({ code: 4, error: expect.stringContaining(`${url} can’t be reached`) })
    for (const { error } of [unknown, absent]) expect(error).not.toContain('Sign in at')
  })

  test('by code and PKCE is kept in a file that only its owner can read, is renewed, and ends with logout', async () => {
    expect(await signInAs('vera', 'vera')).toBe(0)
    const path = join(cli.folder, 'config', 'profiles.json')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(cli.folder, 'config'))).mode & 0o777).toBe(0o700)
    const me = json(await cli.run(['whoami', '--profile', 'vera']))
    expect(me).toMatchObject({ credential: 'profile vera', server: api.baseUrl, principal: { username: 'vera' } })

    // Two processes find the token expired: the provider sees the refresh token once.
    const store = JSON.parse(await readFile(path, 'utf8'))
    store.profiles.vera.expiresAt = 0
    await writeFile(path, JSON.stringify(store))
    const both = await Promise.all([1, 2].map(() => cli.run(['tenants', 'current', '--profile', 'vera'])))
    expect(both.map(({ code, error }) => [code, error])).toEqual([
      [0, ''],
      [0, ''],
    ])
    const renewed = (await profilesIn()).vera
    expect(renewed.refreshToken).not.toBe(store.profiles.vera.refreshToken)

    expect((await cli.run(['logout', '--profile', 'vera'])).code).toBe(0)
    expect(await profilesIn()).toEqual({})
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'countersign-cli',
      refresh_token: renewed.refreshToken,
    })
    const again = await api.request(undefined, '/realms/northwind/protocol/openid-connect/token', {
      method: 'POST',
      body,
    })
    expect(again.status).toBe(400)
    expect((await cli.run(['tenants', 'current', '--profile', 'vera', '--url', api.baseUrl])).code).toBe(3)
  })

  test('of one server is not sent to another', async () => {
    expect(await signInAs('jonas', 'jonas')).toBe(0)
    const other = await fakeServer(() => ({ status: 200, body: {} }))
    const { code, error } = await cli.run(['tenants', 'current', '--profile', 'jonas', '--url', other.url])
    await other.close()
    expect({ code, error }).toEqual({
      code: 3,
      error: expect.stringContaining(`The profile jonas is for ${api.baseUrl}.`),
    })
    expect(other.paths).toEqual([])
  })
})

describe('longer work', () => {
  test('an execution is started and followed until it waits; its request is watched until it is decided', async () => {
    const [agent] = json(await cli.run(['agents', 'list'], as('ci-pipeline'))).items
    const follower = cli.start(
      [
        'executions',
        'start',
        '--agent-id',
        agent.id,
        '--environment',
        'production',
        '--input',
        '{"orderId":"A-1001"}',
        '--follow',
      ],
      as('ci-pipeline'),
    )
    const closed = new Promise<number | null>((resolve) => follower.once('close', resolve))
    if (follower.stdout === null || follower.stderr === null) throw new Error('unreachable: both are pipes')
    const lines: string[] = []
    createInterface({ input: follower.stdout }).on('line', (line) => lines.push(line))
    const first = await createInterface({ input: follower.stderr })[Symbol.asyncIterator]().next()
    const executionId = /^Execution (\S+)$/.exec(String(first.value))?.[1]
    const pending = async (): Promise<{ approvalId: string } | undefined> => {
      const { items } = json(await cli.run(['approvals', 'get-pending'], as('ci-pipeline')))
      for (const { approvalId } of items) {
        const approval = json(await cli.run(['approvals', 'get', '--approval-id', approvalId], as('ci-pipeline')))
        if (approval.subjectId === executionId) return approval
      }
      return undefined
    }
    await expect.poll(pending).toBeDefined()
    const approvalId = (await pending())?.approvalId ?? ''
    const watcher = cli.run(['approvals', 'watch', '--approval-id', approvalId], as('ci-pipeline'))
    const decision = [
      'approvals',
      'decide',
      '--approval-id',
      approvalId,
      '--decision',
      'reject',
      '--decision-acknowledged',
    ]
    expect(await signInAs('jonas', 'jonas')).toBe(0)
    expect(json(await cli.run([...decision, '--reason', 'Not owed.', '--profile', 'jonas'])).status).toBe('rejected')
    const watched = await watcher
    const statuses = watched.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).approval.status)
    expect([watched.code, statuses.at(-1)]).toEqual([0, 'rejected'])
    // The execution did not succeed.
    expect(await closed).toBe(1)
    expect(lines.join('\n')).toContain('"span.started"')
  })

  test('files come back as they were sent', async () => {
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
    await writeFile(join(cli.folder, 'sent.bin'), content)
    const stored = json(await cli.run(['files', 'upload', 'sent.bin'], as('ci-pipeline')))
    expect(stored).toMatchObject({ name: 'sent.bin', bytes: content.length })
    await writeFile(join(cli.folder, 'got.bin'), 'older')
    const download = ['files', 'download', stored.id, '--out', 'got.bin']
    expect((await cli.run(download, as('ci-pipeline'))).code).toBe(2)
    expect(await readFile(join(cli.folder, 'got.bin'), 'utf8')).toBe('older')
    expect((await cli.run([...download, '--overwrite'], as('ci-pipeline'))).code).toBe(0)
    expect((await readFile(join(cli.folder, 'got.bin'))).equals(content)).toBe(true)
  })

  test('events and spans are sent from files', async () => {
    const correlation = JSON.stringify({ executionId: '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01', input: 'confirmation' })
    const event = [
      'events',
      'send',
      '--idempotency-key',
      'cli-1',
      '--correlation',
      correlation,
      '--data',
      '{"yes":true}',
    ]
    expect(json(await cli.run(event, as('ci-pipeline'))).result).toBe('accepted')
    expect(json(await cli.run(event, as('ci-pipeline'))).result).toBe('duplicate')
    const span = {
      traceId: 'ab'.repeat(16),
      spanId: 'cd'.repeat(8),
      name: 'from the command line',
      startTimeUnixNano: `${Date.now()}000000`,
      endTimeUnixNano: `${Date.now()}000000`,
    }
    await writeFile(
      join(cli.folder, 'otlp.json'),
      JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    )
    expect(json(await cli.run(['telemetry', 'send', 'otlp.json'], as('telemetry')))).toEqual({})
    const trace = json(await cli.run(['traces', 'get-trace', '--trace-id', span.traceId], as('telemetry')))
    expect(trace.spans).toMatchObject([{ name: span.name }])
  })

  test('evidence is created, downloaded and verified; a changed archive exits with 5', async () => {
    const today = new Date().toISOString().slice(0, 10)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const made = await cli.run(
      ['evidence', 'create', '--from', today, '--to', tomorrow, '--out', 'evidence.zip'],
      as('audit-export'),
    )
    const report = JSON.parse(made.out)
    // The server of the tests does not bind all rows to the log, which completeness requires.
    expect(report.verdicts).toMatchObject({ integrity: 'holds', completeness: 'not checked', freshness: 'holds' })
    const known = ['evidence', 'verify', 'evidence.zip', '--key', report.fingerprint]
    const verified = await cli.run(known, { COUNTERSIGN_URL: api.baseUrl })
    const { verdicts, everything } = JSON.parse(verified.out)
    expect(verdicts.origin).toBe('holds')
    expect(everything).toBe(Object.values(verdicts).every((verdict) => verdict === 'holds'))
    expect([made.code, verified.code]).toEqual([report.everything ? 0 : 5, everything ? 0 : 5])
    const offline = await cli.run(known)
    expect([offline.code, JSON.parse(offline.out).verdicts.freshness]).toEqual([5, 'not checked'])
    const bytes = await readFile(join(cli.folder, 'evidence.zip'))
    // The first bit of the first file says whether its first block is the last. One further on may only write the same content in
    // another way: three in a thousand bytes of a script do.
    const first = 30 + bytes.readUInt16LE(26)
    bytes[first] = (bytes[first] ?? 0) ^ 1
    await writeFile(join(cli.folder, 'changed.zip'), bytes)
    const changed = await cli.onTerminal(['evidence', 'verify', 'changed.zip', '--key', report.fingerprint])
    expect([changed.code, changed.out]).toEqual([5, expect.stringContaining('This archive is not valid.')])
  })
})

/** A server whose answers are written by hand, to break them. */
async function rawServer(answer: (req: IncomingMessage, res: ServerResponse) => void) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { environment: { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: 'unused' }, close: () => void server.close() }
}

describe('a lost connection', () => {
  test('of a stream is opened again after the last event; three losses without an event end it', async () => {
    const resumed: (string | undefined)[] = []
    const server = await rawServer((req, res) => {
      resumed.push(req.headers['last-event-id']?.toString())
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      const event = (id: number) => `id: ${id}\ndata: {"json":{"type":"span.ended","span":{"name":"n${id}"}}}\n\n`
      if (resumed.length === 1) res.write(event(1), () => res.destroy())
      else res.end(`${event(2)}event: return\ndata: \n\n`)
    })
    const args = ['traces', 'follow', '--trace-id', 'ab'.repeat(16)]
    const { code, out } = await cli.run(args, server.environment)
    server.close()
    expect([
      code,
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).span.name),
    ]).toEqual([0, ['n1', 'n2']])
    expect(resumed).toEqual([undefined, '1'])

    let asked = 0
    const broken = await rawServer((_req, res) => {
      asked += 1
      res.destroy()
    })
    expect((await cli.run(args, broken.environment)).code).toBe(4)
    broken.close()
    expect(asked).toBe(3)
  })

  test('of a download continues where it broke, and the digest decides about the result', async () => {
    const archive = Buffer.from('an archive of evidence '.repeat(20_000))
    const sha256 = createHash('sha256').update(archive).digest('hex')
    const ranges: (string | undefined)[] = []
    const exportId = '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01'
    const job = { exportId, status: 'completed', archiveBytes: archive.length, sha256, pollTimeoutMs: 1000 }
    const server = await rawServer((req, res) => {
      if (!req.url?.endsWith('/download')) {
        res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(job))
        return
      }
      ranges.push(req.headers.range)
      const half = archive.length / 2
      const start = Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1] ?? 0)
      const headers = { 'content-type': 'application/zip', etag: '"one"', 'content-length': archive.length - start }
      res.writeHead(start === 0 ? 200 : 206, headers)
      if (start > 0) res.end(archive.subarray(start))
      // The connection breaks when the program has written what it got.
      else res.write(archive.subarray(0, half), () => void written(half).finally(() => res.destroy()))
    })
    const written = (bytes: number) =>
      expect
        .poll(() =>
          stat(join(cli.folder, 'resumed.zip.part')).then(
            ({ size }) => size,
            () => 0,
          ),
        )
        .toBeGreaterThanOrEqual(bytes)
    const create = ['evidence', 'create', '--from', '2026-01-01', '--to', '2026-02-01', '--out', 'resumed.zip']
    const { code, error } = await cli.run(create, server.environment)
    server.close()
    expect(ranges).toHaveLength(2)
    expect(ranges[1]).toMatch(/^bytes=[1-9]\d*-$/)
    expect((await readFile(join(cli.folder, 'resumed.zip'))).equals(archive)).toBe(true)
    // It is not a ZIP, which the verifier finds.
    expect([code, error]).toEqual([5, expect.stringContaining(`sha256:${sha256}`)])
  })
})

test('completion offers commands, operations and flags', async () => {
  const words = async (...before: string[]) =>
    (await cli.run(['completion', 'words', '--', ...before])).out.trim().split('\n')
  expect(await words()).toEqual(expect.arrayContaining(['approvals', 'login', 'whoami']))
  expect(await words('approvals')).toEqual(expect.arrayContaining(['decide', 'get-pending', 'watch']))
  expect(await words('approvals', 'decide')).toEqual(expect.arrayContaining(['--approval-id', '--json', '--output']))
  expect(await words('approvals', 'decide', '--decision')).toEqual(['approve', 'reject', 'escalate'])
  expect(await words('approvals', 'decide', '--decision', '=')).toEqual(['approve', 'reject', 'escalate'])
  expect(await words('approvals', 'decide', '--decision', 'approve')).toContain('--reason')
  expect(await words('session', 'choose-language', '--language')).toEqual(['en', 'de'])
  expect(await words('session', 'choose-language')).toEqual(expect.arrayContaining(['--language', '--no-language']))
  expect(await words('approvals', 'decide', '--reason')).toEqual([''])
  expect(await words('approvals', 'decide', '--decision-acknowledged')).toContain('--reason')
  expect(await words('executions', 'start')).toEqual(expect.arrayContaining(['--agent-id', '--follow', '--json']))
  expect(await words('evidence', 'verify')).toEqual(expect.arrayContaining(['--key', '--previous', '--witness']))
  expect(await words('evidence', 'verify')).not.toContain('--json')
  expect(await words('evidence', 'create')).toEqual(expect.arrayContaining(['--from', '--purpose', '--overwrite']))
  expect(await words('login')).toEqual(expect.arrayContaining(['--no-browser', '--url']))
  expect(await words('guard', '--host')).toContain('cursor')
  expect(await words('whoami', '-o')).toEqual(['table', 'json', 'ndjson'])
  expect(await words('call')).toContain('approvals.decide')
  expect(await words('call', 'approvals.decide', '--decision')).toContain('escalate')
  for (const shell of ['bash', 'zsh', 'fish'])
    expect((await cli.run(['completion', shell])).out).toContain('countersign completion words')
})
