import { sql } from 'kysely'
import { knownEnds } from '#server/kernel/bound/adopted.ts'
import { requireFoundBound } from '#server/kernel/bound/check.ts'
import { checkedFrom, objectJson } from '#server/kernel/bound/joined-store.ts'
import { boundType } from '#server/kernel/bound/types.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { readBindingRevision } from '#server/policies/decisions/bound-policy-store.ts'
import { parsedContent } from './parsed-content.ts'

const [agents, releases] = [boundType('agent'), boundType('release')]

const read = fixedStatement({ tenantId: '', agentId: '', environment: '' }, (tx, given) => {
  const { tenantId, agentId, environment } = given
  const [agent, release] = [sql`${agentId}::uuid`, sql.ref('release.id')]
  return tx
    .selectFrom(sql<{ one: number }>`(select 1 as one)`.as('one'))
    .leftJoin('agents as agent', (join) => join.on('agent.tenantId', '=', tenantId).on('agent.id', '=', agentId))
    .leftJoin('releases as release', (join) =>
      join
        .on('release.tenantId', '=', tenantId)
        .on('release.agentId', '=', agentId)
        .on('release.environment', '=', environment)
        .on('release.status', '=', 'active'),
    )
    .leftJoin('agentVersions as version', (join) =>
      join.on('version.tenantId', '=', tenantId).onRef('version.id', '=', 'release.agentVersionId'),
    )
    .select([
      'agent.id as agentId',
      'agent.name as agentName',
      'agent.displayName as agentDisplayName',
      'agent.status as agentStatus',
      'release.id as releaseId',
      'release.digest as releaseDigest',
      'version.version as agentVersion',
    ])
    .select([
      readBindingRevision(tenantId).as('bindings'),
      objectJson(agents, agent, [agent]).as('boundAgent'),
      objectJson(releases, release, [release]).as('boundRelease'),
    ])
})

/**
 * What an execution or a call of an agent depends on, in one statement: the agent, its active release in an environment, and the revision of
 * the tenant's bindings. Throws `integrity_failed` unless agent and release are the ones that the log commits to.
 */
export async function findReleased(tx: Transaction, given: { tenantId: string; agentId: string; environment: string }) {
  const ends = knownEnds(given.tenantId)
  const [found] = await read(tx, given)
  if (found === undefined) throw new Error('unreachable: one row')
  const { agentId, agentName, agentDisplayName, agentStatus, releaseId, releaseDigest, agentVersion } = found
  const agent =
    agentId === null || agentName === null || agentDisplayName === null || agentStatus === null
      ? undefined
      : { id: agentId, name: agentName, displayName: agentDisplayName, status: agentStatus }
  const release = checkedFrom(found.boundRelease)
  const isReleased = releaseId !== null && releaseDigest !== null && agentVersion !== null
  await requireFoundBound(tx, given.tenantId, ends, {
    agent: checkedFrom(found.boundAgent),
    release: isReleased ? release : [],
  })
  return {
    agent,
    release: isReleased
      ? {
          id: releaseId,
          digest: releaseDigest,
          version: agentVersion,
          content: parsedContent(
            releaseDigest,
            () => (JSON.parse(release[0]?.row ?? '{}') as { content?: unknown }).content,
          ),
        }
      : undefined,
    bindings: found.bindings ?? undefined,
  }
}
