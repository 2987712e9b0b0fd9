import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { UsageError } from './command-line.ts'
import { runDoctorCommand } from './doctor-command.ts'
import { startApi, type TestApi } from './testing/api.ts'
import { emptyDatabase } from './testing/database.ts'
import { type ForeignIssuer, foreignIssuer, newPair, type TokenOptions } from './testing/fakes/foreign-issuer.ts'
import { s3Server, s3Settings } from './testing/fakes/s3-server.ts'
import { startTimeStamps } from './testing/fakes/time-stamps.ts'
import { freePort } from './testing/free-port.ts'

// `npm run doctor` against a real server, and against what can be wrong with an installation.

let api: TestApi
let folder: string
let empty: Awaited<ReturnType<typeof emptyDatabase>>
beforeAll(async () => {
  api = await startApi()
  empty = await emptyDatabase()
}, 180_000)
afterAll(async () => {
  await api.close()
  await empty.close()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-doctor-'))
  return () => rm(folder, { recursive: true })
})
afterEach(() => vi.unstubAllEnvs())

/** What the command says with these settings. */
async function doctor(settings: Record<string, string | undefined>) {
  const lines: string[] = []
  const fine = await runDoctorCommand({ DATA_DIR: folder, ...settings }, [], (line) => lines.push(line))
  return { fine, text: lines.join('\n') }
}
const ofServer = () => ({
  BASE_URL: api.baseUrl,
  DATABASE_URL: api.ownerUrl,
  DATA_DIR: join(api.gate, '../data'),
})

test('a running installation fails nowhere, and gets a line for each part', async () => {
  const { fine, text } = await doctor(ofServer())
  expect(text).not.toContain('FAILED')
  expect(fine).toBe(true)
  for (const line of [
    /^ok {7}Settings {2}valid/m,
    /^ok {7}Folders {3}DATA_DIR: .* MiB free$/m,
    /^ok {7}Database {2}PostgreSQL \d\d\.\d+$/m,
    /^ok {7}Database {2}all migrations of this version have been applied$/m,
    /^ok {7}Database {2}\d\d+ tables of tenants force row-level security$/m,
    /^ok {7}Clock {5}differs from the database’s by 0 seconds$/m,
    /^ok {7}Keys {6}the master key is the one that encrypted the tenants’ keys$/m,
    /^ok {7}Provider {2}this server signs people in$/m,
    /^warning {2}Mail {6}SMTP_URL is not set: .* → /m,
    /^ok {7}Address {3}requests arrive without a proxy, from (127\.0\.0\.1|::1)$/m,
    /^ok {7}Address {3}that server works on this database$/m,
    /^ok {7}Address {3}WebSockets pass$/m,
    /^0 failed, (?:1 warning|(?:0|[2-9]|\d\d+) warnings), \d+ fine\.$/m,
  ])
    expect(text).toMatch(line)
})

test('nothing is changed: neither a key nor a table is created', async () => {
  const { fine, text } = await doctor({ DATABASE_URL: empty.ownerUrl, DATA_DIR: join(folder, 'new') })
  expect(fine).toBe(true)
  expect(text).toMatch(/empty: the first start applies \d+ migrations/)
  expect(text).toContain('the first start creates')
  await expect(chmod(join(folder, 'new'), 0o700)).rejects.toThrow('ENOENT')
  const owner = new Client({ connectionString: empty.ownerUrl })
  await owner.connect()
  const { rows } = await owner.query(`select count(*)::int as count from pg_tables where schemaname = 'public'`)
  await owner.end()
  expect(rows).toEqual([{ count: 0 }])
})

describe('it fails, and says what to do,', () => {
  test.each<[string, () => Promise<Record<string, string>> | Record<string, string>, RegExp]>([
    [
      'for an invalid setting',
      () => ({ PORT: 'x', ROLES: 'y' }),
      /^FAILED {3}Settings {2}PORT must be .*\nFAILED {3}Settings {2}ROLES must be /m,
    ],
    [
      'for a public address without TLS',
      () => ({ BASE_URL: 'http://countersign.example' }),
      /FAILED {3}Settings {2}BASE_URL is .* → Put a proxy/,
    ],
    [
      'for a port that browsers refuse',
      () => ({ BASE_URL: 'http://localhost:6000' }),
      /FAILED {3}Address {3}http:\/\/localhost:6000 has a port that browsers and fetch refuse\. → Use another port\./,
    ],
    [
      'for a file that is wrong',
      async () => {
        await writeFile(join(folder, 'issuers.json'), '{')
        return { TRUSTED_ISSUERS: join(folder, 'issuers.json') }
      },
      /FAILED {3}Settings {2}TRUSTED_ISSUERS: /,
    ],
    [
      'for a folder that others can read',
      async () => {
        await chmod(folder, 0o755)
        return {}
      },
      /FAILED {3}Folders {3}DATA_DIR: other accounts .* → chmod 700/,
    ],
    [
      'for a key that others can read',
      async () => {
        await writeFile(join(folder, 'master.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o644 })
        return {}
      },
      /FAILED {3}Keys {6}Other accounts .* → chmod 600/,
    ],
    [
      'for another key than the one of the tenants',
      () => ({ ...ofServer(), MASTER_KEY: Buffer.alloc(32, 9).toString('base64') }),
      /FAILED {3}Keys {6}The master key is not the one/,
    ],
    [
      'for a lost key',
      () => ({ DATABASE_URL: api.ownerUrl }),
      /FAILED {3}Keys {6}The database has tenants, but the master key is missing here/,
    ],
    [
      'for a database that does not answer',
      async () => ({ DATABASE_URL: `postgres://x:y@127.0.0.1:${await freePort()}/z` }),
      /FAILED {3}Database {2}DATABASE_URL: the database .* → Check DATABASE_URL/,
    ],
    [
      'for a mail server that does not answer',
      async () => ({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` }),
      /FAILED {3}Mail {6}127\.0\.0\.1:\d+: .* → Check SMTP_URL/,
    ],
    [
      'for a sink that does not answer',
      async () => {
        const port = await freePort()
        const place = { kind: 'syslog', host: '127.0.0.1', port }
        const sinks = [{ name: 'soc', tenants: ['unknown'], ...place }]
        await writeFile(join(folder, 'siem.json'), JSON.stringify({ sinks }))
        return { ...ofServer(), SIEM_SINKS: join(folder, 'siem.json') }
      },
      /FAILED {3}SIEM {6}soc: 127\.0\.0\.1:\d+: .* → Check its address[^\n]*\nwarning {2}SIEM {6}soc: a tenant with the external id unknown/,
    ],
    [
      'for stores and an authority that do not answer',
      async () => {
        const port = await freePort()
        vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${port}`)
        const stores = { EXPORT_STORE: 's3://evidence', SIGNER_MEMORY: 's3://memory/of' }
        return { ...stores, TSA_URL: `http://127.0.0.1:${port}/tsr` }
      },
      /FAILED {3}Stores {4}EXPORT_STORE: the bucket evidence can't be reached .*\nFAILED {3}Stores {4}SIGNER_MEMORY: .*\nFAILED {3}Stores {4}TSA_URL: 127\.0\.0\.1:\d+: .* → Check the address/,
    ],
    [
      'for an identity provider that does not answer',
      async () => ({ ...ofServer(), AUTH_URL: `http://127.0.0.1:${await freePort()}` }),
      /FAILED {3}Provider {2}http:.*\/realms\/globex.* → From this machine, open/,
    ],
  ])('%s', async (_name, settings, expected) => {
    const { fine, text } = await doctor(await settings())
    expect(text).toMatch(expected)
    expect(fine).toBe(false)
  })

  test('for a table of tenants without forced row-level security', async () => {
    const owner = new Client({ connectionString: api.ownerUrl })
    await owner.connect()
    await owner.query('alter table saved_views no force row level security')
    const { fine, text } = await doctor(ofServer())
    await owner.query('alter table saved_views force row level security')
    await owner.end()
    expect(text).toMatch(/FAILED {3}Database {2}Row-level security is not forced for saved_views\./)
    expect(fine).toBe(false)
  })
})

test('stores and a time-stamping authority get a line each, and nothing is written', async () => {
  const [store, authority] = [await s3Server(), await startTimeStamps()]
  try {
    for (const [name, value] of Object.entries(s3Settings(store.url))) vi.stubEnv(name, value)
    const { text } = await doctor({
      AWS_ENDPOINT_URL_S3: store.url,
      EXPORT_STORE: 's3://evidence/archives',
      SIGNER_MEMORY: 's3://other',
      TSA_URL: authority.url,
    })
    expect(text).toContain('ok       Stores    EXPORT_STORE: the bucket evidence answers, and lets this server read')
    expect(text).toMatch(/FAILED {3}Stores {4}SIGNER_MEMORY: the bucket other answers NoSuchBucket\. → Check the name/)
    expect(text).toMatch(/ok {7}Stores {4}TSA_URL: .* has stamped random bytes/)
    expect(text).not.toContain('versions')
    store.setVersioning('Enabled')
    expect((await doctor({ AWS_ENDPOINT_URL_S3: store.url, EXPORT_STORE: 's3://evidence' })).text).toMatch(
      /warning {2}Stores {4}EXPORT_STORE: the bucket evidence has versions, so it keeps archives .* → Let a lifecycle rule/,
    )
    store.failWith(() => ({ status: 403, code: 'AccessDenied' }))
    const denied = await doctor({
      AWS_ENDPOINT_URL_S3: store.url,
      EXPORT_STORE: 's3://evidence',
      SIGNER_MEMORY: 's3://evidence/memory',
    })
    expect(denied.text).toMatch(
      /warning {2}Stores {4}EXPORT_STORE: the bucket evidence answers 403 \(AccessDenied\)\. → Check the account; it needs .*s3:ListBucket/,
    )
    expect(denied.text).toMatch(
      /FAILED {3}Stores {4}SIGNER_MEMORY: the bucket evidence answers 403 \(AccessDenied\)\. → Check the account; it needs s3:GetObject, s3:PutObject and s3:ListBucket\./,
    )
    expect(store.objects.size).toBe(0)
  } finally {
    await Promise.all([store.close(), authority.close()])
  }
})

test('a proxy that the server does not trust, and a server of another database, are found by what it tells the operator alone', async () => {
  const { port } = new URL(api.baseUrl)
  let withoutDatabase = false
  const proxy = createServer((req, res) => {
    const list = [req.headers['x-forwarded-for'], req.socket.remoteAddress].join(', ')
    const headers = { ...req.headers, 'x-forwarded-for': list }
    req.pipe(
      request({ host: 'localhost', port, path: req.url, method: req.method, headers }, (answer) => {
        if (!withoutDatabase) {
          res.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(res)
          return
        }
        void json(answer).then((body) => {
          const { database: _, ...seen } = (body as { seen?: Record<string, unknown> }).seen ?? {}
          res.end(JSON.stringify({ ...(body as object), seen }))
        })
      }),
    )
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const through = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  try {
    const { text } = await doctor({ ...ofServer(), BASE_URL: through })
    expect(text).toMatch(
      /FAILED {3}Address {3}the proxy at (127\.0\.0\.1|::1) is not in TRUSTED_PROXIES: .* → Set TRUSTED/,
    )
    const stranger = await fetch(`${through}/v1/health/ready`, { headers: { 'x-countersign-operator': '1.ab' } })
    expect(await stranger.json()).toEqual({ status: 'ready' })
    // A restored copy has the keys of the original, but another database.
    const copy = { ...ofServer(), DATABASE_URL: empty.ownerUrl }
    expect((await doctor(copy)).text).toMatch(
      /^FAILED {3}Address {3}that server works on another database than these settings name\. → Set BASE_URL/m,
    )
    await copyFile(join(ofServer().DATA_DIR, 'master.key'), join(folder, 'master.key'))
    expect((await doctor({ BASE_URL: api.baseUrl })).text).toMatch(
      /^FAILED {3}Address {3}that server works on another database: the one in DATA_DIR is not running\. → Set/m,
    )
    // A server of a version before doesn't say on which it works.
    withoutDatabase = true
    const older = (await doctor({ ...copy, BASE_URL: through })).text
    expect(older).toMatch(/FAILED {3}Address {3}the proxy at .* is not in TRUSTED_PROXIES/)
    expect(older).not.toContain('that server works on')
    withoutDatabase = false
    const otherKey = { ...ofServer(), BASE_URL: through, MASTER_KEY: Buffer.alloc(32, 9).toString('base64') }
    expect((await doctor(otherKey)).text).toMatch(
      /warning {2}Address {3}the server does not say what it saw .* another installation .* → See/,
    )
  } finally {
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  }
})

describe('with another identity provider', () => {
  let keycloak: ForeignIssuer
  beforeAll(async () => {
    keycloak = await foreignIssuer()
  })
  afterAll(() => keycloak.close())

  test('its keys and metadata are checked for each tenant', async () => {
    const { text } = await doctor({ ...ofServer(), AUTH_URL: keycloak.origin })
    for (const slug of ['globex', 'northwind'])
      expect(text).toContain(`ok       Provider  ${keycloak.realm(slug)}: 1 keys`)
    expect(text).toMatch(/FAILED {3}Provider {2}.* does not offer PKCE with S256/)
  })

  test('a token of a machine is checked claim by claim', async () => {
    const answerWith = async (claims: Record<string, unknown>, options?: TokenOptions) => {
      const token = await keycloak.token('northwind', claims, options)
      const keys = keycloak.keys.map(({ jwk }) => jwk)
      keycloak.instead = (path, res) => {
        if (path.endsWith('/token')) json200(res, { access_token: token })
        else if (path.endsWith('/certs')) json200(res, { keys })
        else res.writeHead(404).end()
      }
      const machine = { COUNTERSIGN_TENANT: 'northwind', COUNTERSIGN_CLIENT_ID: 'ci', COUNTERSIGN_CLIENT_SECRET: 's' }
      const { text } = await doctor({ ...ofServer(), AUTH_URL: keycloak.origin, ...machine })
      keycloak.instead = undefined
      return text.split('\n').filter((line) => line.includes('the token of ci'))
    }
    const right = await answerWith({})
    expect(right.filter((line) => !line.startsWith('ok'))).toEqual([])
    expect(right.at(-1)).toContain('the token of ci: as the API accepts it')
    expect(right.join('\n')).toContain('roles are developer')
    const wrong = (await answerWith({ aud: 'account', realm_access: { roles: ['x'] } })).join('\n')
    expect(wrong).toMatch(/FAILED .*not aud contains countersign → Add an audience mapper/)
    expect(wrong).toMatch(
      /FAILED .*not roles are known → Give the service account a role in the claim realm_access\.roles/,
    )

    // What the API refuses, too: a key that is not published, another clock, and a life of days.
    const unpublished = await newPair()
    const now = Math.floor(Date.now() / 1000)
    const refused = (await answerWith({ iat: now + 600, exp: now + 9 * 86_400 }, { pair: unpublished })).join('\n')
    expect(refused).toMatch(/FAILED .*: not signed by a key that the provider publishes .* → It publishes /)
    expect(refused).toMatch(
      /FAILED .*: not issued in the past .* → It was issued (600|599) seconds in the future: set the/,
    )
    expect(refused).toMatch(/FAILED .*: not valid for at most a day .* → Let access tokens live/)
    expect(refused).not.toContain('as the API accepts it')
    const published = keycloak.keys[0]
    const others: [Record<string, unknown>, TokenOptions, RegExp][] = [
      [{}, { pair: { ...unpublished, kid: published?.kid ?? '' } }, /not signed with the private key of that kid → /],
      [{}, { pair: { ...unpublished, alg: 'PS256', kid: published?.kid ?? '' } }, /not alg is PS256 → .* RS256/],
      [{ exp: now - 60 }, {}, /not still valid → It expired 6\d seconds ago/],
      [{ sub: undefined }, {}, /not one with a usable subject \(sub\) → /],
      [{ typ: 'ID' }, {}, /not as the API accepts it → The API refuses it: the token is not an access token\./],
      [{ tenant: 'ext-other' }, {}, /not as the API accepts it → The API refuses it: the token names a tenant/],
    ]
    for (const [claims, options, expected] of others)
      expect((await answerWith(claims, options)).join('\n')).toMatch(expected)

    // As the tenant reads roles.
    const owner = new Client({ connectionString: api.ownerUrl })
    await owner.connect()
    const set = (settings: object) =>
      owner.query(`update tenants set settings = settings || $1 where slug = 'northwind'`, [JSON.stringify(settings)])
    const roleMapping = [{ issuer: keycloak.realm('northwind'), name: 'cs-operators', role: 'operator' }]
    await set({ roleClaim: 'groups', roleMapping })
    const mapped = (await answerWith({ groups: ['cs-operators', 'x'] })).join('\n')
    const unmapped = (await answerWith({ groups: ['x'] })).join('\n')
    await set({ roleClaim: 'realm_access.roles', roleMapping: [] })
    await owner.end()
    expect(mapped).toContain('roles are operator')
    expect(unmapped).toMatch(/not roles are known → Give the service account a role in the claim groups, .* names x\.$/)
  })
})

const json200 = (res: ServerResponse, body: object) =>
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

test('a line is printed when it is known: before a later check has begun', async () => {
  const lines: string[] = []
  let before: string[] = []
  const mail = createNetServer((socket) => {
    before = [...lines]
    socket.destroy()
  })
  await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve))
  const smtpUrl = `smtp://127.0.0.1:${(mail.address() as AddressInfo).port}`
  await runDoctorCommand({ DATA_DIR: folder, SMTP_URL: smtpUrl }, [], (line) => lines.push(line))
  await new Promise((resolve) => mail.close(resolve))
  expect(before.join('\n')).toMatch(/^ok {7}Settings/)
  expect(before.length).toBeLessThan(lines.length)
})

test('arguments are refused', async () => {
  await expect(runDoctorCommand({}, ['--fix'], () => undefined)).rejects.toThrow(UsageError)
})
