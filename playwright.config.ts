import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { installedBrowser } from './cli/browser.mjs'
import { leftOut } from './cli/long-suites.mjs'
import { demoTenants } from './server/demo/tenants.ts'

// Workers load this file too: the first one passes its values on through the environment.
if (process.env.E2E_DIR === undefined) {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-e2e-'))
  // As root, PostgreSQL runs under another account, which needs access to this folder.
  chmodSync(directory, 0o711)
  mkdirSync(join(directory, 'gate'))
  writeFileSync(
    join(directory, 'mcp-servers.json'),
    JSON.stringify({
      mcpServers: {
        payments: {
          command: process.execPath,
          args: [join(import.meta.dirname, 'server/testing/fakes/gated-payments.ts')],
          env: { COUNTERSIGN_GATE: join(directory, 'gate') },
          tenants: demoTenants.map((tenant) => tenant.externalId),
        },
        rich: {
          command: process.execPath,
          args: [join(import.meta.dirname, 'server/testing/fakes/rich-tools.ts')],
          tenants: demoTenants.map((tenant) => tenant.externalId),
        },
      },
    }),
  )
  // An identity provider that the settings can name; no test signs in there.
  writeFileSync(
    join(directory, 'issuers.json'),
    JSON.stringify({
      issuers: [
        {
          issuer: 'https://idp.example/realms/globex',
          audience: 'countersign',
          tenant: demoTenants[1]?.externalId,
          clientIds: ['countersign-console'],
          algorithms: ['RS256'],
        },
      ],
    }),
  )
  process.env.E2E_DIR = directory
}

const directory = process.env.E2E_DIR
const port = process.env.E2E_PORT ?? '3187'
const baseURL = `http://localhost:${port}`
process.env.DEMO_CREDENTIALS = join(directory, 'data', 'demo-credentials.json')
process.env.COUNTERSIGN_GATE = join(directory, 'gate')

export default defineConfig({
  testDir: 'e2e',
  testIgnore: leftOut.map((file) => `**/${file}`),
  outputDir: 'test-results',
  fullyParallel: false,
  // Two cores: the server and its database need one.
  workers: 1,
  // A test that passes on the second try has found a defect of the page or of the test.
  retries: 0,
  timeout: 120_000,
  // For a busy machine; conditions that are already met do not wait.
  expect: { timeout: 30_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME === undefined ? 'list' : [['list'], ['json']],
  use: {
    baseURL,
    browserName: 'chromium',
    screenshot: 'only-on-failure',
    // An action that never becomes possible is named after this, instead of filling the time of its whole test.
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    launchOptions: {
      executablePath: installedBrowser(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  webServer: {
    command: `${process.execPath} cli/start.mjs`,
    url: `${baseURL}/v1/health/ready`,
    // `npm test` has built the console before; alone, this builds it.
    timeout: 180_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
    env: {
      PORT: port,
      DATA_DIR: join(directory, 'data'),
      MCP_SERVERS: join(directory, 'mcp-servers.json'),
      TRUSTED_ISSUERS: join(directory, 'issuers.json'),
      // The tests' models run on this machine.
      ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
      // The tests share two tenants; rate limits have separate tests.
      RATE_LIMIT_PER_MINUTE: '1000000',
      TOKEN_RATE_LIMIT_PER_MINUTE: '1000000',
      LOG_LEVEL: 'warn',
      // No process of an earlier version is about, so the rows of the demo are bound at once.
      ADOPT_ROWS_AFTER: '0',
      // English with accents, too, for texts that are not in the catalogs.
      CONSOLE_LANGUAGES: 'en,de,en-XA',
    },
  },
})
