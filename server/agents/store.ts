import { sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { listOf, pageLimit, usualRows } from '#server/kernel/db/statements/steady-plan.ts'

export const findAgentByName = (tx: Transaction, tenantId: string, name: string) =>
  tx.selectFrom('agents').selectAll().where('tenantId', '=', tenantId).where('name', '=', name).executeTakeFirst()

export const findAgent = (tx: Transaction, tenantId: string, id: string) =>
  tx.selectFrom('agents').selectAll().where('tenantId', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Of very many agents, the newest are searched. */
const mostSearched = 5000

/** The newest whose names contain all words, which are in lower case. */
export const listAgentsSaying = (tx: Transaction, tenantId: string, words: readonly string[], limit: number) =>
  tx
    .selectFrom((e) =>
      e
        .selectFrom('agents')
        .select(['id', 'name', 'displayName', 'status', 'createdAt'])
        .where('tenantId', '=', tenantId)
        .orderBy('id', 'desc')
        .limit(mostSearched)
        .as('newest'),
    )
    .selectAll()
    .where(
      sql<boolean>`not exists (
        select from unnest(${[...words]}::text[]) word (text) where position(word.text in lower(name || ' ' || display_name)) = 0)`,
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Returns those of the names under which no agent is registered. */
export async function listUnknownAgents(
  tx: Transaction,
  tenantId: string,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return []
  const rows = await tx
    .selectFrom('agents')
    .select('name')
    .where('tenantId', '=', tenantId)
    .where('name', 'in', names)
    .execute()
  const known = new Set(rows.map(({ name }) => name))
  return names.filter((name) => !known.has(name))
}

/** Does nothing when the name is taken; the caller then reads the existing agent. */
export async function insertAgent(
  tx: Transaction,
  row: { tenantId: string; id: string; name: string; displayName: string; createdBy: string },
): Promise<void> {
  await tx
    .insertInto('agents')
    .values({ ...row, status: 'registered' })
    .onConflict((conflict) => conflict.columns(['tenantId', 'name']).doNothing())
    .execute()
}

/** Serialises the registration of an agent's versions. */
export const lockAgentByName = (tx: Transaction, tenantId: string, name: string) =>
  tx
    .selectFrom('agents')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow()

export async function setAgentActive(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx
    .updateTable('agents')
    .set((e) => ({ status: 'active', revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'registered')
    .execute()
}

export async function insertOwner(
  tx: Transaction,
  row: { tenantId: string; agentId: string; memberId: string },
): Promise<void> {
  await tx
    .insertInto('agentOwners')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const findOwners = (tx: Transaction, tenantId: string, agentIds: readonly string[]) =>
  ownersOf(tx, { tenantId, agentIds })

const ownersOf = fixedStatement({ tenantId: '', agentIds: [''] }, (tx, { tenantId, agentIds }) =>
  tx
    .selectFrom('agentOwners as owner')
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'owner.tenantId').onRef('member.id', '=', 'owner.memberId'),
    )
    .select(['owner.agentId', 'member.id', 'member.username', 'member.displayName', 'member.kind'])
    .where('owner.tenantId', '=', tenantId)
    .where(sql<boolean>`owner.agent_id = any(${agentIds}::uuid[])`)
    .orderBy('member.username'),
)

export const findVersions = (tx: Transaction, tenantId: string, agentId: string) =>
  tx
    .selectFrom('agentVersions')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('agentId', '=', agentId)
    .orderBy('id', 'desc')
    .limit(200)
    .execute()

/** Newest first. */
export const listVersions = (
  tx: Transaction,
  tenantId: string,
  agentId: string,
  limit: number,
  cursor: string | undefined,
) =>
  tx
    .selectFrom('agentVersions')
    .select(['id', 'version', 'manifestDigest', 'createdAt', 'createdBy'])
    .where('tenantId', '=', tenantId)
    .where('agentId', '=', agentId)
    .$if(cursor !== undefined, (q) => q.where('id', '<', cursor ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export const findVersion = (tx: Transaction, tenantId: string, agentId: string, version: string) =>
  tx
    .selectFrom('agentVersions')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('agentId', '=', agentId)
    .where('version', '=', version)
    .executeTakeFirst()

export const findVersionByDigest = (tx: Transaction, tenantId: string, agentId: string, digest: string) =>
  tx
    .selectFrom('agentVersions')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('agentId', '=', agentId)
    .where('manifestDigest', '=', digest)
    .executeTakeFirst()

/** The number of the agent's versions, from which a manifest without a version gets its number. */
export async function countVersions(tx: Transaction, tenantId: string, agentId: string): Promise<number> {
  const row = await tx
    .selectFrom('agentVersions')
    .select((e) => e.fn.countAll<number>().as('versions'))
    .where('tenantId', '=', tenantId)
    .where('agentId', '=', agentId)
    .executeTakeFirstOrThrow()
  return row.versions
}

export async function insertVersion(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    agentId: string
    version: string
    manifestYaml: string
    manifest: JsonObject
    manifestDigest: string
    createdBy: string
  },
): Promise<void> {
  await tx
    .insertInto('agentVersions')
    .values({ ...row, manifest: json(row.manifest) })
    .execute()
}

/** Agents with their newest version. The manifest stays in the database, which reads from it what a list shows. */
const withLatest = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('agents as agent')
    .innerJoinLateral(
      (e) =>
        e
          .selectFrom('agentVersions')
          .select(['id', 'version', 'manifest', 'manifestYaml'])
          .whereRef('agentVersions.tenantId', '=', 'agent.tenantId')
          .whereRef('agentVersions.agentId', '=', 'agent.id')
          .orderBy('agentVersions.id', 'desc')
          .limit(1)
          .as('latest'),
      (join) => join.onTrue(),
    )
    .select([
      'latest.id as versionId',
      'agent.id',
      'agent.name',
      'agent.displayName',
      'agent.status',
      'agent.revision',
      'agent.createdAt',
      'latest.version',
    ])
    .select(sql<string | null>`latest.manifest #>> '{spec,risk,tier}'`.as('riskTier'))
    .where('agent.tenantId', '=', tenantId)

/** A page of agents, newest first. */
export function listAgents(tx: Transaction, tenantId: string, limit: number, cursor: string | undefined) {
  if (cursor !== undefined) return agentsAfter(tx, { tenantId, cursor, limit: String(limit) })
  return limit === usualRows ? usualAgents(tx, { tenantId }) : firstAgents(tx, { tenantId, limit: String(limit) })
}

const newestAgents = (tx: Transaction, tenantId: string) => withLatest(tx, tenantId).orderBy('agent.id', 'desc')
const usualAgents = fixedStatement({ tenantId: '' }, (tx, { tenantId }) =>
  newestAgents(tx, tenantId).limit(pageLimit(usualRows)),
)
const firstAgents = fixedStatement({ tenantId: '', limit: '' }, (tx, { tenantId, limit }) =>
  newestAgents(tx, tenantId).limit(sql<number>`${limit}::integer`),
)
const agentsAfter = fixedStatement({ tenantId: '', limit: '', cursor: '' }, (tx, { tenantId, limit, cursor }) =>
  newestAgents(tx, tenantId).where('agent.id', '<', cursor).limit(sql<number>`${limit}::integer`),
)

export const findAgentWithManifest = (tx: Transaction, tenantId: string, id: string) =>
  withLatest(tx, tenantId)
    .select(['latest.manifest', 'latest.manifestYaml'])
    .where('agent.id', '=', id)
    .executeTakeFirst()

export const findActiveReleases = (tx: Transaction, tenantId: string, agentIds: readonly string[]) =>
  activeReleases(tx, { tenantId, agentIds })

const activeReleases = fixedStatement({ tenantId: '', agentIds: [''] }, (tx, { tenantId, agentIds }) =>
  tx
    .selectFrom('releases as release')
    .innerJoin('agentVersions as version', (join) =>
      join.onRef('version.tenantId', '=', 'release.tenantId').onRef('version.id', '=', 'release.agentVersionId'),
    )
    .select(['release.id', 'release.agentId', 'release.environment', 'version.version'])
    .where('release.tenantId', '=', tenantId)
    .where('release.status', '=', sql.lit('active'))
    .where(sql<boolean>`release.agent_id = any(${listOf(agentIds, 'uuid')})`)
    .orderBy('release.environment'),
)

/** Compare-and-set on the status and revision. Returns the new revision, or undefined when either has changed. */
export async function setAgentStatus(
  tx: Transaction,
  tenantId: string,
  id: string,
  revision: number,
  from: string,
  to: string,
): Promise<number | undefined> {
  const row = await tx
    .updateTable('agents')
    .set((e) => ({ status: to, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('status', '=', from)
    .returning('revision')
    .executeTakeFirst()
  return row?.revision
}

/** The sensitive paths of each agent's last ten versions, since telemetry does not identify the version. */
export async function listSensitivePaths(
  tx: Transaction,
  tenantId: string,
  { names, ids }: { names: readonly string[]; ids: readonly string[] },
): Promise<{ agentId: string; name: string; path: string; class: string }[]> {
  const { rows } = await sql<{ agentId: string; name: string; path: string; class: string }>`
    select distinct agent.id as agent_id, agent.name, entry ->> 'path' as path, entry ->> 'class' as class
    from agents agent
    cross join lateral (
      select manifest from agent_versions version
      where version.tenant_id = agent.tenant_id and version.agent_id = agent.id order by version.id desc limit 10
    ) version
    cross join lateral jsonb_path_query(version.manifest, '$.spec.data.sensitive[*]') entry
    where agent.tenant_id = ${tenantId} and (agent.name = any(${[...names]}) or agent.id = any(${[...ids]}))`.execute(
    tx,
  )
  return rows
}
