import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDoctorCommand } from '#server/doctor-command.ts'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { connectOwner } from '#server/kernel/db/migrate.ts'
import { type ForeignIssuer, foreignIssuer } from '#server/testing/fakes/foreign-issuer.ts'
import { freePort } from '#server/testing/free-port.ts'

// What the command says of the provider when it can't read the tenants, and that it reads those of an embedded database that runs.

let folder: string
let keycloak: ForeignIssuer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-doctor-tenants-'))
  keycloak = await foreignIssuer()
})
afterAll(async () => {
  await keycloak.close()
  await rm(folder, { recursive: true, force: true })
})

async function doctor(settings: Record<string, string>) {
  const lines: string[] = []
  await runDoctorCommand({ DATA_DIR: folder, ...settings }, [], (line) => lines.push(line))
  return lines.filter((line) => /Provider|Database/.test(line)).join('\n')
}

test('before the first start no tenant exists, and the provider must answer', async () => {
  expect(await doctor({ AUTH_URL: keycloak.origin })).toMatch(
    /warning {2}Provider {2}no tenant exists yet\. → .*\nok {7}Provider {2}http:.* answers$/,
  )
  const down = `http://127.0.0.1:${await freePort()}`
  expect(await doctor({ AUTH_URL: down })).toContain(`FAILED   Provider  ${down} does not answer (connect ECONNREFUSED`)
})

test('the tenants of the embedded database are read while it runs; otherwise the report says that they were not', async () => {
  const embedded = await openEmbeddedDatabase({ dataDir: folder, say: () => undefined })
  try {
    const client = await connectOwner(embedded.ownerUrl)
    await client.query('create table tenants (slug text, settings jsonb)')
    const unread = await doctor({ AUTH_URL: keycloak.origin })
    await client.query('alter table tenants add external_id text')
    await client.query(`insert into tenants values ('acme', '{}', 'org-acme')`)
    await client.end()
    expect(unread).toMatch(
      /warning {2}Database {2}the embedded PostgreSQL could not be read \(column "external_id" does not exist\)/,
    )
    expect(unread).toContain('the tenants could not be read')
    const text = await doctor({ AUTH_URL: keycloak.origin })
    expect(text).toContain('ok       Database  the embedded PostgreSQL, which is running')
    expect(text).toContain(`ok       Provider  ${keycloak.realm('acme')}: 1 keys`)
    expect(text).not.toContain('no tenant exists')
    const file = join(folder, 'issuers.json')
    const portal = { audience: 'countersign', clientIds: ['portal'], algorithms: ['RS256'], tokenTypes: ['JWT'] }
    const issuers = [{ issuer: keycloak.realm('partners'), tenant: 'acme', ...portal }]
    await writeFile(file, JSON.stringify({ issuers }))
    expect(await doctor({ TRUSTED_ISSUERS: file })).toMatch(
      /warning {2}Provider {2}TRUSTED_ISSUERS: .*\/partners: a tenant with the external id acme does not exist; acme is the slug of org-acme\. → Correct/,
    )
  } finally {
    await embedded.release()
  }
  const before = await readdir(folder)
  const down = `http://127.0.0.1:${await freePort()}`
  const text = await doctor({ AUTH_URL: down })
  expect(text).toMatch(/warning {2}Provider {2}the tenants could not be read, so their realms were not checked\./)
  expect(text).toContain(`FAILED   Provider  ${down} does not answer`)
  expect(text).not.toContain('no tenant exists')
  expect(await readdir(folder)).toEqual(before)
}, 60_000)

test('a database that does not answer does not hide the provider', async () => {
  const [database, provider] = [await freePort(), await freePort()]
  const text = await doctor({
    DATABASE_URL: `postgres://x:y@127.0.0.1:${database}/z`,
    AUTH_URL: `http://127.0.0.1:${provider}`,
  })
  expect(text).toMatch(/^FAILED {3}Database /)
  expect(text).toMatch(/the tenants could not be read/)
  expect(text).toContain(`http://127.0.0.1:${provider} does not answer`)
})
