import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

export type ChangeRow = {
  auditId: string
  action: string
  at: Date
  actorType: string
  actorId: string
  actorName: string
  resourceId: string
  /** In the record's details. */
  named: string | null
  version: string | null
  environment: string | null
}

/** The newest records of these actions since a moment, without those that found nothing to change. */
export async function listChanges(
  tx: Transaction,
  tenantId: string,
  actions: readonly string[],
  since: Date,
  limit: number,
): Promise<ChangeRow[]> {
  const { rows } = await sql<ChangeRow>`
    select audit_id as "auditId", type as action, created_at as at, record -> 'actor' ->> 'type' as "actorType",
      record -> 'actor' ->> 'id' as "actorId",
      record -> 'actor' ->> 'name' as "actorName", record -> 'resource' ->> 'id' as "resourceId",
      record -> 'details' ->> 'name' as named, record -> 'details' ->> 'version' as version,
      record -> 'details' ->> 'environment' as environment
    from unnest(${[...actions]}::text[]) as wanted (action)
    cross join lateral (
      select audit_id, type, record, created_at, date, seq from audit_records
      where tenant_id = ${tenantId} and type = wanted.action
        and date >= ${since.toISOString().slice(0, 10)}::date and created_at >= ${since}
        and record -> 'details' -> 'repeated' is null
      order by date desc, seq desc limit ${limit}) found
    order by date desc, seq desc limit ${limit}`.execute(tx)
  return rows
}

export type Named = {
  id: string
  name: string
  objectId?: string
  version?: string
  environment?: string
  agentName?: string | null
}

/** The names of what the records are about, by the ids in them. Each table has only its own ids. */
export async function listNames(
  tx: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Named>> {
  const uuids = ids.filter((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
  if (uuids.length === 0) return new Map()
  const agents = tx.selectFrom('agents').select(['id', 'displayName as name']).where('tenantId', '=', tenantId)
  const policies = tx.selectFrom('policies').select(['id', 'name']).where('tenantId', '=', tenantId)
  const members = tx.selectFrom('members').select(['id', 'displayName as name']).where('tenantId', '=', tenantId)
  const groups = tx.selectFrom('approverGroups').select(['id', 'displayName as name']).where('tenantId', '=', tenantId)
  const found: Named[] = [
    ...(await agents.where('id', 'in', uuids).execute()).map((row) => ({ ...row, objectId: row.id })),
    ...(await policies.where('id', 'in', uuids).execute()).map((row) => ({ ...row, objectId: row.id })),
    ...(await members.where('id', 'in', uuids).execute()),
    ...(await groups.where('id', 'in', uuids).execute()),
    ...(await tx
      .selectFrom('releases as release')
      .innerJoin('agents as agent', (join) =>
        join.onRef('agent.tenantId', '=', 'release.tenantId').onRef('agent.id', '=', 'release.agentId'),
      )
      .innerJoin('agentVersions as version', (join) =>
        join.onRef('version.tenantId', '=', 'release.tenantId').onRef('version.id', '=', 'release.agentVersionId'),
      )
      .select([
        'release.id',
        'agent.displayName as name',
        'agent.id as objectId',
        'version.version',
        'release.environment',
      ])
      .where('release.tenantId', '=', tenantId)
      .where('release.id', 'in', uuids)
      .execute()),
    ...(await tx
      .selectFrom('policyBindings as binding')
      .innerJoin('policies as policy', (join) =>
        join.onRef('policy.tenantId', '=', 'binding.tenantId').onRef('policy.id', '=', 'binding.policyId'),
      )
      .leftJoin('agents as agent', (join) =>
        join.onRef('agent.tenantId', '=', 'binding.tenantId').onRef('agent.id', '=', 'binding.agentId'),
      )
      .select([
        'binding.id',
        'policy.name',
        'policy.id as objectId',
        'binding.environment',
        'agent.displayName as agentName',
      ])
      .select(sql<string>`binding.policy_version::text`.as('version'))
      .where('binding.tenantId', '=', tenantId)
      .where('binding.id', 'in', uuids)
      .execute()),
  ]
  return new Map(found.map((one) => [one.id, one]))
}
