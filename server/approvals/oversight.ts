import { Oversight, OversightInput, quickSeconds } from '#lib/schemas/oversight.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { countExpired, countVoters, measureVotes } from './oversight/measures-store.ts'
import { findGroupNames } from './store.ts'

const dayMs = 86_400_000

/** How each group of approvers decides: how fast, how often it rejects, and whether one person gives most votes. */
export const oversight = query({
  permission: 'audit:read',
  input: OversightInput,
  output: Oversight,
  async run({ tx, tenant, input: { days } }) {
    const since = new Date(Date.now() - days * dayMs)
    const measures = await measureVotes(tx, tenant.id, since, quickSeconds)
    const voters = await countVoters(tx, tenant.id, since)
    const expired = new Map((await countExpired(tx, tenant.id, since)).map((one) => [one.groupId, one.expired]))
    const ids = [...new Set([...measures.map(({ groupId }) => groupId), ...expired.keys()])]
    const names = await findGroupNames(tx, tenant.id, ids)
    const actor = await actorsById(
      tx,
      tenant.id,
      voters.map(({ memberId }) => memberId),
    )
    return {
      since: since.toISOString(),
      readingSeconds: settingsOf(tenant).readingSeconds,
      groups: names
        .map(({ id, displayName }) => {
          const measured = measures.find(({ groupId }) => groupId === id)
          const [most, ...others] = voters.filter(({ groupId }) => groupId === id)
          return {
            groupId: id,
            group: displayName,
            decided: measured?.decided ?? 0,
            approved: measured?.approved ?? 0,
            rejected: measured?.rejected ?? 0,
            expired: expired.get(id) ?? 0,
            quick: measured?.quick ?? 0,
            medianSeconds: measured?.median ?? null,
            medianSecondsShort: measured?.medianShort ?? null,
            medianSecondsLong: measured?.medianLong ?? null,
            voters: most === undefined ? 0 : others.length + 1,
            mostVotes: most === undefined ? null : { by: actor(most.memberId), votes: most.votes },
          }
        })
        .sort((one, other) => one.group.localeCompare(other.group, 'en')),
    }
  },
})
