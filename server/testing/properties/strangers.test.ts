// Longer than other files: one server and its history of attempts serve every case.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newApiKey } from '#server/kernel/auth/api-key-format.ts'
import { newConnectionToken } from '#server/kernel/auth/connection-tokens/token-format.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { Browser, type Visit } from '#server/testing/auth/browser.ts'
import {
  authorizationRequest,
  authorize,
  commandLine,
  exchangeCode,
  readTokens,
  sendSignIn,
} from '#server/testing/auth/sign-in.ts'
import { type SecondNode, secondNode } from '#server/testing/processes/second-node.ts'
import { until } from '#server/testing/until.ts'
import { countCases, sized } from './counts.ts'

// What strangers can take from users: nothing but their own turns. The server runs as an operator starts it, and this
// suite is the proxy in front of it, so that requests come from as many addresses as it names.

const settings = { TRUSTED_PROXIES: '127.0.0.1,::1', TOKEN_RATE_LIMIT_PER_MINUTE: '60', LOG_LEVEL: 'info' }
const connections = 90
/** Right sign-ins during a flood, in each of two tenants. */
const visitors = sized(8, 2)
const tenants = ['globex', 'northwind'] as const
/** The addresses from which the connections of a flood come. */
type Origin = [name: string, addressOf: (connection: number) => string]

let api: TestApi
let node: SecondNode
let owner: Client
let startedAt: number
beforeAll(async () => {
  startedAt = Date.now()
  api = await startApi(settings)
  node = await secondNode(api, settings)
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
}, 180_000)
afterAll(async () => {
  await owner.end()
  await node.close()
  await api.close()
})

const forwardedFor = (address: string) => ({ 'x-forwarded-for': address })
let addresses = 0
/** An address that no test has used, in a network of its own. */
function freshAddress(): string {
  addresses += 1
  return `100.${64 + (addresses >> 8)}.${addresses & 255}.1`
}

function tenantOf(slug: string) {
  const tenant = api.credentials.tenants.find((candidate) => candidate.slug === slug)
  if (tenant === undefined) throw new Error(`no tenant ${slug}`)
  return tenant
}
const passwordOf = (slug: string, username: string): string =>
  tenantOf(slug).users.find((user) => user.username === username)?.password ?? ''

const realmAt = (slug: string, baseUrl = api.baseUrl) => `${baseUrl}/realms/${slug}`

async function formFor(browser: Browser, slug: string): Promise<Visit> {
  const { url } = authorizationRequest(realmAt(slug), commandLine)
  return await browser.follow(await browser.visit(url))
}

/** A right sign-in. Throws if it is refused. */
async function signInFrom(browser: Browser, slug: string, username: string): Promise<void> {
  const asked = authorizationRequest(realmAt(slug), commandLine)
  const code = await authorize(browser, asked, username, passwordOf(slug, username))
  await readTokens(await exchangeCode(asked, code))
}

const tokenFor = (slug: string, clientId: string, secret: string, address: string, baseUrl = api.baseUrl) =>
  fetch(`${realmAt(slug, baseUrl)}/protocol/openid-connect/token`, {
    method: 'POST',
    headers: forwardedFor(address),
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret }),
  })
const secretOf = (slug: string, clientId: string): string =>
  tenantOf(slug).clients.find((client) => client.clientId === clientId)?.clientSecret ?? ''

/** How often strangers got each status so far. */
type Statuses = Map<number, number>

/** Sends `attack` again and again on `connections` connections while `work` runs. */
async function during(
  attack: (connection: number, attempt: number) => Promise<number>,
  work: (statuses: Statuses) => Promise<unknown>,
): Promise<Statuses> {
  const statuses = new Map<number, number>()
  const all = Promise.withResolvers<void>()
  let over = false
  let answered = 0
  const flood = Array.from({ length: connections }, async (_, connection) => {
    for (let attempt = 0; !over; attempt++) {
      const status = await attack(connection, attempt)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      answered += 1
      if (answered === 10) all.resolve()
    }
  })
  // The flood is under way once strangers have been answered.
  await all.promise
  try {
    await work(statuses)
  } finally {
    over = true
    await Promise.all(flood)
  }
  return statuses
}

/** A value of `/v1/metrics` of one process. */
async function metric(name: string, baseUrl = api.baseUrl): Promise<number> {
  const headers = { authorization: `Bearer ${await api.person('omar')}` }
  const text = await (await fetch(`${baseUrl}/v1/metrics`, { headers })).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  if (line === undefined) throw new Error(`no metric ${name} in ${text}`)
  return Number(line.slice(name.length + 1))
}
const attempts = (result: string, baseUrl?: string) =>
  metric(`countersign_sign_in_attempts_total{result="${result}"}`, baseUrl)
const hashed = async (baseUrl?: string) => (await attempts('accepted', baseUrl)) + (await attempts('refused', baseUrl))

const wrong = (browser: Browser, form: Visit, username: string, baseUrl = api.baseUrl): Promise<Visit> =>
  sendSignIn(browser, { ...form, text: form.text.replaceAll(api.baseUrl, baseUrl) }, username, 'wrong')

describe('a flood of invented names on one realm’s form', () => {
  test.for<Origin>([
    ['one address', () => '198.51.100.7'],
    ['many addresses', (connection) => `198.18.${connection}.1`],
  ])('from %s delays no one else', { timeout: 120_000 }, async ([, addressOf], context) => {
    const forms = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const browser = new Browser(forwardedFor('198.51.100.7'))
        return { browser, form: await formFor(browser, 'northwind') }
      }),
    )
    /** How many strangers were served during a sign-in. */
    const served: { slug: string; before: number }[] = []
    const visit = async (slug: string, statuses: Statuses) => {
      const first = statuses.get(200) ?? 0
      await signInFrom(new Browser(forwardedFor(freshAddress())), slug, 'maria')
      served.push({ slug, before: (statuses.get(200) ?? 0) - first })
    }
    const statuses = await during(
      async (connection, attempt) => {
        const { form, browser } = at(forms, connection % forms.length)
        const action = /action="([^"]+)"/.exec(form.text)?.[1] ?? ''
        const cookie = browser.cookies(action).map(({ name, value }) => `${name}=${value}`)
        const answer = await fetch(action, {
          method: 'POST',
          redirect: 'manual',
          headers: { ...forwardedFor(addressOf(connection)), cookie: cookie.join('; ') },
          body: new URLSearchParams({ username: `invented-${connection}-${attempt}`, password: 'wrong' }),
        })
        await answer.text()
        return answer.status
      },
      (statuses) =>
        Promise.all(Array.from({ length: visitors }, () => tenants.map((slug) => visit(slug, statuses))).flat()),
    )
    expect(served).toHaveLength(2 * visitors)
    // Realms take turns, and within a realm its addresses: the other realm does not wait for one round of the flood, and
    // a colleague elsewhere for two.
    for (const { slug, before } of served)
      expect(before, slug).toBeLessThan(slug === 'globex' ? connections : 3 * connections)
    expect([...statuses.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([])
    // Names that strangers invent cause no statement of their own.
    const { rows } = await owner.query<{ name: string }>(
      `select name from rate_budgets where name like 'account/%' or name like 'pair/%'`,
    )
    expect(rows).toEqual([])
    countCases(context, served.length)
  })
})

describe('a flood of the token endpoint', () => {
  test.for<Origin>([
    ['one address', () => '198.51.100.8'],
    ['many addresses', (connection) => `198.19.${connection}.1`],
  ])('from %s stops no client', { timeout: 120_000 }, async ([, addressOf], context) => {
    const statuses: number[] = []
    const flood = await during(
      async (connection, attempt) => {
        const answer = await tokenFor('northwind', `invented-${connection}-${attempt}`, 'wrong', addressOf(connection))
        await answer.text()
        return answer.status
      },
      async () => {
        const visit = async (slug: string) => {
          const answer = await tokenFor(slug, 'ci-pipeline', secretOf(slug, 'ci-pipeline'), freshAddress())
          statuses.push(answer.status)
        }
        await Promise.all(Array.from({ length: visitors }, () => tenants.map(visit)).flat())
      },
    )
    expect(statuses).toEqual(Array.from({ length: 2 * visitors }, () => 200))
    expect([...flood.keys()].filter((status) => ![401, 429, 503].includes(status))).toEqual([])
    countCases(context, statuses.length)
  })
})

describe('an account under attack', () => {
  test('serves its holder in a known browser and at a known address, and delays strangers', async () => {
    const home = freshAddress()
    const known = new Browser(forwardedFor(home))
    await signInFrom(known, 'northwind', 'jonas')
    const refused: number[] = []
    for (let source = 0; source < 6; source++) {
      const browser = new Browser(forwardedFor(freshAddress()))
      const form = await formFor(browser, 'northwind')
      const answers = await Promise.all(Array.from({ length: 9 }, () => wrong(browser, form, 'jonas')))
      refused.push(...answers.map(({ status }) => status).filter((status) => status === 429))
    }
    // Thirty guesses of 54; of strangers, the holder's right password is refused as well.
    expect(refused).toHaveLength(24)
    await expect(signInFrom(new Browser(forwardedFor(freshAddress())), 'northwind', 'jonas')).rejects.toThrow('429')
    await signInFrom(new Browser(forwardedFor(home)), 'northwind', 'jonas')
    const abroad = new Browser(forwardedFor(freshAddress()))
    abroad.plant(known.cookies(realmAt('northwind/interaction/x')))
    await signInFrom(abroad, 'northwind', 'jonas')
    // Another account is untouched, and so is this one on the other node for the holder.
    await signInFrom(new Browser(forwardedFor(freshAddress())), 'northwind', 'anna')
  })

  test('is not opened by the cookie of a known browser, which a thief can use up without harm to its holder', async () => {
    const home = freshAddress()
    const known = new Browser(forwardedFor(home))
    await signInFrom(known, 'northwind', 'vera')
    const cookie = known.cookies(realmAt('northwind/interaction/x')).filter(({ name }) => name.endsWith('_known'))
    expect(cookie).toHaveLength(1)
    const thief = new Browser(forwardedFor(freshAddress()))
    thief.plant(cookie)
    const form = await formFor(thief, 'northwind')
    expect(form.text).toContain('type="password"')
    const answers = await Promise.all(Array.from({ length: 40 }, () => wrong(thief, form, 'vera')))
    // Ten with the cookie, and ten as a stranger.
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(20)
    await signInFrom(known, 'northwind', 'vera')
  })

  test('hashes at most ten of sixty wrong passwords that arrive together, and as many on two nodes', async (context) => {
    const before = (await hashed()) + (await hashed(node.baseUrl))
    const browser = new Browser(forwardedFor(freshAddress()))
    const form = await formFor(browser, 'northwind')
    const one = await Promise.all(Array.from({ length: 60 }, () => wrong(browser, form, 'pia')))
    const first = (await hashed()) + (await hashed(node.baseUrl)) - before
    expect(first).toBe(10)
    expect(one.filter(({ status }) => status === 200)).toHaveLength(10)
    const other = new Browser(forwardedFor(freshAddress()))
    const page = await formFor(other, 'northwind')
    const nodes = [api.baseUrl, node.baseUrl]
    const both = await Promise.all(
      Array.from({ length: 60 }, (_, index) => wrong(other, page, 'tom', at(nodes, index % 2))),
    )
    const second = (await hashed()) + (await hashed(node.baseUrl)) - before - first
    // Each further node may add a fifth before it borrows.
    expect(second).toBeLessThanOrEqual(12)
    expect(both.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(48)
    countCases(context, 120)
  })
})

/**
 * What anyone can request: a lock on a table that it reads or writes, how its statement about this table begins if the server's own
 * work has others, and the request.
 */
type Open = [
  name: string,
  lock: string,
  statement: string,
  path: (number: number) => string,
  headers?: () => Record<string, string>,
]

describe('what anyone can request uses at most three connections, and users get theirs', () => {
  const random = (bytes: number, encoding: 'hex' | 'base64url') => randomBytes(bytes).toString(encoding)
  test.for<Open>([
    [
      'the keys of a log',
      'audit_checkpoints in access exclusive mode',
      'select "date", "size", "root", "note"',
      (number) => `/.well-known/countersign/${tenantOf('northwind').externalId}/log-keys.json?seals=${number}`,
    ],
    [
      'the beginning of a sign-in',
      'realm_artifacts in share row exclusive mode',
      'insert into "realm_artifacts"',
      () => authorizationRequest(realmAt('northwind'), commandLine).url.slice(api.baseUrl.length),
    ],
    [
      'a sign-in link',
      'realm_sign_in_links in access exclusive mode',
      '',
      () => `/realms/northwind/sign-in-link/${random(32, 'base64url')}`,
    ],
    [
      'an unknown API key',
      'api_key_index in access exclusive mode',
      '',
      () => '/v1/session.me',
      () => ({ 'x-svc-api-key': newApiKey() }),
    ],
    [
      'an unknown connection token',
      'connection_token_index in access exclusive mode',
      '',
      () => '/v1/session.me',
      () => ({ authorization: `Bearer ${newConnectionToken()}` }),
    ],
    ['an image', 'branding_images in access exclusive mode', '', () => `/v1/branding/${random(32, 'hex')}`],
  ])('%s', { timeout: 60_000 }, async ([, lock, statement, path, headers = () => ({})], context) => {
    const token = await api.client('admin-automation', 'globex')
    // The keys of a realm that this process has not read yet are read in turns, too.
    expect((await api.query(token, 'session.me')).status).toBe(200)
    const ask = (number: number) =>
      fetch(`${api.baseUrl}${path(number)}`, {
        redirect: 'manual',
        headers: { ...forwardedFor(freshAddress()), ...headers() },
      }).then(async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      })
    const locking = new Client({ connectionString: api.ownerUrl })
    await locking.connect()
    await locking.query('begin')
    await locking.query("set lock_timeout = '5s'")
    await locking.query(`lock table ${lock}`)
    const flood = Array.from({ length: 40 }, (_, number) => ask(number))
    try {
      await until(
        async () => ((await waiting(lock, statement)) >= 3 ? true : undefined),
        'the strangers wait for the table',
      )
      // A realm that does not exist is looked up in the same turns.
      let found = false
      const realm = fetch(`${realmAt(`unknown-${addresses}`)}/protocol/openid-connect/certs`, {
        headers: forwardedFor(freshAddress()),
      }).then(() => {
        found = true
      })
      const users = await Promise.all(Array.from({ length: 16 }, () => api.query(token, 'session.me')))
      expect(users.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200))
      expect(await waiting(lock, statement)).toBeLessThanOrEqual(4)
      expect(found).toBe(false)
      await locking.query('rollback')
      await realm
    } finally {
      await locking.end()
    }
    const statuses = await Promise.all(flood)
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([])
    countCases(context, statuses.length)
  })

  /**
   * Connections that wait for the table with a statement that begins so: those of strangers, and at most one of the server's own
   * work, most of which begins with other statements.
   */
  async function waiting(lock: string, statement: string): Promise<number> {
    const { rowCount } = await owner.query(
      `select from pg_locks wanted join pg_stat_activity activity using (pid)
       where wanted.relation = $1::regclass and not wanted.granted and starts_with(activity.query, $2)`,
      [lock.split(' ')[0], statement],
    )
    return rowCount ?? 0
  }
})

test('a client is not locked out by guesses at its secret, from anywhere', async () => {
  const secret = secretOf('northwind', 'audit-export')
  const home = freshAddress()
  expect((await tokenFor('northwind', 'audit-export', secret, home)).status).toBe(200)
  for (const address of [home, freshAddress()]) {
    const guesses = await Promise.all(
      Array.from({ length: 75 }, () => tokenFor('northwind', 'audit-export', 'wrong', address)),
    )
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set(address === home ? [401] : [401, 429]))
  }
  expect((await tokenFor('northwind', 'audit-export', secret, home)).status).toBe(200)
  expect((await tokenFor('northwind', 'audit-export', secret, freshAddress())).status).toBe(200)
  // The other node reads from the database where the client has been served.
  expect((await tokenFor('northwind', 'audit-export', secret, home, node.baseUrl)).status).toBe(200)
})

test('what an untrusted peer says about its address changes nothing', async () => {
  const statuses: (number | undefined)[] = []
  for (let guess = 0; guess < 61; guess++)
    statuses.push(
      await guessFrom('127.0.0.3', { 'x-forwarded-for': `203.0.113.${guess}`, forwarded: `for=192.0.2.${guess}` }),
    )
  expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429])
  // The same peer's neighbour has its own share.
  expect(await guessFrom('127.0.0.4', {})).toBe(401)
})

test('the log has a bounded number of lines about strangers, each of them short and without a stack', async () => {
  for (let guess = 0; guess < 200; guess++)
    await api.request('eyJhbGciOiJub25lIn0.e30.x', '/v1/session.me', { headers: forwardedFor('198.51.100.9') })
  expect(await metric('countersign_refused_credentials_total')).toBeGreaterThanOrEqual(200)
  const home = freshAddress()
  await signInFrom(new Browser(forwardedFor(home)), 'northwind', 'omar')
  await until(
    async () =>
      api
        .logged()
        .split('\n')
        .find((line) => line.includes('"a password was accepted"') && line.includes(home)),
    'the sign-in was logged with its address',
  )
  const lines = api
    .logged()
    .split('\n')
    .filter((line) => /refused/.test(line))
  const minutes = Math.ceil((Date.now() - startedAt) / 60_000) + 1
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.length).toBeLessThanOrEqual(61 * minutes)
  expect(lines.filter((line) => line.includes('198.51.100.9')).length).toBeLessThanOrEqual(5 * 2)
  for (const line of lines) {
    expect(line.length).toBeLessThan(600)
    expect(line).not.toContain('"stack"')
  }
})

/** A wrong guess at the token endpoint by a peer with another address of this machine. */
async function guessFrom(localAddress: string, headers: Record<string, string>): Promise<number | undefined> {
  const { port, pathname } = new URL(`${realmAt('globex')}/protocol/openid-connect/token`)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const options = {
    host: '127.0.0.1',
    port,
    path: pathname,
    method: 'POST',
    localAddress,
    headers: { ...headers, ...type },
  }
  const outgoing = request(options)
  outgoing.end('grant_type=client_credentials&client_id=telemetry&client_secret=wrong')
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

function at<T>(all: readonly T[], index: number): T {
  const one = all[index]
  if (one === undefined) throw new Error(`nothing at ${index}`)
  return one
}
