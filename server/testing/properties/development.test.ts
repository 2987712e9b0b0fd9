import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../database.ts'
import { freePort } from '../free-port.ts'
import { testEnvironment } from '../processes/environment.ts'
import { until } from '../until.ts'

// `npm run dev` as a developer uses it. It edits two files of this tree and puts them back.

const root = join(import.meta.dirname, '../../..')
const startMs = 120_000
let database: TestDatabase
let folder: string
let development: ChildProcess
let browser: Browser
let address: string

beforeAll(async () => {
  database = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'countersign-dev-'))
  address = `http://localhost:${await freePort()}`
  development = spawn(process.execPath, [join(root, 'cli/dev.mjs')], {
    cwd: root,
    env: {
      ...testEnvironment,
      PORT: new URL(address).port,
      DATABASE_URL: database.ownerUrl,
      DATA_DIR: folder,
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const isReady = () =>
    fetch(`${address}/v1/health/ready`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    )
  await until(isReady, 'the server was ready', startMs)
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
}, 2 * startMs)

afterAll(async () => {
  await browser?.close()
  if (development.kill('SIGTERM')) await once(development, 'exit')
  await database.close()
  rmSync(folder, { recursive: true })
})

/** Runs with the file changed and puts it back. */
async function changed(file: string, from: string, to: string, meanwhile: () => Promise<void>): Promise<void> {
  const path = join(root, file)
  const before = readFileSync(path, 'utf8')
  expect(before).toContain(from)
  try {
    writeFileSync(path, before.replace(from, to))
    await meanwhile()
  } finally {
    writeFileSync(path, before)
  }
}

async function signIn(page: Page): Promise<void> {
  const { tenants } = JSON.parse(readFileSync(join(folder, 'demo-credentials.json'), 'utf8'))
  const maria = tenants[0].users.find(({ username }: { username: string }) => username === 'maria')
  await page.goto(`${address}/sign-in`)
  await page.getByRole('textbox', { name: 'Organisation' }).fill(tenants[0].slug)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: 'User name' }).fill('maria')
  await page.getByLabel('Password').fill(maria.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test(
  'signs in on the same origin, and shows a changed page without a load within two seconds',
  async () => {
    const page = await browser.newPage()
    page.setDefaultTimeout(startMs)
    await signIn(page)
    await page.getByRole('navigation').getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    await page.goto(`${address}/signed-out`)
    const title = 'title="You are signed out"'
    // The first update also compiles what updates need.
    for (const text of ['First change', 'Second change']) {
      await changed('app/(public)/signed-out/page.tsx', title, `title="${text}"`, async () => {
        const since = performance.now()
        await page.getByRole('heading', { level: 1, name: text }).waitFor()
        if (text !== 'First change') expect(performance.now() - since).toBeLessThan(2000)
      })
      await page.getByRole('heading', { level: 1, name: 'You are signed out' }).waitFor()
    }
  },
  4 * startMs,
)

test(
  'a changed route handler is answered by the server that starts again',
  async () => {
    const status = () =>
      fetch(`${address}/v1/health/live`).then(
        async (response) => String(await response.text()),
        () => 'starting',
      )
    await changed('app/v1/health/live/route.ts', "status: 'live'", "status: 'changed'", () =>
      expect.poll(status, { timeout: startMs }).toBe('{"status":"changed"}'),
    )
    await expect.poll(status, { timeout: startMs }).toBe('{"status":"live"}')
  },
  3 * startMs,
)
