import { changeNames, changesOfNote } from '#lib/rules/home/changes-of-note.ts'
import { startsOfDays } from '#lib/rules/home/days.ts'
import { Change, changeRows, HomeChanges, ZoneInput } from '#lib/schemas/home/overview.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { query } from '#server/kernel/operation.ts'
import { type ChangeRow, listChanges, listNames, type Named } from './changes-store.ts'

/**
 * What changed since the beginning of yesterday, by the audit log. A caller that may not read the log sees the changes of objects that
 * they may read, without the names of those who made them.
 */
export const changes = query({
  permission: 'any',
  input: ZoneInput,
  output: HomeChanges,
  async run({ tx, tenant, principal: { permissions }, input: { timeZone } }) {
    const now = (await databaseClock(tx))()
    const since = startsOfDays(now, timeZone, 2)[0] ?? now
    const mayReadLog = permissions.has('audit:read')
    const actions = changeNames.filter((name) => mayReadLog || permissions.has(changesOfNote[name]))
    const rows = await listChanges(tx, tenant.id, actions, since, changeRows)
    const names = await listNames(tx, tenant.id, [
      ...new Set(rows.flatMap(({ resourceId, actorId }) => [resourceId, actorId])),
    ])
    return {
      since: since.toISOString(),
      items: rows.map((row) => changeView(row, names, mayReadLog)),
    }
  },
})

function changeView(row: ChangeRow, names: ReadonlyMap<string, Named>, withActor: boolean): Change {
  const of = names.get(row.resourceId)
  return Change.parse({
    auditId: row.auditId,
    action: row.action,
    at: row.at.toISOString(),
    by: withActor && row.actorType !== 'system' ? (names.get(row.actorId)?.name ?? row.actorName) : null,
    name: of?.name ?? row.named,
    objectId: of?.objectId ?? null,
    version: of?.version ?? row.version,
    environment: of?.environment ?? row.environment,
    agentName: of?.agentName ?? null,
  })
}
