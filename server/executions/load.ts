import type { JsonObject, JsonValue } from '#lib/json.ts'
import { ExecutionStatus } from '#lib/schemas/executions.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { ReleaseContent } from '#server/releases/content.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { type Masker, maskerFor } from './masking.ts'
import { findExecution, findSteps } from './store.ts'

/** One execution as a worker sees it at the beginning of a transaction. */
export type Loaded = {
  tenant: Tenant
  row: NonNullable<Awaited<ReturnType<typeof findExecution>>>
  status: ExecutionStatus
  content: ReleaseContent
  input: JsonObject
  steps: Awaited<ReturnType<typeof findSteps>>
  mask: Masker
}

export async function loadExecution(tx: Transaction, tenantId: string, id: string): Promise<Loaded | undefined> {
  const row = await findExecution(tx, tenantId, id)
  if (row === undefined) return undefined
  const content = ReleaseContent.parse(row.content)
  const steps = await findSteps(tx, tenantId, id)
  const input = row.input as JsonObject
  return {
    tenant: await tenantById(tx, tenantId),
    row,
    status: ExecutionStatus.parse(row.status),
    content,
    input,
    steps,
    mask: maskerFor(content, [input, ...steps.map((step) => step.output as JsonValue)]),
  }
}
