import { createHmac, randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ConfigError } from '#server/kernel/config.ts'
import { migrate } from './migrate.ts'

// Mistakes in DATABASE_URL are reported in one clear line.

const name = `cs_migrate_${randomBytes(4).toString('hex')}`
let server: Client
beforeAll(async () => {
  server = new Client({ connectionString: process.env.TEST_DATABASE_URL })
  await server.connect()
  await server.query(`create role ${name} login password 'secret' nosuperuser nocreaterole`)
  await server.query(`create database ${name} owner ${name}`)
})
afterAll(async () => {
  await server.query(`drop database ${name} with (force)`)
  for (const role of ['server', 'keeper']) await server.query(`drop role if exists ${name}_${role}`)
  await server.query(`drop role ${name}`)
  await server.end()
})

const address = (change: (url: URL) => void) => {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  Object.assign(url, { pathname: `/${name}`, username: name, password: 'secret' })
  change(url)
  return url.href
}
const refusal = async (url: string) => {
  const error: unknown = await migrate(url).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConfigError)
  const { message } = error as ConfigError
  expect(message).toMatch(/^DATABASE_URL: [^\n]+$/)
  expect(message).not.toContain('secret')
  return message
}

test('a server that does not listen is reported', async () => {
  expect(await refusal(address((url) => Object.assign(url, { port: '1' })))).toContain('ECONNREFUSED')
})

test('a database that does not exist is reported', async () => {
  expect(await refusal(address((url) => Object.assign(url, { pathname: '/no_such_database' })))).toContain(
    'does not exist',
  )
})

test('a role without CREATEROLE is reported; with it the database is set up, repeatedly', async () => {
  const url = address(() => undefined)
  expect(await refusal(url)).toContain('CREATEROLE')
  await server.query(`alter role ${name} createrole`)
  const application = await migrate(url)
  expect(new URL(application).username).toBe(`${name}_server`)
  expect(await migrate(url)).toBe(application)
})

test('an address without a password does not give the application’s role a guessable one', async () => {
  vi.stubEnv('PGPASSWORD', 'secret')
  try {
    const url = address((open) => Object.assign(open, { password: '' }))
    await expect(migrate(url)).rejects.toThrow('needs the master key')
    const key = Buffer.alloc(32, 7)
    const application = new URL(await migrate(url, key))
    expect(await migrate(url, key)).toBe(application.href)
    const guessable = createHmac('sha256', '').update(`application role ${name}_server`).digest('hex')
    expect(application.password).not.toBe(guessable)
    expect(new URL(await migrate(url, Buffer.alloc(32, 8))).password).not.toBe(application.password)
  } finally {
    vi.unstubAllEnvs()
  }
})
