import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '#server/testing/auth/browser.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { apiProgram } from '#server/testing/processes/bundle.ts'
import { testEnvironment } from '#server/testing/processes/environment.ts'

// The operator's command as typed in a shell, next to a server without demo data on the same database.

const root = join(import.meta.dirname, '..')
let database: TestDatabase
let dataDir: string
let server: ChildProcess
let baseUrl = 'http://localhost:0'
const environment = () => ({
  ...testEnvironment,
  // The command prints addresses of the server, so it needs the server's port.
  PORT: new URL(baseUrl).port,
  SEED_DEMO: 'false',
  LOG_LEVEL: 'error',
  DATABASE_URL: database.ownerUrl,
  DATA_DIR: dataDir,
})

beforeAll(async () => {
  database = await testDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-tenant-'))
  server = spawn(process.execPath, [await apiProgram()], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (server.stdout === null) throw new Error('unreachable: it is a pipe')
  const [line] = await once(createInterface({ input: server.stdout }), 'line')
  baseUrl = String(line).replace('ready ', '')
}, 60_000)
afterAll(async () => {
  server.kill('SIGTERM')
  await once(server, 'exit')
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

type Outcome = { code: number; out: string; error: string }

/** Runs in another folder, so that the developer's .env does not affect it. */
const tenant = (...args: string[]): Promise<Outcome> => tenantAt(database.ownerUrl, args)

async function tenantAt(databaseUrl: string, args: readonly string[]): Promise<Outcome> {
  const env = { ...environment(), DATABASE_URL: databaseUrl }
  const command = [join(root, 'cli/tenant.mjs'), ...args]
  const done = promisify(execFile)(process.execPath, command, { env, cwd: dataDir })
  return await done.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, error: stderr }),
    (failure: { code: number; stdout: string; stderr: string }) => ({
      code: failure.code,
      out: failure.stdout,
      error: failure.stderr,
    }),
  )
}

const linkOf = (out: string, person: string): string =>
  new RegExp(`${person}[^\\n]*\\n\\s+(http\\S+)`).exec(out)?.[1] ?? `link for ${person} not found in ${out}`

async function setPassword(url: string, password: string): Promise<number> {
  return (await new Browser().visit(url, { password, again: password })).status
}

async function call(token: string, procedure: string, input?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${baseUrl}/v1/${procedure}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(input === undefined ? {} : { method: 'POST', body: JSON.stringify({ json: input }) }),
  })
  const body = await response.json()
  return { status: response.status, data: body.result?.data?.json, body }
}

const password = 'six quiet rivers run north'

test('a tenant is created with an administrator and approvers, who sign in with their links and work together', async () => {
  expect((await tenant('list')).out).toBe('No tenants exist yet.\n')
  const made = await tenant(
    'create',
    'acme',
    '--admin',
    'Ada@acme.example',
    '--approvers',
    'bo@acme.example,cy@acme.example',
    '--name',
    'Acme Works',
    '--external-id',
    'org-acme',
    '--groups',
    'refund-approvers',
  )
  expect(made).toMatchObject({ code: 0, error: '' })
  expect((await tenant('list')).out).toBe('acme\torg-acme\tAcme Works\n')
  for (const person of ['ada', 'bo', 'cy'])
    expect(await setPassword(linkOf(made.out, `${person}@acme.example`), password)).toBe(200)
  const ada = (await signIn(baseUrl, 'acme', 'ada', password)).accessToken
  const bo = (await signIn(baseUrl, 'acme', 'bo', password)).accessToken
  expect((await call(ada, 'tenants.current')).data).toMatchObject({ externalId: 'org-acme', displayName: 'Acme Works' })
  const { items } = (await call(ada, 'groups.list')).data
  expect(
    Object.fromEntries(
      items.map((group: { name: string; members: { username: string }[] }) => [
        group.name,
        group.members.map((member) => member.username),
      ]),
    ),
  ).toEqual({ 'change-approvers': ['bo', 'cy'], escalation: ['bo', 'cy'], 'refund-approvers': ['bo', 'cy'] })

  const invited = await call(ada, 'members.invite', {
    email: 'di@acme.example',
    displayName: 'Di',
    roles: ['approver'],
  })
  const approvalId = invited.data.change.approvalId
  const decision = { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'I know her.' }
  expect((await call(bo, 'approvals.decide', decision)).data).toMatchObject({ status: 'approved' })
  expect(await setPassword(invited.data.inviteUrl, password)).toBe(200)
  const di = (await signIn(baseUrl, 'acme', 'di', password)).accessToken
  expect((await call(di, 'session.me')).data.principal.roles).toEqual(['approver'])
}, 120_000)

test('a lost link is replaced, and a person joins another tenant', async () => {
  const made = await tenant('create', 'umbra', '--admin', 'eve@umbra.example', '--approvers', 'fin@umbra.example')
  expect(made.out).toContain('Invite a second approver.')
  const renewed = await tenant('link', 'umbra', 'fin@umbra.example')
  expect(await setPassword(linkOf(made.out, 'fin@umbra.example'), password)).toBe(410)
  expect(await setPassword(linkOf(renewed.out, 'fin@umbra.example'), password)).toBe(200)
  const joined = await tenant('join', 'umbra', '--person', 'acme/bo', '--roles', 'viewer')
  expect(joined).toMatchObject({ code: 0, out: 'bo of acme is now a member of umbra with the roles viewer.\n' })
  const bo = (await signIn(baseUrl, 'acme', 'bo', password)).accessToken
  const there = { 'x-svc-tenant-external-id': 'umbra' }
  expect((await call(bo, 'session.me', undefined, there)).data.principal).toMatchObject({
    username: 'bo@acme',
    roles: ['viewer'],
  })
  expect((await call(bo, 'tenants.list')).data.items).toHaveLength(2)
  expect((await tenant('join', 'umbra', '--person', 'acme/bo', '--roles', 'viewer')).error).toContain('already')
}, 120_000)

// Every command runs as the real program in a separate process.
describe('a failing command', () => {
  test.each([
    [['create', 'acme', '--admin', 'a@x.example', '--approvers', 'b@x.example'], 'The tenant acme already exists.'],
    [['create', 'new', '--admin', 'a@x.example', '--approvers', 'a@x.example'], 'the approver must be another person'],
    [['create', 'new', '--admin', 'a@x.example', '--approvers', ','], 'Name at least one approver'],
    [
      ['create', 'New Tenant', '--admin', 'a@x.example', '--approvers', 'b@x.example'],
      '"New Tenant" is not a valid slug. Use 2',
    ],
    [['create', 'new', '--admin', 'zoe', '--approvers', 'b@x.example'], '"zoe" is not a valid e-mail address'],
    [
      ['create', 'new', '--admin', 'a@x.example', '--approvers', 'b@x.example', '--external-id', 'a/b'],
      '"a/b" is not a valid external id. Use up to 128',
    ],
    [['link', 'acme', 'zoe'], 'The person zoe does not exist in acme.'],
    [['join', 'acme', '--person', 'nowhere/bo', '--roles', 'viewer'], 'The tenant nowhere does not exist.'],
    [['join', 'acme', '--person', 'umbra/fin', '--roles', 'king'], 'Roles "king" are not valid. Name one or more of'],
    [['seat', 'acme', '--group', 'nowhere', '--person', 'bo'], 'The group nowhere does not exist in acme.'],
    [
      ['seat', 'umbra', '--group', 'change-approvers', '--person', 'eve'],
      'eve is not an active member of umbra. Invited people become active when they set a password with their one-time link.',
    ],
    [['rotate-log-key', 'nowhere'], 'The tenant nowhere does not exist.'],
    [['rotate-evidence-key', 'nowhere'], 'The tenant nowhere does not exist.'],
    [['accept-log-head', 'nowhere'], 'The tenant nowhere does not exist.'],
  ])(
    '%j is refused in one line with exit code 1',
    async (args, message) => {
      const { code, out, error } = await tenant(...args)
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(error).toContain(message)
      expect(error.trimEnd()).not.toContain('\n')
    },
    60_000,
  )

  test('changes nothing', async () => {
    expect((await tenant('list')).out).toBe('acme\torg-acme\tAcme Works\numbra\tumbra\tUmbra\n')
  })
})

test('rotate-evidence-key prints the fingerprint of the new key', async () => {
  const { code, out } = await tenant('rotate-evidence-key', 'acme')
  expect(code).toBe(0)
  expect(out).toMatch(/^Archives of acme are now sealed with a new key.*\nsha256:[0-9a-f]{64}\n(?:[a-z]+ ?){12}\n$/)
})

test('accept-log-head prints the heads from which the log continues', async () => {
  const { code, out } = await tenant('accept-log-head', 'acme')
  expect(code).toBe(0)
  expect(out).toMatch(/^The signer of acme continues from these heads/)
  expect(out).toMatch(/^closed days: 0, root e3b0c442/m)
})

describe('an invalid command line', () => {
  const create = 'Usage: npm run tenant -- create <slug> --admin <email> --approvers <email,email> [--name <name>] '
  const join = 'Usage: npm run tenant -- join <slug> --person <home slug/user name> --roles <role,role>\n'
  const list = 'Usage: npm run tenant -- list\n'
  test.each([
    [[], 'A command is missing. Use one of:\nnpm run tenant -- create'],
    [['destroy', 'acme'], 'Unknown command "destroy". Use one of:\nnpm run tenant -- create'],
    [['--force'], 'Unknown command "--force". Use one of:\n'],
    [['list', '--force'], `Unknown option --force for list.\n${list}`],
    [['list', '-f'], `Unknown option -f for list.\n${list}`],
    [['list', 'acme'], `Unexpected argument "acme" after list.\n${list}`],
    [['list', '--', '--force'], `Unexpected argument "--force" after list.\n${list}`],
    [['create', '--admin', 'a@x.example', '--approvers', 'b@x.example'], `create needs <slug>.\n${create}`],
    [['create', '', '--admin', 'a@x.example', '--approvers', 'b@x.example'], `<slug> is empty.\n${create}`],
    [['create', 'new', '--approvers', 'b@x.example'], `create needs --admin <email>.\n${create}`],
    [['create', 'new', '--admin'], `--admin needs a value: --admin <email>.\n${create}`],
    [['create', 'new', '--admin', '--approvers', 'b@x.example'], '--admin needs a value: --admin <email>.\n'],
    [['create', 'new', '--admin='], `--admin is empty.\n${create}`],
    [
      ['create', 'new', '--admin', 'a@x.example', '--admin', 'b@x.example'],
      `--admin is given more than once.\n${create}`,
    ],
    [['create', 'new', '--__proto__', 'x'], `Unknown option --__proto__ for create.\n${create}`],
    [
      ['join', 'acme', '--person', 'bo', '--roles', 'viewer'],
      `--person "bo" must be <home slug>/<user name>.\n${join}`,
    ],
    [['join', 'acme', '--person', 'a/b/c', '--roles', 'viewer'], '--person "a/b/c" must be <home slug>/<user name>.\n'],
    [['link', 'acme', 'bo', 'cy'], 'Unexpected argument "cy" after link.\n'],
  ])(
    '%j is refused with the usage and exit code 2, before anything is opened',
    async (args, message) => {
      // A database that does not respond would cause another error.
      const { code, out, error } = await tenantAt('postgres://user@127.0.0.1:1/none', args)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(error.startsWith(message), error).toBe(true)
    },
    60_000,
  )

  test('--help lists every command, which docs/operations.md describes, and is not a failure', async () => {
    const { code, out, error } = await tenantAt('postgres://user@127.0.0.1:1/none', ['link', '--help'])
    expect({ code, error }).toEqual({ code: 0, error: '' })
    const names = ['create', 'link', 'join', 'seat', 'rotate-log-key', 'rotate-evidence-key', 'accept-log-head', 'list']
    expect(out.match(/^npm run tenant -- \S+/gm)).toEqual(names.map((name) => `npm run tenant -- ${name}`))
    const page = await readFile(`${root}/docs/operations.md`, 'utf8')
    expect(names.filter((name) => !new RegExp(`^\\| \`${name}[ \`]`, 'm').test(page))).toEqual([])
  })
})
