import { knownTools } from '#server/agents/known-tools.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { insertToolSchemas, listNewestToolSchemas } from '#server/policies/decisions/decision-store.ts'
import { type SchemaTool, typedSchema } from './typed-schema.ts'

const most = 500

/**
 * The tools that a tenant's policies are checked against: those its servers currently offer and, for servers that do not
 * respond or belong to a manifest, those that releases were proposed with. Calls tool servers, so no transaction may be open.
 */
export async function tenantTools(tenant: Tenant): Promise<SchemaTool[]> {
  const released = await runtime().database.inTenant(tenant.id, (tx) => listNewestToolSchemas(tx, tenant.id, most))
  const offered = await knownTools(tenant)
  return [
    ...released.map((tool) => ({ ...tool, inputSchema: tool.inputSchema as SchemaTool['inputSchema'] })),
    ...offered,
  ]
}

/** The Cedar schema of the tenant's tools. */
export const tenantSchema = async (tenant: Tenant): Promise<string> => typedSchema(await tenantTools(tenant))

/** Stores the schemas of tools that a release pins, which decisions and their recomputation use. */
export const keepToolSchemas = (
  tx: Transaction,
  tenantId: string,
  tools: readonly (SchemaTool & { digest: string })[],
): Promise<void> => insertToolSchemas(tx, tenantId, tools)
