import { knownTools } from '#server/agents/known-tools.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { insertToolSchemas, listNewestToolSchemas } from '#server/policies/decisions/decision-store.ts'
import { type SchemaTool, typedSchema } from './typed-schema.ts'

const most = 500

/**
 * The tools that a tenant's policies are written against: those that its servers offer now and, of servers that do not
 * answer, those that a release was proposed with (also of a manifest's own server). No transaction may be open meanwhile: servers are asked.
 */
export async function tenantTools(tenant: Tenant): Promise<SchemaTool[]> {
  const released = await runtime().database.inTenant(tenant.id, (tx) => listNewestToolSchemas(tx, tenant.id, most))
  const offered = await knownTools(tenant)
  return [
    ...released.map((tool) => ({ ...tool, inputSchema: tool.inputSchema as SchemaTool['inputSchema'] })),
    ...offered,
  ]
}

/** The schema of these tools. */
export const tenantSchema = async (tenant: Tenant): Promise<string> => typedSchema(await tenantTools(tenant))

/** Keeps the schemas of tools that a release pins: decisions are made, and computed again, by them. */
export const keepToolSchemas = (
  tx: Transaction,
  tenantId: string,
  tools: readonly (SchemaTool & { digest: string })[],
): Promise<void> => insertToolSchemas(tx, tenantId, tools)
