// Longer than other files: each transcript is one request after the other, as its vendor publishes it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '#server/testing/api.ts'
import { type ScimServer, scimServer } from '#server/testing/scim.ts'

// The requests that Microsoft (“Develop and plan provisioning for a SCIM endpoint in Microsoft Entra ID”), Okta (“SCIM 2.0
// Protocol Reference”) and RFC 7644 publish, as they are, with the ids of this server. Compared with the vendors' pages in November 2026.
// One answer differs: a PATCH of a group returns the group, which RFC 7644 and Okta allow. Microsoft's page shows 204.

let server: ScimServer
beforeAll(async () => {
  server = await scimServer()
}, 180_000)
afterAll(() => server.close())

type Resource = {
  id: string
  userName: string
  active: boolean
  displayName?: string
  name?: Record<string, string>
  emails?: { value: string; type?: string }[]
  members?: { value: string }[]
  groups?: { value: string; display: string }[]
  meta: { location: string; version: string }
}
const resource = (answer: Answer) => answer.body as Resource
const list = (answer: Answer) =>
  answer.body as { totalResults: number; startIndex: number; itemsPerPage: number; Resources: Resource[] }
const send = async (method: string, path: string, text?: string): Promise<Answer> => {
  const answer = await server.call(method, path, text)
  if (answer.status !== 204) expect(answer.headers.get('content-type')).toBe('application/scim+json')
  return answer
}
const patchOf = (operations: string) =>
  `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [${operations}]}`

describe('Entra ID', () => {
  const create = `{
    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
    "externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    "userName": "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1",
    "active": true,
    "emails": [{"primary": true, "type": "work", "value": "Test_User_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.com"}],
    "meta": {"resourceType": "User"},
    "name": {"formatted": "givenName familyName", "familyName": "familyName", "givenName": "givenName"},
    "roles": []
  }`

  test('tests its connection with a user that does not exist', async () => {
    const answer = await send('GET', '/Users?filter=userName%20eq%20%22non-existent%20user%22')
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] }),
    ])
  })

  test('creates, finds, changes, disables and deletes a user', async () => {
    const created = await send('POST', '/Users', create)
    expect(created.status).toBe(201)
    const { id, meta } = resource(created)
    expect(created.headers.get('location')).toBe(meta.location)
    expect(resource(await send('GET', `/Users/${id}`))).toEqual(created.body)
    const filter = encodeURIComponent('userName eq "test_user_ab6490ee-1e48-479e-a20b-2d77186b5dd1"')
    expect(list(await send('GET', `/Users?filter=${filter}`)).Resources).toEqual([created.body])
    const byId = encodeURIComponent('externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"')
    expect(list(await send('GET', `/Users?filter=${byId}`)).totalResults).toBe(1)

    const changed = await send(
      'PATCH',
      `/Users/${id}`,
      patchOf(`{"op": "Replace", "path": "emails[type eq \\"work\\"].value", "value": "updatedEmail@microsoft.com"},
        {"op": "Replace", "path": "name.familyName", "value": "updatedFamilyName"}`),
    )
    expect(changed.status).toBe(200)
    expect(resource(changed)).toMatchObject({
      emails: [{ type: 'work', value: 'updatedEmail@microsoft.com', primary: true }],
      name: { familyName: 'updatedFamilyName', givenName: 'givenName' },
    })
    const renamed = await send(
      'PATCH',
      `/Users/${id}`,
      patchOf('{"op": "Replace", "path": "userName", "value": "5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com"}'),
    )
    expect(resource(renamed).userName).toBe('5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com')
    // As a boolean today, and as a text from jobs of earlier years.
    for (const [off, on] of [
      ['false', 'true'],
      ['"False"', '"True"'],
    ]) {
      const disabled = await send(
        'PATCH',
        `/Users/${id}`,
        patchOf(`{"op": "Replace", "path": "active", "value": ${off}}`),
      )
      expect(resource(disabled).active).toBe(false)
      expect(resource(await send('GET', `/Users/${id}`)).active).toBe(false)
      const enabled = await send('PATCH', `/Users/${id}`, patchOf(`{"op": "Add", "path": "active", "value": ${on}}`))
      expect(resource(enabled).active).toBe(true)
    }
    const enterprise =
      patchOf(`{"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "Claims"},
      {"op": "Add", "value": {"title": "Adjuster", "name.honorificPrefix": "Ms"}}`)
    expect(resource(await send('PATCH', `/Users/${id}`, enterprise)).name).toMatchObject({ honorificPrefix: 'Ms' })

    expect((await send('DELETE', `/Users/${id}`)).status).toBe(204)
    const gone = await send('GET', `/Users/${id}`)
    expect([gone.status, gone.body]).toEqual([
      404,
      { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404', detail: 'Not found.' },
    ])
  })

  test('creates, finds, changes and deletes a group, and moves its members', async () => {
    const user = resource(
      await send('POST', '/Users', create.replace('0a21f0f2', '1a21f0f2').replace('ab6490ee', 'bb6490ee')),
    )
    const created = await send(
      'POST',
      '/Groups',
      `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group", "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        "externalId": "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159", "displayName": "displayName", "meta": {"resourceType": "Group"}}`,
    )
    expect(created.status).toBe(201)
    const { id } = resource(created)
    expect((await send('GET', `/Groups/${id}?excludedAttributes=members`)).body).toEqual(created.body)
    const filter = encodeURIComponent('displayName eq "displayName"')
    expect(list(await send('GET', `/Groups?excludedAttributes=members&filter=${filter}`)).totalResults).toBe(1)
    const renamed = await send(
      'PATCH',
      `/Groups/${id}`,
      patchOf('{"op": "Replace", "path": "displayName", "value": "1879db59"}'),
    )
    expect(resource(renamed).displayName).toBe('1879db59')
    const member = `[{"$ref": null, "value": "${user.id}"}]`
    const joined = await send('PATCH', `/Groups/${id}`, patchOf(`{"op": "Add", "path": "members", "value": ${member}}`))
    expect(resource(joined).members).toEqual([{ value: user.id, $ref: user.meta.location, type: 'User' }])
    expect(resource(await send('GET', `/Users/${user.id}`)).groups).toMatchObject([{ value: id, display: '1879db59' }])
    const both = encodeURIComponent(`id eq "${id}" and members eq "${user.id}"`)
    expect(list(await send('GET', `/Groups?filter=${both}`)).totalResults).toBe(1)
    const left = await send(
      'PATCH',
      `/Groups/${id}`,
      patchOf(`{"op": "Remove", "path": "members", "value": ${member}}`),
    )
    expect(resource(left).members).toBeUndefined()
    expect(list(await send('GET', `/Groups?filter=${both}`)).totalResults).toBe(0)
    expect((await send('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect((await send('GET', `/Groups/${id}`)).status).toBe(404)
  })
})

describe('Okta', () => {
  const create = `{
    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
    "userName": "test.user@okta.local",
    "name": {"givenName": "Test", "familyName": "User"},
    "emails": [{"primary": true, "value": "test.user@okta.local", "type": "work"}],
    "displayName": "Test User",
    "locale": "en-US",
    "externalId": "00ujl29u0le5T6Aj10h7",
    "groups": [],
    "password": "1mz050nq",
    "active": true
  }`

  test('looks a user up, creates, replaces, deactivates and activates it', async () => {
    const byName = '/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100'
    expect(list(await send('GET', byName)).totalResults).toBe(0)
    const created = await send('POST', '/Users', create)
    expect(created.status).toBe(201)
    expect(created.text).not.toContain('1mz050nq')
    const { id } = resource(created)
    expect(list(await send('GET', byName)).Resources).toEqual([created.body])
    const again = await send('POST', '/Users', create)
    expect([again.status, again.body]).toMatchObject([409, { scimType: 'uniqueness', status: '409' }])

    // Okta reads the user, changes what it has and sends the whole.
    const whole = {
      ...(created.body as object),
      name: { givenName: 'Another', familyName: 'User' },
      displayName: 'Another User',
    }
    const replaced = await send('PUT', `/Users/${id}`, JSON.stringify(whole))
    expect(replaced.status).toBe(200)
    expect(resource(replaced)).toMatchObject({
      name: { givenName: 'Another' },
      displayName: 'Another User',
      active: true,
    })
    const off = await send('PATCH', `/Users/${id}`, patchOf('{"op": "replace", "value": {"active": false}}'))
    expect(resource(off).active).toBe(false)
    const on = await send('PUT', `/Users/${id}`, JSON.stringify({ ...whole, active: true }))
    expect(resource(on).active).toBe(true)
    const all = list(await send('GET', '/Users?startIndex=1&count=2'))
    expect([all.startIndex, all.itemsPerPage, all.Resources.length]).toEqual([
      1,
      all.Resources.length,
      all.itemsPerPage,
    ])
  })

  test('pushes a group, renames it and replaces its members', async () => {
    const make = (n: number) =>
      send('POST', '/Users', create.replace('00ujl29u', `0${n}ujl29u`).replaceAll('test.user', `user.${n}`))
    const [one, two] = [resource(await make(1)), resource(await make(2))]
    const created = await send(
      'POST',
      '/Groups',
      `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Test SCIMv2",
        "members": []}`,
    )
    expect(created.status).toBe(201)
    const { id } = resource(created)
    const first = `{"op": "add", "path": "members", "value": [{"value": "${one.id}", "display": "user.1@okta.local"}]}`
    expect((await send('PATCH', `/Groups/${id}`, patchOf(first))).status).toBe(200)
    expect(list(await send('GET', '/Groups?startIndex=1&count=100')).Resources.map((group) => group.id)).toContain(id)
    const renamed = await send(
      'PATCH',
      `/Groups/${id}`,
      patchOf(`{"op": "replace", "value": {"id": "${id}", "displayName": "Test 1"}}`),
    )
    expect(resource(renamed)).toMatchObject({ displayName: 'Test 1', members: [{ value: one.id }] })
    const moved = await send(
      'PATCH',
      `/Groups/${id}`,
      patchOf(`{"op": "remove", "path": "members[value eq \\"${one.id}\\"]"},
        {"op": "add", "path": "members", "value": [{"value": "${two.id}", "display": "user.2@okta.local"}]}`),
    )
    expect(resource(moved).members?.map(({ value }) => value)).toEqual([two.id])
    // A full push.
    const pushed = await send(
      'PATCH',
      `/Groups/${id}`,
      patchOf(
        `{"op": "replace", "path": "members", "value": [{"value": "${one.id}", "display": "user.1@okta.local"}]}`,
      ),
    )
    expect(resource(pushed).members?.map(({ value }) => value)).toEqual([one.id])
    const replaced = await send(
      'PUT',
      `/Groups/${id}`,
      `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "id": "${id}", "displayName": "Test 2",
        "members": [{"value": "${one.id}", "display": "a"}, {"value": "${two.id}", "display": "b"}]}`,
    )
    expect(
      resource(replaced)
        .members?.map(({ value }) => value)
        .sort(),
    ).toEqual([one.id, two.id].sort())
    const named = resource(await send('GET', `/Users/${one.id}`))
    expect(named.groups).toMatchObject([{ value: id, display: 'Test 2' }])
    expect((await send('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect(resource(await send('GET', `/Users/${one.id}`)).groups).toBeUndefined()
  })
})

describe('RFC 7644', () => {
  const bjensen = `{
    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
    "userName": "bjensen", "externalId": "bjensen",
    "name": {"formatted": "Ms. Barbara J Jensen III", "familyName": "Jensen", "givenName": "Barbara"}
  }`

  test('3.3, 3.4.1, 3.5.1: creates, retrieves and replaces, with versions', async () => {
    const created = await send('POST', '/Users', bjensen)
    const { id, meta } = resource(created)
    expect([created.status, created.headers.get('etag'), meta]).toEqual([
      201,
      meta.version,
      expect.objectContaining({ resourceType: 'User', location: `${server.api.baseUrl}/scim/v2/Users/${id}` }),
    ])
    const known = { headers: { 'if-none-match': meta.version } }
    expect((await server.call('GET', `/Users/${id}`, undefined, known)).status).toBe(304)
    const put = bjensen.replace(
      '"name"',
      '"emails": [{"value": "bjensen@example.com"}, {"value": "babs@jensen.org"}], "name"',
    )
    const replaced = await server.call('PUT', `/Users/${id}`, put, { headers: { 'if-match': meta.version } })
    expect(replaced.status).toBe(200)
    expect(resource(replaced).meta.version).not.toBe(meta.version)
    expect((await server.call('GET', `/Users/${id}`, undefined, known)).status).toBe(200)
    for (const [method, body] of [
      ['PUT', put],
      ['PATCH', patchOf('{"op": "replace", "path": "active", "value": false}')],
      ['DELETE', undefined],
    ] as const) {
      const stale = await server.call(method, `/Users/${id}`, body, { headers: { 'if-match': meta.version } })
      expect([method, stale.status, stale.body]).toEqual([method, 412, expect.objectContaining({ status: '412' })])
    }
    // The same again changes nothing, not even the version.
    expect(resource(await send('PUT', `/Users/${id}`, put)).meta.version).toBe(resource(replaced).meta.version)
  })

  test('3.4.2, 3.9: filters, pages and returns the wanted attributes', async () => {
    const filter = encodeURIComponent(
      'urn:ietf:params:scim:schemas:core:2.0:User:userName Eq "BJENSEN" and (active eq true or id eq "x")',
    )
    const found = list(await send('GET', `/Users?filter=${filter}&attributes=userName,name.familyName`))
    expect(found.Resources).toEqual([
      {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        id: expect.any(String),
        userName: 'bjensen',
        name: { familyName: 'Jensen' },
      },
    ])
    const without = list(await send('GET', `/Users?filter=${filter}&excludedAttributes=name,emails,meta`))
    expect(Object.keys(without.Resources[0] ?? {}).sort()).toEqual([
      'active',
      'externalId',
      'id',
      'schemas',
      'userName',
    ])
    const none = list(await send('GET', '/Users?count=0'))
    expect([none.totalResults > 0, none.itemsPerPage, none.Resources]).toEqual([true, 0, []])
    const all = list(await send('GET', '/Users?startIndex=-3&count=200'))
    const pages = []
    for (let startIndex = 1; startIndex <= all.totalResults; startIndex += 2)
      pages.push(...list(await send('GET', `/Users?startIndex=${startIndex}&count=2`)).Resources)
    expect(pages).toEqual(all.Resources)
    const search = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: 'userName eq "bjensen"',
      count: 5,
    }
    expect(list(await server.call('POST', '/Users/.search', search)).totalResults).toBe(1)
    expect(list(await server.call('POST', '/.search', search)).totalResults).toBe(1)
  })

  test('3.5.2: changes several attributes or none', async () => {
    const { id } = resource(await send('POST', '/Users', bjensen.replaceAll('bjensen', 'babs')))
    const refused = await send(
      'PATCH',
      `/Users/${id}`,
      patchOf(
        '{"op": "replace", "path": "displayName", "value": "Babs"}, {"op": "replace", "path": "groups", "value": []}',
      ),
    )
    expect([refused.status, refused.body]).toMatchObject([400, { scimType: 'mutability' }])
    expect(resource(await send('GET', `/Users/${id}`)).displayName).toBeUndefined()
    const other = await send(
      'PATCH',
      `/Users/${id}`,
      patchOf('{"op": "replace", "path": "externalId", "value": "someone-else"}'),
    )
    expect([other.status, other.body]).toMatchObject([400, { scimType: 'mutability' }])
    const taken = await send(
      'PATCH',
      `/Users/${id}`,
      patchOf('{"op": "replace", "path": "userName", "value": "BJensen"}'),
    )
    expect([taken.status, taken.body]).toMatchObject([409, { scimType: 'uniqueness' }])
  })
})
