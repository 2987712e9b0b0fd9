// Longer than other files: one server, its sockets and its streams serve every case.
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Member } from '#lib/schemas/members.ts'
import { patiently, payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import { refresh, signIn } from '#server/testing/auth/sign-in.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// Memberships as seen over HTTP: one token in two tenants, the effect of a change on open sockets and streams, and
// one-time links.

let api: TestApi
let owner: Client
let traceId: string
beforeAll(async () => {
  api = await startApi()
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const { items } = payload<{ items: { traceId: string }[] }>(
    await api.query(await api.person('maria'), 'traces.list', {}),
  )
  traceId = items[0]?.traceId ?? ''
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const globex = { 'x-svc-tenant-external-id': 'org-globex-2041' }
const denied = '{"error":"Tenant access denied"}'

type Listed = { items: { externalId: string; roles: string[]; current: boolean }[] }
const me = async (token: string, headers = {}) =>
  payload<{ principal: { id: string; roles: string[] }; tenant: { externalId: string } }>(
    await patiently(() => api.query(token, 'session.me', undefined, headers)),
  )
const setStatus = (id: string, status: string) =>
  owner.query('update members set status = $2 where id = $1', [id, status])
const members = async (slug = 'northwind') =>
  payload<{ items: Member[] }>(await api.query(await api.person('tom', slug), 'members.list', { limit: 200 })).items
const memberNamed = async (username: string, slug = 'northwind') => {
  const found = (await members(slug)).find((member) => member.username === username && member.status !== 'removed')
  if (found === undefined) throw new Error(`unknown member ${username}`)
  return found
}
const streamPath = () => `/v1/traces.stream?input=${encodeURIComponent(JSON.stringify({ json: { traceId } }))}`

/** A live stream over HTTP: the text so far, and when it ended. */
async function openStream(token: string, headers: Record<string, string> = {}) {
  const response = await fetch(new URL(streamPath(), api.baseUrl), {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  const state = { status: response.status, text: '', endedAt: undefined as number | undefined }
  const decoder = new TextDecoder()
  const reading = (async () => {
    for await (const chunk of response.body ?? []) state.text += decoder.decode(chunk, { stream: true })
    state.endedAt = Date.now()
  })()
  return { state, reading }
}

/** A socket subscribed to the trace: the messages it received, and how it was closed. */
function openSocket(token: string, params: Record<string, string> = {}) {
  const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
  const state = {
    messages: [] as string[],
    closed: undefined as { code: number; reason: string; at: number } | undefined,
  }
  socket.on('open', () => {
    const data = { authorization: `Bearer ${token}`, ...params }
    socket.send(JSON.stringify({ method: 'connectionParams', data }))
    socket.send(
      JSON.stringify({
        id: 1,
        method: 'subscription',
        params: { path: 'traces.stream', input: { json: { traceId } } },
      }),
    )
  })
  socket.on('message', (message) => state.messages.push(String(message)))
  socket.on('close', (code, text) => {
    state.closed = { code, reason: String(text), at: Date.now() }
  })
  return { state, close: () => socket.terminate() }
}
const sent = (state: { messages: string[] }, word: string) => state.messages.find((message) => message.includes(word))

describe('one person in two tenants', () => {
  test('a token reaches the other tenant through the header, with the roles of the membership there', async () => {
    const anna = await api.person('anna')
    expect(await me(anna)).toMatchObject({
      principal: { roles: ['approver'] },
      tenant: { externalId: 'org-northwind-mutual' },
    })
    const there = await me(anna, globex)
    expect(there).toMatchObject({
      principal: { roles: ['viewer', 'approver'] },
      tenant: { externalId: 'org-globex-2041' },
    })
    const uuid = { 'x-svc-tenant-id': api.credentials.tenants[1]?.id ?? '' }
    expect(await me(anna, uuid)).toEqual(there)
    expect(
      (await api.query(anna, 'session.me', undefined, { ...uuid, 'x-svc-tenant-external-id': 'org-northwind-mutual' }))
        .text,
    ).toBe(denied)
  })

  test('concurrent calls to both stay separate', async () => {
    const anna = await api.person('anna')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        me(anna, index % 2 === 0 ? {} : globex).then((answer) => answer.tenant.externalId),
      ),
    )
    expect(answers).toEqual(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'org-northwind-mutual' : 'org-globex-2041')),
    )
  })

  test('tenants.list names only the caller’s memberships', async () => {
    const list = async (token: string, headers = {}) =>
      payload<Listed>(await api.query(token, 'tenants.list', {}, headers)).items
    const anna = await api.person('anna')
    const here = await list(anna)
    expect(
      here
        .map(({ externalId, roles, current }) => ({ externalId, roles, current }))
        .sort((a, b) => (a.externalId < b.externalId ? -1 : 1)),
    ).toEqual([
      { externalId: 'org-globex-2041', roles: ['viewer', 'approver'], current: false },
      { externalId: 'org-northwind-mutual', roles: ['approver'], current: true },
    ])
    expect((await list(anna, globex)).find((tenant) => tenant.current)?.externalId).toBe('org-globex-2041')
    expect((await list(await api.person('anna', 'globex'))).map((tenant) => tenant.externalId)).toEqual([
      'org-globex-2041',
    ])
    expect((await list(await api.client('ci-pipeline'))).map((tenant) => tenant.externalId)).toEqual([
      'org-northwind-mutual',
    ])
    const first = payload<Listed & { nextCursor: string | null }>(await api.query(anna, 'tenants.list', { limit: 1 }))
    const second = payload<Listed>(await api.query(anna, 'tenants.list', { limit: 1, cursor: first.nextCursor }))
    expect([...first.items, ...second.items]).toEqual(here)
  })

  test.each(['invited', 'suspended', 'removed'])(
    'a membership that is %s is refused on every transport with the same bytes',
    async (status) => {
      const anna = await api.person('anna')
      const { principal } = await me(anna, globex)
      await setStatus(principal.id, status)
      try {
        const answers = [
          await api.query(anna, 'tenants.current', undefined, globex),
          await api.query(anna, 'approvals.getPending', { limit: 'no number' }, globex),
          await api.mutate(anna, 'approvals.decide', {}, globex),
          await api.request(anna, '/v1/policies', { headers: globex }),
          await api.request(anna, streamPath(), { headers: { accept: 'text/event-stream', ...globex } }),
        ]
        for (const answer of answers) expect([answer.status, answer.text]).toEqual([403, denied])
        const { state, close } = openSocket(anna, { tenantExternalId: 'org-globex-2041' })
        const message = await until(async () => sent(state, 'error'), 'the socket was refused')
        expect(JSON.parse(message)).toMatchObject({
          id: null,
          error: {
            json: { message: 'Tenant access denied', data: { httpStatus: 403, reason: 'tenant_access_denied' } },
          },
        })
        expect(sent(state, '"started"')).toBeUndefined()
        await until(async () => state.closed, 'the socket was closed')
        close()
        expect(payload<Listed>(await api.query(anna, 'tenants.list', {})).items).toHaveLength(1)
        expect((await me(anna)).tenant.externalId).toBe('org-northwind-mutual')
      } finally {
        await setStatus(principal.id, 'active')
      }
      expect((await me(anna, globex)).principal.id).toBe(principal.id)
    },
  )
})

const passwordOf = (username: string): string =>
  api.credentials.tenants[0]?.users.find((user) => user.username === username)?.password ?? ''

describe('open connections when a membership changes', () => {
  test('sockets and streams of a suspended member end within a second, and those of others stay open', async () => {
    const [omar, vera, tom] = await Promise.all([api.person('omar'), api.person('maria'), api.person('tom')])
    const laptop = await signIn(api.baseUrl, 'northwind', 'omar', passwordOf('omar'))
    const socket = openSocket(omar)
    const other = openSocket(vera)
    const stream = await openStream(omar)
    await until(async () => sent(socket.state, 'span.started'), 'the socket carried a span')
    await until(async () => sent(other.state, 'span.started'), 'the other socket carried a span')
    await until(
      async () => (stream.state.text.includes('span.started') ? true : undefined),
      'the stream carried a span',
    )
    const { id } = await memberNamed('omar')
    payload(await api.mutate(tom, 'members.suspend', { id, reason: 'Lost laptop.' }))
    const closed = await until(async () => socket.state.closed, 'the socket was closed')
    await stream.reading
    expect(closed).toMatchObject({ code: 4403, reason: 'Tenant access denied' })
    expect(stream.state.text).toContain('tenant_access_denied')
    expect((await api.query(omar, 'tenants.current')).text).toBe(denied)
    expect(other.state.closed).toBeUndefined()
    payload(await api.mutate(tom, 'members.resume', { id }))
    // The lost laptop's tokens stay invalid after the member is resumed, and can't be renewed; a new sign-in works.
    expect((await api.query(omar, 'tenants.current')).status).toBe(401)
    const renewed = await refresh(`${api.baseUrl}/realms/northwind`, laptop.refreshToken)
    expect([renewed.status, await renewed.json()]).toMatchObject([400, { error: 'invalid_grant' }])
    const back = await signIn(api.baseUrl, 'northwind', 'omar', passwordOf('omar'))
    expect((await api.query(back.accessToken, 'tenants.current')).status).toBe(200)
    other.close()
  })

  test('losing a role ends them, too; a change of a membership in another tenant does not', async () => {
    const tom = await api.person('tom')
    const anna = await api.person('anna')
    const socket = openSocket(anna)
    await until(async () => sent(socket.state, 'span.started'), 'the socket carried a span')
    const guest = await memberNamed('anna@northwind', 'globex')
    expect(guest.isForeign).toBe(true)
    expect((await memberNamed('anna')).isForeign).toBe(false)
    const set = async (roles: string[], slug: string, member: Member) =>
      payload(
        await api.mutate(await api.person('tom', slug), 'members.setRoles', {
          id: member.id,
          expectedRevision: member.revision,
          roles,
        }),
      )
    await set(['viewer'], 'globex', guest)
    await set(['approver', 'operator'], 'northwind', await memberNamed('anna'))
    expect(payload(await api.query(anna, 'tenants.current'))).toBeDefined()
    expect(socket.state.closed).toBeUndefined()
    await set(['operator'], 'northwind', await memberNamed('anna'))
    expect((await until(async () => socket.state.closed, 'the socket was closed')).code).toBe(4403)
    expect((await me(anna)).principal.roles).toEqual([])
    payload(await api.query(tom, 'tenants.current'))
  })
})

describe('a one-time link', () => {
  type Invited = { member: Member; inviteUrl: string }
  const browser = () => new Browser()
  const invite = async (username: string, role = 'developer') =>
    payload<Invited>(
      await api.mutate(await api.person('tom'), 'members.invite', {
        email: `${username}@mail.example`,
        displayName: 'Nora Lind',
        roles: [role],
      }),
    )
  const password = 'six quiet rivers run north'
  const form = (text: string, again = text) => ({ username: 'ignored', password: text, again })

  test('lets the person set a password once and makes them a member who can sign in', async () => {
    const { member, inviteUrl } = await invite('nora')
    await expect(signIn(api.baseUrl, 'northwind', 'nora', '')).rejects.toThrow()
    const page = await browser().visit(inviteUrl)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Set your password for Northwind Mutual')
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    expect(page.headers.get('cache-control')).toBe('no-store')
    // Opening the link, as a mail scanner does, does not use it up.
    expect((await browser().visit(inviteUrl)).status).toBe(200)
    for (const [bad, why] of [
      [form('short'), 'at least 12 characters'],
      [form(password, `${password}!`), 'do not match'],
      [form('nora@mail.example'), 'your name'],
    ] as const) {
      const refused = await browser().visit(inviteUrl, bad)
      expect(refused.status).toBe(422)
      expect(refused.text.toLowerCase()).toContain(why)
    }
    expect((await memberNamed('nora')).status).toBe('invited')
    const results = await Promise.all([
      browser().visit(inviteUrl, form(password)),
      browser().visit(inviteUrl, form('five loud rivers run south')),
    ])
    expect(results.map((result) => result.status).sort()).toEqual([200, 410])
    expect((await browser().visit(inviteUrl)).status).toBe(410)
    expect(await memberNamed('nora')).toMatchObject({ id: member.id, status: 'active', linkExpiresAt: null })
    const chosen = results[0]?.status === 200 ? password : 'five loud rivers run south'
    const tokens = await signIn(api.baseUrl, 'northwind', 'nora', chosen)
    expect((await me(tokens.accessToken)).principal).toMatchObject({ id: member.id, roles: ['developer'] })
  })

  test('of one tenant is not valid in another, and an unknown link looks like a used one', async () => {
    const { inviteUrl } = await invite('ole')
    const elsewhere = await browser().visit(inviteUrl.replace('/realms/northwind/', '/realms/globex/'))
    const unknown = await browser().visit(inviteUrl.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))
    expect([elsewhere.status, unknown.status]).toEqual([410, 410])
    const foreign = await fetch(inviteUrl, {
      method: 'POST',
      body: new URLSearchParams(form(password)),
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    })
    expect(foreign.status).toBe(403)
    await owner.query(`update realm_sign_in_links set expires_at = now() - interval '1 second' where used_at is null`)
    expect((await browser().visit(inviteUrl, form(password))).status).toBe(410)
    expect((await memberNamed('ole')).status).toBe('invited')
  })

  test('of a removed or suspended member no longer works, nor does an older one of the same person', async () => {
    const tom = await api.person('tom')
    const { member, inviteUrl } = await invite('per')
    const second = payload<Invited>(await api.mutate(tom, 'members.resetPassword', { id: member.id }))
    expect((await browser().visit(inviteUrl)).status).toBe(410)
    expect((await browser().visit(second.inviteUrl)).status).toBe(200)
    await setStatus(member.id, 'suspended')
    expect((await browser().visit(second.inviteUrl, form(password))).status).toBe(410)
    payload(await api.mutate(tom, 'members.remove', { id: member.id, reason: 'Wrong person.' }))
    expect((await browser().visit(second.inviteUrl)).status).toBe(410)
    expect((await api.query(tom, 'tenants.current')).status).toBe(200)
  })

  test('of a reset ends the sessions and the old password; for a role that decides it needs an approval first', async () => {
    const tom = await api.person('tom')
    const { member, inviteUrl } = await invite('quinn', 'viewer')
    expect((await browser().visit(inviteUrl, form(password))).status).toBe(200)
    const tokens = await signIn(api.baseUrl, 'northwind', 'quinn', password)
    const call = async () => (await api.query(tokens.accessToken, 'tenants.current')).status
    const userinfo = () => api.request(tokens.accessToken, '/realms/northwind/protocol/openid-connect/userinfo')
    expect([await call(), (await userinfo()).status]).toEqual([200, 200])
    const reset = payload<Invited>(await api.mutate(tom, 'members.resetPassword', { id: member.id }))
    expect((await refresh(`${api.baseUrl}/realms/northwind`, tokens.refreshToken)).status).toBe(400)
    // The token issued before the reset is refused, too.
    expect([await call(), (await userinfo()).status]).toEqual([401, 401])
    await expect(signIn(api.baseUrl, 'northwind', 'quinn', password)).rejects.toThrow()
    expect((await browser().visit(reset.inviteUrl, form('nine cold stars over snow'))).status).toBe(200)
    const afterReset = await signIn(api.baseUrl, 'northwind', 'quinn', 'nine cold stars over snow')
    expect((await api.query(afterReset.accessToken, 'tenants.current')).status).toBe(200)
    expect(await call()).toBe(401)

    const vera = await memberNamed('pia')
    const asked = payload<{ inviteUrl: null; change: { approvalId: string } }>(
      await api.mutate(tom, 'members.resetPassword', { id: vera.id }),
    )
    expect(asked.inviteUrl).toBeNull()
    expect((await api.query(await api.person('pia'), 'tenants.current')).status).toBe(200)
    await approve(api, asked.change.approvalId)
    const approved = await api.mutate(tom, 'members.resetPassword', { id: vera.id })
    expect(payload<Invited>(approved).inviteUrl).toContain('/sign-in-link/')
  })
})

describe('branding', () => {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const png = (width: number) => {
    const header = Buffer.alloc(13)
    header.writeUInt32BE(width)
    header.writeUInt32BE(1, 4)
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(4)))])
  }
  const update = async (input: object, username = 'tom') =>
    await api.mutate(await api.person(username, 'globex'), 'tenants.updateBranding', input)
  const image = (mediaType: string, bytes: Buffer | string) => ({
    mediaType,
    data: Buffer.from(bytes).toString('base64'),
  })

  test('a logo is served to anyone under its digest, cacheable forever, and appears on the sign-in page', async () => {
    const bytes = png(1)
    const digest = createHash('sha256').update(bytes).digest('hex')
    const answer = payload<{ tenant: { branding: { logoUrl: string; accentColor: string } } }>(
      await update({ logo: image('image/png', bytes), accentColor: '#334455', coBranding: 'powered_by' }),
    )
    expect(answer.tenant.branding).toMatchObject({
      logoUrl: `${api.baseUrl}/v1/branding/${digest}`,
      accentColor: '#334455',
    })
    const served = await fetch(answer.tenant.branding.logoUrl)
    expect(Buffer.from(await served.arrayBuffer())).toEqual(bytes)
    expect(served.headers.get('content-type')).toBe('image/png')
    expect(served.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    for (const unknown of ['0'.repeat(64), digest.toUpperCase(), 'x'])
      expect((await api.request(undefined, `/v1/branding/${unknown}`)).status).toBe(404)
    expect((await api.request(undefined, `/v1/branding/${digest}`, { method: 'POST' })).status).toBe(405)
    const current = payload<{ branding: object }>(
      await api.query(await api.person('jonas', 'globex'), 'tenants.current'),
    )
    expect(current.branding).toEqual(answer.tenant.branding)
    const { inviteUrl } = payload<{ inviteUrl: string }>(
      await api.mutate(await api.person('tom', 'globex'), 'members.invite', {
        email: 'x@mail.example',
        displayName: 'Xenia',
        roles: [],
      }),
    )
    // The provider caches a realm for some minutes; a new process reads it again.
    await api.killAndRestart()
    const page = await new Browser().visit(inviteUrl)
    expect(page.text).toContain(`src="${answer.tenant.branding.logoUrl}"`)
    expect(page.text).toContain('Powered by Countersign')
    expect(page.headers.get('content-security-policy')).toContain(`img-src 'self' ${api.baseUrl}`)
  })

  test("an SVG is served as an image that can't run scripts", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>'
    const { tenant } = payload<{ tenant: { branding: { logoMarkUrl: string } } }>(
      await update({ logoMark: image('image/svg+xml', svg) }),
    )
    const served = await fetch(tenant.branding.logoMarkUrl)
    expect(served.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(served.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'.*sandbox/)
    expect(served.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each([
    ['not a PNG', image('image/png', 'GIF89a')],
    ['too many pixels', image('image/png', png(100_000))],
    ['HTML', image('image/svg+xml', '<html><script>alert(1)</script></html>')],
    ['a script', image('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a handler', image('image/svg+xml', '<svg onload="alert(1)"/>')],
    ['entities', image('image/svg+xml', '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>')],
    ['another type', { mediaType: 'text/html', data: 'PGI+' }],
  ])('%s is refused', async (_what, logo) => {
    expect((await update({ logo })).status).toBe(400)
  })

  test('a logo of more than 256 KiB is refused', async () => {
    expect((await update({ logo: image('image/png', Buffer.alloc(256 * 1024 + 1)) })).status).toBe(413)
    expect((await update({ logo: image('image/png', Buffer.alloc(300 * 1024)) })).status).toBe(400)
  })

  test('an update requires tenant:manage and the current revision, and removes fields that are null', async () => {
    expect(reason(await update({ logoAlt: 'x' }, 'jonas'))).toBe('forbidden')
    expect(reason(await update({ expectedRevision: 999, logoAlt: 'x' }))).toBe('revision_conflict')
    expect(reason(await update({ accentColor: 'red' }))).toBe('validation_failed')
    const { tenant } = payload<{ tenant: { branding: object } }>(await update({ logo: null, logoMark: null }))
    expect(tenant.branding).toMatchObject({ logoUrl: null, logoMarkUrl: null, accentColor: '#334455' })
  })
})
