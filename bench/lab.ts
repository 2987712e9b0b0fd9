import { join } from 'node:path'
import { Pool } from 'pg'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { evidenceExports } from '#server/evidence/jobs/export-jobs.ts'
import { advanceExecutions } from '#server/executions/jobs.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'

/** The server's parts in this process, without HTTP, on a separate database. */
export type Lab = {
  runtime: Awaited<ReturnType<typeof testRuntime>>
  tenant: TestTenant
  /** Bypasses row-level security: for fixtures, and for the peers' statements. */
  owner: Pool
  /** Registers, proposes and starts; a service account. */
  pipeline: Caller
  /** Decides the pipeline's requests. */
  approver: Caller
  auditor: Caller
  /** Connection string of the database's owner. */
  ownerUrl: string
  close(): Promise<void>
}

const slug = 'bench'
/** The demo's tool server: a separate process, configured as an operator would. */
const paymentsServer = join(import.meta.dirname, '..', 'server', 'demo', 'payments-process.ts')

export async function openLab(): Promise<Lab> {
  const payments = { command: process.execPath, args: [paymentsServer], env: {}, tenants: [`ext-${slug}`] }
  const runtime = await testRuntime({ mcpServers: { payments } })
  registerDecisions()
  // Only the export case runs exports.
  await runtime.queue.work([advanceExecutions, expiry, { ...evidenceExports, run: () => Promise.resolve() }])
  const tenant = await testTenant(runtime, slug)
  const maria = await tenant.as('maria', { roles: ['developer', 'approver'], groups: ['change-approvers'] })
  // As in an installation: until its adoption has ended, each write asks whether it has.
  if (!(await adoptTenant(tenant.id))) throw new Error('The rows could not be bound.')
  const ownerUrl = ownerUrlOf(runtime.database.url)
  const owner = new Pool({ connectionString: ownerUrl, max: 8 })
  return {
    runtime,
    tenant,
    owner,
    ownerUrl,
    approver: await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] }),
    auditor: await tenant.as('vera', { roles: ['auditor'] }),
    pipeline: await tenant.as('ci-pipeline', {
      roles: ['developer'],
      kind: 'service_account',
      createdBy: maria.principal.memberId,
    }),
    async close() {
      await owner.end()
      await closeToolServers()
      await closeEngine()
      await runtime.close()
    },
  }
}

/** The connection string of a database of this run, as its owner. */
function ownerUrlOf(appUrl: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  url.pathname = new URL(appUrl).pathname
  return url.href
}

/** One operation, as a transport would run it. */
export const perform = <I, O>(operation: Operation<I, O>, caller: Caller, input: unknown): Promise<O> =>
  execute(operation, caller, input, { name: 'bench' })
