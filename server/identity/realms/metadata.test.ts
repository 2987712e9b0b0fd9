import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'

// Through the whole server, because pages answer every address that no part of it claims.
let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(async () => {
  await api.close()
})

const inserted = '/.well-known/oauth-authorization-server'
const get = (path: string, init?: RequestInit) => fetch(`${api.baseUrl}${path}`, init)

test('the metadata of a realm is the same at the path of RFC 8414 and below the realm, for any origin', async () => {
  const headers = { origin: 'https://client.example' }
  const known = await get('/realms/northwind/.well-known/openid-configuration', { headers })
  const [origin, below] = [known.headers.get('access-control-allow-origin'), await known.json()]
  expect(origin).toBe('https://client.example')
  expect(below).toMatchObject({ issuer: `${api.baseUrl}/realms/northwind` })
  for (const path of [`${inserted}/realms/northwind`, `${inserted}/realms/northwind?a=b`]) {
    const answer = await get(path, { headers })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(await answer.json()).toEqual(below)
  }
})

test.each(['/realms/nowhere', '/realms/%20', '/realms/NORTHWIND'])('%s does not have metadata there', async (realm) => {
  expect((await get(`${inserted}${realm}`)).status).toBe(404)
})

test.each(['', '/realms/', '/realms/northwind/', '/realms/northwind/protocol/openid-connect/certs', '/v1/catalog'])(
  'the path reaches nothing but metadata: %j',
  async (rest) => {
    const answer = await get(`${inserted}${rest}`)
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toMatch(/"(issuer|keys|operations)"/)
  },
)
