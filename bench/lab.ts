import { join } from 'node:path'
import { Pool } from 'pg'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { evidenceExports } from '#server/evidence/jobs/export-jobs.ts'
import { advanceExecutions } from '#server/executions/jobs.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'

/** The server's own parts in this process, without HTTP, on a database of their own. */
export type Lab = {
  runtime: Awaited<ReturnType<typeof testRuntime>>
  tenant: TestTenant
  /** Past row-level security: for fixtures, and for what is done by hand. */
  owner: Pool
  /** Registers, proposes and starts; a service account. */
  pipeline: Caller
  /** Decides what the pipeline asks for. */
  approver: Caller
  auditor: Caller
  /** Address of the database as its owner. */
  ownerUrl: string
  close(): Promise<void>
}

const slug = 'bench'
/** The demo's tool server: a process of its own, as an operator would name it. */
const paymentsServer = join(import.meta.dirname, '..', 'server', 'demo', 'payments.ts')

export async function openLab(): Promise<Lab> {
  const payments = { command: process.execPath, args: [paymentsServer], env: {}, tenants: [`ext-${slug}`] }
  const runtime = await testRuntime({ mcpServers: { payments } })
  registerDecisions()
  // Exports are run by their case alone.
  await runtime.queue.work([advanceExecutions, expiry, { ...evidenceExports, run: () => Promise.resolve() }])
  const tenant = await testTenant(runtime, slug)
  const maria = await tenant.as('maria', { roles: ['developer', 'approver'], groups: ['change-approvers'] })
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

/** The address of a database of the run as its owner. */
function ownerUrlOf(appUrl: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  url.pathname = new URL(appUrl).pathname
  return url.href
}

/** One operation, as a transport would run it. */
export const perform = <I, O>(operation: Operation<I, O>, caller: Caller, input: unknown): Promise<O> =>
  execute(operation, caller, input, { name: 'bench' })
