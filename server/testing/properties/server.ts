import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { loadConfig } from '#server/kernel/config.ts'
import { applicationName } from '#server/kernel/db/application-name.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { runtime, setRuntime } from '#server/kernel/runtime.ts'
import { serve } from '#server/serve.ts'
import { testDatabase } from '#server/testing/database.ts'
import { noPages } from '#server/testing/no-pages.ts'

export type ProofSettings = {
  /** Connections of the API's pool. */
  poolSize?: number
  /** The API's statements bypass row-level security, so that only the predicates of the stores separate tenants. */
  pastRowSecurity?: boolean
}

export type PropertyServer = {
  baseUrl: string
  /** A connection that bypasses grants and row-level security, to check that rows have not changed. */
  owner: Client
  close(): Promise<void>
}

/**
 * Starts the real server over HTTP, without the demo, in the suite's process, so that the suite can create tenants and
 * callers with any permissions by calling the product's functions. `externalIds` names the tenants that may use the
 * payments tools.
 */
export async function startPropertyServer(
  externalIds: readonly string[],
  { poolSize, pastRowSecurity = false }: ProofSettings = {},
): Promise<PropertyServer> {
  const source = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-proof-'))
  const payments = {
    command: process.execPath,
    args: [join(import.meta.dirname, '../fakes/gated-payments.ts')],
    env: { COUNTERSIGN_GATE: join(folder, 'gate'), COUNTERSIGN_TOOL_DATA: join(folder, 'payments') },
    tenants: externalIds,
  }
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { payments } }))
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: source.ownerUrl,
    DATA_DIR: join(folder, 'data'),
    MCP_SERVERS: join(folder, 'mcp.json'),
    SEED_DEMO: 'false',
    // The longest property test runs for more than half an hour on a busy machine.
    ACCESS_TOKEN_TTL: '86400',
    // The property tests call more often than a tenant may by default, and from one address.
    RATE_LIMIT_PER_MINUTE: '1000000000',
    TOKEN_RATE_LIMIT_PER_MINUTE: '1000000000',
    // They prepare rows by SQL, which would count as tampering.
    ADOPT_ROWS_AFTER: '86400',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'error',
  })
  const server = await serve(config, () => undefined, noPages)
  const { database, log } = runtime()
  const other = openDatabase(pastRowSecurity ? source.ownerUrl : database.url, log, { poolSize })
  setRuntime({ ...runtime(), database: other })
  // Named like a process of this version: past row-level security the server has the same role, and would wait for an older one.
  const owner = new Client({ connectionString: source.ownerUrl, application_name: applicationName() })
  await owner.connect()
  return {
    baseUrl: server.baseUrl,
    owner,
    async close() {
      await owner.end()
      await server.close()
      await other.close()
      await source.close()
      await rm(folder, { recursive: true })
    },
  }
}
